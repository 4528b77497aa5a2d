/** Films: what is written of them shows at every moment what the scene shows. */
import { expect, test } from "vitest";
import type { Mark, Scene } from "../../src/draw/marks";
import { pngDataUri } from "../../src/draw/paint/png";
import { paintSvg } from "../../src/draw/paint/svg";
import { theme } from "../../src/draw/paint/theme";
import { paintAnimated } from "../../src/picture/animated";
import { paintFrames } from "../../src/picture/frames";
import { type Film, looksAt } from "../../src/picture/scene/film";
import { seenIn } from "../../src/picture/scene/region";
import { type Track, tracksOf } from "../../src/picture/scene/tracks";
import { pipelineFilm } from "../../src/pipeline/scene/film";
import { ProgramModel } from "../../src/program/model/program";
import { programFilm } from "../../src/program/scene/film";
import { stepFilm } from "../../src/stepper/scene/film";
import { models } from "../pipeline/schedules";
import { modelOf, program } from "../program/programs";
import { model, stepOf, type TraceName } from "../stepper/traces";

const LIGHT = { width: 960, scheme: "light" } as const;

function film(name: TraceName, primitive: string, more = 0): Film {
  const trace = model(name);
  const step = stepOf(trace, primitive);
  return stepFilm(trace, [step - more, step], 1, LIGHT);
}

const shown = modelOf(program("shard_map"));
const FILMS: Readonly<Record<string, Film>> = {
  psum: film("psum", "psum_invariant"),
  "three steps": film("psum", "psum_invariant", 2),
  all_to_all: film("all_to_all", "all_to_all"),
  ppermute: film("ppermute", "ppermute"),
  "a program": programFilm(shown, 1, { ...LIGHT, selection: 0, axis: null, sort: "time" }) as Film,
  "a schedule": pipelineFilm(models("one_f_one_b"), 1, { ...LIGHT, follow: null, moment: 0 }),
};

/** A look again, from what was followed. */
function again(tracks: readonly Track[], k: number): Mark[] {
  return tracks.flatMap(({ mark, places }): Mark[] => {
    const place = places[k];
    if (!place) return [];
    const { dx, dy, alpha } = place;
    return [
      mark.kind === "line"
        ? { ...mark, points: mark.points.map(([x, y]) => [x + dx, y + dy] as const) }
        : { ...mark, x: mark.x + dx, y: mark.y + dy, ...(mark.kind === "disc" ? {} : { alpha }) },
    ];
  });
}

const plain = ({ marks }: Scene) =>
  JSON.stringify(
    marks.map((m) => (m.kind === "line" ? m : { alpha: 1, ...m })),
    (_, value) => (typeof value === "number" ? Math.round(value * 10) / 10 + 0 : sorted(value)),
  );

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

test.each(Object.entries(FILMS))("%s: its tracks are its scenes, mark by mark and in their order", (_, of) => {
  const looks = looksAt(of, 60);
  const tracks = tracksOf(looks);
  looks.forEach((look, k) => {
    expect(plain({ ...look, marks: again(tracks, k) })).toBe(plain(look));
  });
  // What stands is written once.
  expect(tracks.length).toBeLessThan(looks.reduce((sum, { marks }) => sum + marks.length, 0) / 4);
});

test.each(Object.entries(FILMS))("%s: outside of the part that its pictures show nothing changes", (_, of) => {
  const { part, times, parts } = paintFrames(of, 10, theme("light"), "", pngDataUri);
  if (!part) throw new Error("nothing changes");
  expect(parts).toHaveLength(times.length - 1);
  expect(times.reduce((a, b) => a + b)).toBeCloseTo(of.ms);
  const outside = ({ marks }: Scene) => {
    const inside = new Set(seenIn(part, marks));
    return plain({ width: 0, height: 0, marks: marks.filter((m) => !inside.has(m)) });
  };
  const [first, ...others] = looksAt(of, 100);
  for (const look of others) expect(outside(look)).toBe(outside(first as Scene));
});

test("an animated SVG ends as the picture of the last moment, and stands there for who wants no motion", () => {
  const { psum } = FILMS;
  if (!psum) throw new Error("no film");
  const written = paintAnimated(psum, theme("light"), "psum", pngDataUri);
  expect(written).toContain("prefers-reduced-motion:reduce");
  expect(written).toMatch(/@keyframes [^{]+m\{0%\{transform:translate/);
  expect(written).not.toMatch(/<script|NaN|undefined/);
  expect(written.length).toBeLessThan(150_000);
  // All that the last moment shows is there, and shown where nothing is animated.
  const shown = written
    .replace(/<style>.*<\/style>/, "")
    .replace(/<g class="sw[\w-]+"([^>]*)>(.*?)<\/g>/g, (_, at: string, marks: string) =>
      at.includes('opacity="0"') ? "" : marks,
    );
  // Attributes say so, for programs that know no animations and no style sheets: in these it says nothing of the end.
  expect(written.replace(/@keyframes [\w-]+\{(?:[^{}]*\{[^{}]*\})*\}/g, "")).not.toMatch(/[{;](?:opacity|transform):/);
  const texts = (svg: string) => [...svg.matchAll(/<text.*?<\/text>/g)].map(([text]) => text.replace(/<.*?>/g, ""));
  expect(texts(shown)).toEqual(texts(paintSvg(psum.at(psum.ms), theme("light"), "psum", pngDataUri)));
});

test("what cannot be played is no film", () => {
  const none = { ...LIGHT, selection: 3, axis: null, sort: "time" } as const;
  expect(programFilm(new ProgramModel({ ...shown.doc, collectives: [] }), 1, none)).toBeNull();
});

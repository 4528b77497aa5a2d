/** Golden pictures of compiled programs: each is an example of the gallery. */
import { expect, test } from "vitest";
import { decodePrograms, ProgramModel } from "../../src/model/program";
import { pngDataUri } from "../../src/paint/png";
import { paintSvg } from "../../src/paint/svg";
import { theme } from "../../src/paint/theme";
import { programScene } from "../../src/scene/programcard";
import { programsScene } from "../../src/scene/programscard";
import type { Mark, Scene } from "../../src/scene/scene";
import { many, modelOf, PROGRAMS, type ProgramName, wire } from "./programs";

const GOLDEN: Readonly<Record<string, { of: ProgramName; width?: number; selection?: number }>> = {
  training: { of: "training", selection: 0 },
  "shard-map": { of: "shard_map", selection: 0 },
  irregular: { of: "shard_map", selection: 3 },
  torus: { of: "torus" },
  pod: { of: "pod" },
  layouts: { of: "layouts" },
  narrow: { of: "training", width: 480 },
};

function picture(name: ProgramName, width: number, scheme: "light" | "dark", selection: number | null = null): Scene {
  const { programs, sideBySide } = decodePrograms(wire(name));
  const models = programs.map((p) => new ProgramModel(p));
  const options = { width, scheme, selection, axis: null, sort: "time" as const };
  return sideBySide ? programsScene(models, width) : programScene(models[0] as ProgramModel, options);
}

for (const [name, { of, width = 1100, selection }] of Object.entries(GOLDEN)) {
  test.each(["light", "dark"] as const)(`${name}, %s`, async (scheme) => {
    const svg = paintSvg(picture(of, width, scheme, selection), theme(scheme), of, pngDataUri);
    await expect(`${svg}\n`).toMatchFileSnapshot(`../../../docs/gallery/program-${name}.${scheme}.svg`);
  });
}

test.each(PROGRAMS)("%s: nothing stands outside of its picture, at any width", (name) => {
  for (const width of [320, 480, 800, 1100, 1600]) {
    const scene = picture(name, width, "light");
    for (const mark of scene.marks) {
      const [x, y] = cornerOf(mark);
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(width);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(scene.height);
    }
  }
});

test("a long table is cut, and says so", () => {
  const scene = programScene(modelOf(many(40)), {
    width: 1100,
    scheme: "light",
    selection: null,
    axis: null,
    sort: "time",
  });
  const texts = scene.marks.flatMap((m) => (m.kind === "text" ? m.spans.map((s) => s.text).join("") : []));
  expect(texts).toContain("24 more collectives in the table.");
});

function cornerOf(mark: Mark): readonly [number, number] {
  if (mark.kind === "line") return mark.points.at(-1) ?? [0, 0];
  if (mark.kind === "rect") return [mark.x + mark.w, mark.y + mark.h];
  return [mark.x, mark.y];
}

/**
 * Writes a film as an SVG that plays by itself, without a script: marks that move or come and go have CSS animations.
 * For readers who prefer reduced motion, and in programs that know no animations, its last moment is shown.
 */

import type { Scene } from "../draw/marks";
import { n } from "../draw/paint/shapes";
import { type PngWriter, SvgWriter } from "../draw/paint/svg";
import type { Theme } from "../draw/paint/theme";
import { type Film, looksAt } from "./scene/film";
import { type Place, standing, type Track, together, tracksOf } from "./scene/tracks";

/** Milliseconds from one sample of the film to the next: motion is linear between them. */
const EVERY = 25;

export function paintAnimated(film: Film, theme: Theme, title: string, png: PngWriter): string {
  const scenes = looksAt(film, EVERY);
  const last = scenes.at(-1) as Scene;
  const tracks = tracksOf(scenes);
  const writer = new SvgWriter(theme, png);
  const moves = new Map<string, { name: string; places: readonly Place[] }>();
  const prefix = `sw${hash(`${title} ${tracks.length} ${film.ms} ${theme.scheme}`)}`;
  const groups: { name: string | null; marks: string[] }[] = [];
  for (const track of tracks) {
    const key = keyOf(track);
    let move = key === "" ? null : (moves.get(key) ?? null);
    if (key !== "" && !move) {
      move = { name: `${prefix}-${moves.size}`, places: track.places };
      moves.set(key, move);
    }
    const name = move?.name ?? null;
    const mark = writer.mark(track.mark);
    const open = groups.at(-1);
    if (open && open.name === name) open.marks.push(mark);
    else groups.push({ name, marks: [mark] });
  }
  const ends = new Map([...moves.values()].map(({ name, places }) => [name, endOf(places)]));
  const body = groups.map(({ name, marks }) =>
    name ? `<g class="${name}"${ends.get(name)}>${marks.join("")}</g>` : marks.join("\n"),
  );
  const rules = [...moves.values()].map(({ name, places }) => rulesOf(name, places, film.ms));
  const style = `${rules.join("")}@media (prefers-reduced-motion:reduce){[class^="${prefix}"]{animation:none}}`;
  return writer.document(last, title, body.join("\n"), style);
}

/** What marks of one group have in common; empty for a mark that stands all the time. */
function keyOf(track: Track): string {
  return standing(track) ? "" : track.places.map((p) => (p ? `${n(p.dx)},${n(p.dy)},${n(p.alpha)}` : "")).join(" ");
}

/** How a group is at the end, as attributes: some programs know neither animations nor style sheets. */
function endOf(places: readonly Place[]): string {
  const end = places.at(-1);
  if (!end) return ' opacity="0"';
  const moved = n(end.dx) !== "0" || n(end.dy) !== "0";
  return `${n(end.alpha) === "1" ? "" : ` opacity="${n(end.alpha)}"`}${moved ? ` transform="translate(${n(end.dx)} ${n(end.dy)})"` : ""}`;
}

/** How a group comes to be as it is at the end. */
function rulesOf(name: string, places: readonly Place[], ms: number): string {
  // The last sample is the end of the film, where it starts again.
  const looks = places.slice(0, -1);
  const shown = changes(looks.map((p) => n(p?.alpha ?? 0)));
  const path = corners(looks);
  const time = `${n(ms)}ms`;
  const animations = [
    ...(shown.length > 1 ? [`${name}o ${time} step-end infinite`] : []),
    ...(path.length > 1 ? [`${name}m ${time} linear infinite`] : []),
  ];
  const at = (k: number) => `${n((100 * k) / looks.length)}%`;
  const frames = [
    ...(shown.length > 1
      ? [`@keyframes ${name}o{${shown.map(([k, alpha]) => `${at(k)}{opacity:${alpha}}`).join("")}}`]
      : []),
    ...(path.length > 1
      ? [`@keyframes ${name}m{${path.map(([k, p]) => `${at(k)}{transform:${translate(p)}}`).join("")}}`]
      : []),
  ];
  return animations.length > 0 ? `.${name}{animation:${animations.join(",")}}${frames.join("")}` : "";
}

function translate({ dx, dy }: { dx: number; dy: number }): string {
  return `translate(${n(dx)}px,${n(dy)}px)`;
}

/** Each value with the sample that it begins at. */
function changes(values: readonly string[]): (readonly [number, string])[] {
  return values.flatMap((value, k) => (k > 0 && values[k - 1] === value ? [] : [[k, value] as const]));
}

type Corner = readonly [number, { dx: number; dy: number }];

/** The samples between which a group moves linearly; only one if it does not move. */
function corners(places: readonly Place[]): Corner[] {
  const seen: Corner[] = places.flatMap((p, k) => (p ? [[k, p] as const] : []));
  const [first] = seen;
  if (!first) return [];
  if (seen.every(([, p]) => together(p, first[1]))) return [first];
  const kept = simplified(seen, 0, seen.length - 1);
  const corners: Corner[] = [first, ...kept, seen.at(-1) ?? first];
  const [begins, start] = first;
  const [, end] = corners.at(-1) as Corner;
  // Before it is there it waits where it begins, after it has gone where it ended.
  return [...(begins > 0 ? [[0, start] as const] : []), ...corners, [places.length, end]];
}

/** The samples between two that are visibly off the straight line. */
function simplified(seen: readonly Corner[], from: number, to: number): Corner[] {
  const [a, b] = [seen[from], seen[to]];
  if (!a || !b || to - from < 2) return [];
  let [worst, most] = [0, 0.3];
  for (let i = from + 1; i < to; i++) {
    const [k, p] = seen[i] as Corner;
    const share = (k - a[0]) / (b[0] - a[0]);
    const away = Math.hypot(a[1].dx + share * (b[1].dx - a[1].dx) - p.dx, a[1].dy + share * (b[1].dy - a[1].dy) - p.dy);
    if (away > most) [worst, most] = [i, away];
  }
  if (worst === 0) return [];
  return [...simplified(seen, from, worst), seen[worst] as Corner, ...simplified(seen, worst, to)];
}

/** Names differ between the pictures in one page. */
function hash(text: string): string {
  let h = 2166136261;
  for (const c of text) h = Math.imul(h ^ (c.codePointAt(0) ?? 0), 16777619);
  return (h >>> 0).toString(36);
}

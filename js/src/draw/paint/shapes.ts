/** Shapes that every painter draws alike, as the path data of SVG, which a canvas reads too. */
import type { BarsMark, DiscMark, GridMark, LineMark, StrokesMark } from "../marks";

type Point = readonly [number, number];

/** At most two decimals: snapshots stay readable. */
export function n(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** `=` or `+` about the centre of a disc. */
export function signPath({ x, y, r, sign }: DiscMark): string {
  const a = r * 0.45;
  const b = r * 0.25;
  const stroke = (x0: number, y0: number, x1: number, y1: number) =>
    `M${n(x + x0)} ${n(y + y0)}L${n(x + x1)} ${n(y + y1)}`;
  return sign === "+" ? stroke(-a, 0, a, 0) + stroke(0, -a, 0, a) : stroke(-a, -b, a, -b) + stroke(-a, b, a, b);
}

export function gridPath({ x, y, w, h, columns, rows }: GridMark): string {
  let d = "";
  for (let i = 1; i < columns; i++) d += `M${n(x + (w * i) / columns)} ${n(y)}v${n(h)}`;
  for (let i = 1; i < rows; i++) d += `M${n(x)} ${n(y + (h * i) / rows)}h${n(w)}`;
  return d;
}

export function barsPath({ x: left, y: top, boxes }: BarsMark): string {
  let d = "";
  for (let i = 0; i < boxes.length; i += 4) {
    const [x = 0, y = 0, w = 0, h = 0] = boxes.slice(i, i + 4);
    d += `M${n(left + x)} ${n(top + y)}h${n(w)}v${n(h)}h${n(-w)}z`;
  }
  return d;
}

export function strokesPath({ x: left, y: top, segments }: StrokesMark): string {
  let d = "";
  for (let i = 0; i < segments.length; i += 4) {
    const [x = 0, y = 0, u = 0, v = 0] = segments.slice(i, i + 4);
    d += `M${n(left + x)} ${n(top + y)}L${n(left + u)} ${n(top + v)}`;
  }
  return d;
}

/** Segments through points, with rounded corners. */
export function linePath({ points, r }: LineMark): string {
  return points
    .map((at, i) => {
      const [x, y] = at;
      const [before, after] = [points[i - 1], points[i + 1]];
      if (!before) return `M${n(x)} ${n(y)}`;
      if (!r || !after) return `L${n(x)} ${n(y)}`;
      const [ax, ay] = toward(at, before, r);
      const [bx, by] = toward(at, after, r);
      return `L${n(ax)} ${n(ay)}Q${n(x)} ${n(y)} ${n(bx)} ${n(by)}`;
    })
    .join("");
}

function toward(from: Point, to: Point, r: number): Point {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const step = Math.min(r, length / 2);
  return [from[0] + ((to[0] - from[0]) / length) * step, from[1] + ((to[1] - from[1]) / length) * step];
}

/** Distance of the thin lines of idle time across their direction, and their width. */
export const IDLE = { pitch: 5, width: 1 } as const;

/** Distance of hatch stripes across their direction, and their width. */
export const HATCH = { pitch: 8, width: 4 } as const;

/** Lines of a tile of the pattern of copies: their height, and the parts of it where lines begin, with their strength. */
export const COPIES = {
  height: 6,
  width: 1.4,
  lines: [
    [0.8, 1],
    [3.6, 0.55],
  ],
} as const;

/** The same lines as the background of an element, in the theme's colours. */
export function copiesBackground(): string {
  const stops = COPIES.lines.flatMap(([y, strength]) => [
    `var(--cpb) 0 ${n(y)}px`,
    `color-mix(in srgb, var(--cph) ${n(100 * strength)}%, var(--cpb)) 0 ${n(y + COPIES.width)}px`,
  ]);
  return `repeating-linear-gradient(${stops}, var(--cpb) 0 ${COPIES.height}px)`;
}

/** Corners of the arrow head at the end of a line, as the points of a polygon; empty for a line without one. */
export function arrowHead({ points, arrow }: LineMark): string {
  const [tail, head] = [points.at(-2), points.at(-1)];
  if (!arrow || !tail || !head) return "";
  const angle = Math.atan2(head[1] - tail[1], head[0] - tail[0]);
  const at = (along: number, across: number) =>
    `${n(head[0] + along * Math.cos(angle) - across * Math.sin(angle))},${n(head[1] + along * Math.sin(angle) + across * Math.cos(angle))}`;
  return `${at(2, 0)} ${at(-7, -4.5)} ${at(-7, 4.5)}`;
}

/**
 * A scene: what is drawn, as a flat list of marks in CSS pixels. Painters turn it into canvas calls or SVG text.
 * Scene functions are pure: no DOM, no clock, no state.
 */
import type { Token as Word } from "../core/text";

/** A colour by role, resolved by the painter's theme, or a literal `#rrggbb` for data. */
export type Color = Token | `#${string}`;
export type Token =
  | "ink"
  | "muted"
  | "faint"
  | "line"
  | "bg"
  | "panel"
  | "edge"
  | "cell"
  | "tile-ink"
  | "error"
  | "warn"
  | "ok"
  | "area"
  | "tick"
  | "cpb"
  | "cph"
  | "k0"
  | "kedge"
  | "gap"
  | `axis${number}`;

export interface Stroke {
  color: Color;
  width: number;
  dash?: readonly number[];
}

export interface RectMark {
  kind: "rect";
  x: number;
  y: number;
  w: number;
  h: number;
  r?: number;
  fill?: Color;
  /** Diagonal stripes over half of the fill: a partial sum. */
  hatch?: boolean;
  /** Amber double lines in place of a fill: bytes of copies. */
  copies?: boolean;
  /** Thin lines the other way in place of the fill: nothing happens here. */
  lines?: boolean;
  stroke?: Stroke;
  alpha?: number;
}

/** Straight segments through points, with optional rounded corners and an arrow head at the end. */
export interface LineMark {
  kind: "line";
  points: readonly (readonly [number, number])[];
  stroke: Stroke;
  /** Corner radius. */
  r?: number;
  arrow?: boolean;
}

export interface Span {
  text: string;
  color?: Color;
  weight?: number;
}

export interface TextMark {
  kind: "text";
  x: number;
  /** Baseline. */
  y: number;
  spans: readonly Span[];
  size: number;
  mono?: boolean;
  color: Color;
  weight?: number;
  anchor?: "start" | "middle" | "end";
  /** A quarter turn counterclockwise, about (x, y). */
  turned?: boolean;
  alpha?: number;
}

/** Lines that cut a rectangle into equal cells. */
export interface GridMark {
  kind: "grid";
  x: number;
  y: number;
  w: number;
  h: number;
  columns: number;
  rows: number;
  color: Color;
}

/** A picture of one colour a cell, for many cells: `rgb` holds rows × columns × 3 bytes. */
export interface FieldMark {
  kind: "field";
  x: number;
  y: number;
  w: number;
  h: number;
  columns: number;
  rows: number;
  rgb: Uint8Array;
  alpha?: number;
}

/** A disc with a sign between two devices: what they have of each other's data. */
export interface DiscMark {
  kind: "disc";
  x: number;
  y: number;
  r: number;
  color: Color;
  hollow: boolean;
  sign: "=" | "+";
}

/** Thousands of rectangles of one colour, inside a box. */
export interface BarsMark extends Box {
  kind: "bars";
  color: Color;
  /** For each, from the corner of the box: x, y, width and height. */
  boxes: readonly number[];
  alpha?: number;
}

/** Thousands of straight lines of one colour, inside a box. */
export interface StrokesMark extends Box {
  kind: "strokes";
  color: Color;
  width: number;
  /** For each, both ends, from the corner of the box: x, y, x, y. */
  segments: readonly number[];
  alpha?: number;
}

export type Mark = RectMark | LineMark | TextMark | GridMark | FieldMark | DiscMark | BarsMark | StrokesMark;

export interface Scene {
  width: number;
  height: number;
  marks: readonly Mark[];
}

/** Inner padding of a card. */
export const PAD = 16;

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

export function inside(box: Box, x: number, y: number): boolean {
  return x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h;
}

/** A box moved by the corner of what it stands in. */
export function placed(box: Box, at: { x: number; y: number }): Box {
  return { x: box.x + at.x, y: box.y + at.y, w: box.w, h: box.h };
}

/** The box around boxes, with some room. */
export function around(boxes: readonly Box[], pad = 0): Box {
  const x = Math.min(...boxes.map((b) => b.x)) - pad;
  const y = Math.min(...boxes.map((b) => b.y)) - pad;
  const w = Math.max(...boxes.map((b) => b.x + b.w)) + pad - x;
  const h = Math.max(...boxes.map((b) => b.y + b.h)) + pad - y;
  return { x, y, w, h };
}

/** Text in one colour. */
export function label(
  x: number,
  y: number,
  text: string | readonly Span[],
  size: number,
  color: Color,
  rest: Partial<Omit<TextMark, "kind">> = {},
): TextMark {
  return { kind: "text", x, y, spans: typeof text === "string" ? [{ text }] : text, size, color, ...rest };
}

/** Code: types, slices, ids. */
export const MONO = { mono: true } as const;
/** Code in the middle of its place. */
export const CENTER = { mono: true, anchor: "middle" } as const;
export const BOLD = { mono: true, weight: 700 } as const;

/** Line patterns of mesh axes, by position in the mesh: colour is never the only sign. */
export const AXIS_DASH: readonly (readonly number[])[] = [[], [5, 3], [1.6, 2.6], [8, 3, 2, 3], [12, 4], [3, 2, 3, 6]];

/** The outline of a place that holds nothing yet. */
export const EMPTY: Stroke = { color: "faint", width: 1, dash: [3, 3] };

/** The outline of a part of a sum, beside its hatch. */
export const PARTIAL_DASH: readonly number[] = [4, 3];

/** Opacity of a colour as the ground of text in that colour. */
export const TINT = 0.1;

export function axisToken(axis: number): Color {
  return `axis${axis % AXIS_DASH.length}`;
}

export function axisStroke(axis: number, width = 2): Stroke {
  const dash = AXIS_DASH[axis % AXIS_DASH.length] ?? [];
  return dash.length > 0 ? { color: axisToken(axis), width, dash } : { color: axisToken(axis), width };
}

/** A box lit up: its outline with a halo of background, which stands on any colour. */
export function outline(b: Box, r: number, width = 2.4): Mark[] {
  const grown = { x: b.x - 1, y: b.y - 1, w: b.w + 2, h: b.h + 2 };
  return [
    { kind: "rect", ...grown, r: r + 2, stroke: { color: "bg", width: width + 2.4 } },
    { kind: "rect", ...grown, r: r + 1, stroke: { color: "ink", width } },
  ];
}

/** The stroke through what is not there any more. */
export function strike({ x, y, w, h }: Box): Mark {
  const points = [
    [x, y + h],
    [x + w, y],
  ] as const;
  return { kind: "line", points, stroke: { color: "muted", width: 1.3 } };
}

/** A field of colours with its edge, and lines every so many cells where that divides it. */
export function field(at: Box, rows: number, columns: number, rgb: Uint8Array, every: number): Mark[] {
  const lines = (n: number) => (n > every && n % every === 0 ? n / every : 1);
  return [
    { kind: "field", ...at, rows, columns, rgb },
    { kind: "grid", ...at, rows: lines(rows), columns: lines(columns), color: "bg" },
    { kind: "rect", ...at, stroke: { color: "edge", width: 1 } },
  ];
}

export function spans(words: readonly Word[]): Span[] {
  return words.map((t) =>
    t.axis === null ? { text: t.text } : { text: t.text, color: axisToken(t.axis), weight: 700 },
  );
}

/** Moves marks. */
export function shift(marks: readonly Mark[], dx: number, dy: number): Mark[] {
  return marks.map((m) =>
    m.kind === "line"
      ? { ...m, points: m.points.map(([x, y]) => [x + dx, y + dy] as const) }
      : { ...m, x: m.x + dx, y: m.y + dy },
  );
}

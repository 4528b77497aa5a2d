/** A block of values: a small table with its numbers, or plain cells where there is no room, in the colour of its place. */
import { hex, type Rgb } from "../model/color";
import { product } from "../model/mesh";
import { fitNumber, textWidth } from "./measure";
import { type Box, type Color, label, type Mark, type Stroke } from "./scene";

/** Rows and columns that a value of some rank is drawn with: leading dimensions run down, a long row is wrapped. */
export function faceOf(shape: readonly number[]): { rows: number; columns: number } {
  const columns = shape.at(-1) ?? 1;
  if (shape.length > 1) return { rows: product(shape.slice(0, -1)), columns };
  return columns > LONG && columns % WRAP === 0 ? { rows: columns / WRAP, columns: WRAP } : { rows: 1, columns };
}

/** Size of the smallest numbers. */
export const SMALLEST = 9.5;
const LONG = 16;
const WRAP = 8;

/** Cells are numbered row by row. */
export interface BlockLook {
  rows: number;
  columns: number;
  /** Text of a cell; null where there is no number to show. */
  text: ((cell: number) => string) | null;
  fill: Rgb | null;
  /** Fill of some cells of their own, as of chunks from elsewhere. */
  fillAt?: (cell: number) => Rgb | null;
  /** How great a cell's value is among all, from 0 to 1: shown by a shade where its number has no room. */
  shade?: ((cell: number) => number) | null;
  /** A partial sum: `dim` on a dark ground, where light numbers stand on dark stripes. */
  hatch?: "plain" | "dim" | null;
  stroke?: Stroke;
  /** One cell to outline. */
  mark?: number | null;
}

/** Draws a block into a box. */
export function blockMarks(box: Box, look: BlockLook): Mark[] {
  const { rows, columns, fill } = look;
  const dim = look.hatch === "dim";
  const edge: Color = dim && fill ? hex(fill) : "edge";
  const stroke: Stroke = look.stroke ?? { color: edge, width: 1, ...(look.hatch ? { dash: [4, 3] } : {}) };
  const marks: Mark[] = [];
  const [w, h] = [box.w / Math.max(1, columns), box.h / Math.max(1, rows)];
  const place = (cell: number): Box => ({
    x: box.x + (cell % columns) * w,
    y: box.y + Math.floor(cell / columns) * h,
    w,
    h,
  });
  if (dim) marks.push({ kind: "rect", ...box, r: 2, fill: "bg" });
  const striped = { ...(look.hatch ? { hatch: true } : {}), ...(dim ? { alpha: 0.45 } : {}) };
  marks.push({ kind: "rect", ...box, r: 2, fill: fill ? hex(fill) : "bg", ...striped });
  if (look.fillAt) {
    for (let cell = 0; cell < rows * columns; cell++) {
      const own = look.fillAt(cell);
      if (own) marks.push({ kind: "rect", ...place(cell), fill: hex(own) });
    }
  }
  if (w >= 6 && h >= 6 && rows * columns > 1) marks.push({ kind: "grid", ...box, rows, columns, color: "cell" });
  marks.push({ kind: "rect", ...box, r: 2, stroke });
  const readable = h >= 13 && w >= 12;
  if (look.shade && !look.hatch && !readable && rows * columns > 1) {
    for (let cell = 0; cell < rows * columns; cell++) {
      const alpha = 0.24 * look.shade(cell);
      if (alpha > 0.02) marks.push({ kind: "rect", ...place(cell), fill: "tile-ink", alpha });
    }
  }
  if (look.text && readable) {
    const texts = Array.from({ length: rows * columns }, (_, cell) => look.text?.(cell) ?? "");
    const longest = Math.max(1, ...texts.map((t) => t.length));
    const size = Math.max(
      SMALLEST,
      Math.min(12, Math.floor(h * 0.6), (w - 2) / textWidth("0".repeat(longest), 1, true)),
    );
    for (const [cell, text] of texts.entries()) {
      if (text === "") continue;
      const b = place(cell);
      const ink: Color = !dim && (fill || look.fillAt?.(cell)) ? "tile-ink" : "ink";
      const at = [b.x + b.w / 2, b.y + b.h / 2 + size * 0.36] as const;
      // Digits behind the point give way to some space between numbers.
      const room = b.w - (text.length > 4 && text.includes(".") ? 6 : 2);
      marks.push(label(...at, short(text, room, size), size, ink, { mono: true, anchor: "middle" }));
    }
  }
  if (look.mark != null) {
    const { x, y } = place(look.mark);
    const stroke: Stroke = { color: dim ? "ink" : "tile-ink", width: 2 };
    marks.push({ kind: "rect", x: x + 1, y: y + 1, w: Math.max(0, w - 2), h: Math.max(0, h - 2), r: 2, stroke });
  }
  return marks;
}

/** A number in its cell: with fewer digits behind the point where it does not fit, never with some left out. */
function short(text: string, width: number, size: number): string {
  if (textWidth(text, size, true) <= width) return text;
  const number = text.replace(/\+$/, "");
  if (!Number.isFinite(Number(number))) return "·";
  const fitted = fitNumber(number, width, size);
  if (fitted !== "·") return fitted;
  const value = Math.abs(Number(number));
  const power = Number(number).toExponential(0).replace("e+", "e");
  return (value < 0.01 || value >= 1e7) && textWidth(power, size, true) <= width ? power : "·";
}

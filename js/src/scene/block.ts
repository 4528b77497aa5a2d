/** A block of values: a small table with its numbers, or heat cells where there is no room, in the colour of its place. */
import { hex, type Rgb } from "../model/color";
import { product } from "../model/mesh";
import { fitNumber } from "./measure";
import { type Box, type Color, label, type Mark, type Stroke } from "./scene";

/** Rows and columns that a value of some rank is drawn with: all leading dimensions run down. */
export function faceOf(shape: readonly number[]): { rows: number; columns: number } {
  if (shape.length === 0) return { rows: 1, columns: 1 };
  return { rows: product(shape.slice(0, -1)), columns: shape.at(-1) ?? 1 };
}

export interface BlockLook {
  rows: number;
  columns: number;
  /** Text of a cell; null where there is no number to show. */
  text: ((row: number, column: number) => string) | null;
  fill: Rgb | null;
  /** Fill of some cells of their own, as of chunks from elsewhere. */
  fillAt?: (row: number, column: number) => Rgb | null;
  /** A partial sum. */
  hatch?: boolean;
  stroke?: Stroke;
  /** One cell to outline. */
  mark?: readonly [number, number] | null;
  alpha?: number;
}

/** Draws a block into a box. */
export function blockMarks(box: Box, look: BlockLook): Mark[] {
  const { rows, columns, fill } = look;
  const alpha = look.alpha === undefined ? {} : { alpha: look.alpha };
  const stroke: Stroke = look.stroke ?? { color: "edge", width: 1, ...(look.hatch ? { dash: [4, 3] } : {}) };
  const marks: Mark[] = [];
  const [w, h] = [box.w / Math.max(1, columns), box.h / Math.max(1, rows)];
  const cell = (r: number, c: number): Box => ({ x: box.x + c * w, y: box.y + r * h, w, h });
  if (fill) marks.push({ kind: "rect", ...box, r: 2, fill: hex(fill), hatch: look.hatch ?? false, ...alpha });
  else marks.push({ kind: "rect", ...box, r: 2, fill: "bg", ...alpha });
  if (look.fillAt) {
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c < columns; c++) {
        const own = look.fillAt(r, c);
        if (own) marks.push({ kind: "rect", ...cell(r, c), fill: hex(own), ...alpha });
      }
    }
  }
  if (w >= 6 && h >= 6 && rows * columns > 1) marks.push({ kind: "grid", ...box, rows, columns, color: "cell" });
  marks.push({ kind: "rect", ...box, r: 2, stroke, ...alpha });
  if (look.text && h >= 13 && w >= 12) {
    const size = Math.min(12, Math.max(10, Math.floor(h * 0.6)));
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c < columns; c++) {
        const text = look.text(r, c);
        if (text === "") continue;
        const b = cell(r, c);
        const ink: Color = fill || look.fillAt?.(r, c) ? "tile-ink" : "ink";
        const short = fitNumber(text, b.w - 2, size);
        marks.push(
          label(b.x + b.w / 2, b.y + b.h / 2 + size * 0.36, short, size, ink, {
            mono: true,
            anchor: "middle",
            ...alpha,
          }),
        );
      }
    }
  }
  if (look.mark) {
    const b = cell(...look.mark);
    marks.push({
      kind: "rect",
      x: b.x + 1,
      y: b.y + 1,
      w: b.w - 2,
      h: b.h - 2,
      r: 2,
      stroke: { color: "ink", width: 2 },
    });
  }
  return marks;
}

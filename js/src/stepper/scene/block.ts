/** A block of values: a small table with its numbers, in the colour of its place. */
import { hex, type Rgb } from "../../core/color";
import { type Box, type Color, label, type Mark, PARTIAL_DASH, type Stroke } from "../../draw/marks";

/** Cells are numbered row by row. */
export interface BlockLook {
  rows: number;
  columns: number;
  /** Text of a cell; null where there is no number to show. */
  text: ((cell: number) => string) | null;
  /** Font size of the numbers. */
  size: number;
  fill: Rgb | null;
  /** Fill of some cells of their own, as of chunks from elsewhere. */
  fillAt?: ((cell: number) => Rgb | null) | undefined;
  /** Cells of a partial sum that hold all of it. */
  plainAt?: (cell: number) => boolean;
  /** A partial sum: `dim` on a dark ground, where light numbers stand on dark stripes. */
  hatch?: "plain" | "dim" | null;
  stroke?: Stroke;
  /** One cell to outline. */
  mark?: number | null | undefined;
  /** Opacity of the whole block. */
  alpha?: number;
  /** Opacity of some cells of their own, of what has been passed on. */
  paleAt?: ((cell: number) => number) | undefined;
  /** What numbers are written in where nothing is held: zeros that nobody sent. */
  ink?: Color;
}

/** Draws a block into a box. */
export function blockMarks(box: Box, look: BlockLook): Mark[] {
  const { rows, columns, fill, alpha = 1 } = look;
  const [w, h] = [box.w / Math.max(1, columns), box.h / Math.max(1, rows)];
  const place = (cell: number): Box => ({
    x: box.x + (cell % columns) * w,
    y: box.y + Math.floor(cell / columns) * h,
    w,
    h,
  });
  const edge: Color = look.hatch === "dim" && fill ? hex(fill) : "edge";
  const stroke: Stroke = look.stroke ?? { color: edge, width: 1, ...(look.hatch ? { dash: PARTIAL_DASH } : {}) };
  const marks: Mark[] = [{ kind: "rect", ...box, r: 2, fill: "bg" }, ...groundMarks(box, look, place)];
  if (w >= 6 && h >= 6 && rows * columns > 1) marks.push({ kind: "grid", ...box, rows, columns, color: "cell" });
  marks.push({ kind: "rect", ...box, r: 2, stroke, ...faded(alpha) });
  for (let cell = 0; look.text && cell < rows * columns; cell++) {
    const text = look.text(cell);
    if (text !== "") marks.push(numberMark(look, text, cell, place(cell)));
  }
  if (look.mark != null && look.mark < rows * columns) {
    const b = place(look.mark);
    const inner = { x: b.x + 1, y: b.y + 1, w: Math.max(0, w - 2), h: Math.max(0, h - 2) };
    const color: Color = look.hatch === "dim" || !fill ? "ink" : "tile-ink";
    marks.push({ kind: "rect", ...inner, r: 2, stroke: { color, width: 2 } });
  }
  return marks;
}

const faded = (alpha: number) => (alpha < 1 ? { alpha } : {});

/** Opacity of a cell. */
function paleOf({ alpha = 1, paleAt }: BlockLook, cell: number): number {
  return alpha * (paleAt?.(cell) ?? 1);
}

/** Colours of cells, or of the whole block at once. */
function groundMarks(box: Box, look: BlockLook, place: (cell: number) => Box): Mark[] {
  const { rows, columns, fill, fillAt, paleAt, plainAt, alpha = 1 } = look;
  const ground = (color: Rgb, opacity: number, hatch = look.hatch) => ({
    fill: hex(color),
    ...(hatch ? { hatch: true } : {}),
    ...faded(hatch === "dim" ? 0.45 * opacity : opacity),
  });
  if (!fillAt && !paleAt && !plainAt) return fill ? [{ kind: "rect", ...box, r: 2, ...ground(fill, alpha) }] : [];
  const marks: Mark[] = [];
  for (let cell = 0; cell < rows * columns; cell++) {
    const own = fillAt ? fillAt(cell) : fill;
    if (own)
      marks.push({
        kind: "rect",
        ...place(cell),
        ...ground(own, paleOf(look, cell), plainAt?.(cell) ? null : look.hatch),
      });
  }
  return marks;
}

function numberMark(look: BlockLook, text: string, cell: number, { x, y, w, h }: Box): Mark {
  const { size, fill, fillAt, hatch } = look;
  const ink: Color =
    look.ink ?? ((hatch !== "dim" || look.plainAt?.(cell)) && (fillAt ? fillAt(cell) : fill) ? "tile-ink" : "ink");
  // Ink stays readable where a ground fades.
  const alpha = faded(Math.max(0.72, paleOf(look, cell)));
  const bold = cell === look.mark ? { weight: 700 } : {};
  return label(x + w / 2, y + h / 2 + size * 0.36, text, size, ink, {
    mono: true,
    anchor: "middle",
    ...bold,
    ...alpha,
  });
}

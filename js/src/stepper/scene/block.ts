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
  const { rows, columns, fill, size } = look;
  const dim = look.hatch === "dim";
  const edge: Color = dim && fill ? hex(fill) : "edge";
  const stroke: Stroke = look.stroke ?? { color: edge, width: 1, ...(look.hatch ? { dash: PARTIAL_DASH } : {}) };
  const marks: Mark[] = [];
  const [w, h] = [box.w / Math.max(1, columns), box.h / Math.max(1, rows)];
  const place = (cell: number): Box => ({
    x: box.x + (cell % columns) * w,
    y: box.y + Math.floor(cell / columns) * h,
    w,
    h,
  });
  const pale = (cell: number) => (look.alpha ?? 1) * (look.paleAt?.(cell) ?? 1);
  const faded = (alpha: number) => (alpha < 1 ? { alpha } : {});
  marks.push({ kind: "rect", ...box, r: 2, fill: "bg" });
  const striped = look.hatch ? { hatch: true } : {};
  const ground = (color: Rgb, alpha: number) => ({
    fill: hex(color),
    ...striped,
    ...faded(dim ? 0.45 * alpha : alpha),
  });
  if (look.fillAt || look.paleAt) {
    for (let cell = 0; cell < rows * columns; cell++) {
      const own = look.fillAt?.(cell) ?? (look.fillAt ? null : fill);
      if (own) marks.push({ kind: "rect", ...place(cell), ...ground(own, pale(cell)) });
    }
  } else if (fill) marks.push({ kind: "rect", ...box, r: 2, ...ground(fill, look.alpha ?? 1) });
  if (w >= 6 && h >= 6 && rows * columns > 1) marks.push({ kind: "grid", ...box, rows, columns, color: "cell" });
  marks.push({ kind: "rect", ...box, r: 2, stroke, ...faded(look.alpha ?? 1) });
  for (let cell = 0; look.text && cell < rows * columns; cell++) {
    const text = look.text(cell);
    if (text === "") continue;
    const b = place(cell);
    const ink: Color = look.ink ?? (!dim && (look.fillAt ? look.fillAt(cell) : fill) ? "tile-ink" : "ink");
    const bold = cell === look.mark ? { weight: 700 } : {};
    // Ink stays readable where a ground fades.
    const alpha = faded(Math.max(0.72, pale(cell)));
    const rest = { mono: true, anchor: "middle", ...bold, ...alpha } as const;
    marks.push(label(b.x + b.w / 2, b.y + b.h / 2 + size * 0.36, text, size, ink, rest));
  }
  if (look.mark != null && look.mark < rows * columns) {
    const { x, y } = place(look.mark);
    const color: Color = dim || !fill ? "ink" : "tile-ink";
    marks.push({
      kind: "rect",
      x: x + 1,
      y: y + 1,
      w: Math.max(0, w - 2),
      h: Math.max(0, h - 2),
      r: 2,
      stroke: { color, width: 2 },
    });
  }
  return marks;
}

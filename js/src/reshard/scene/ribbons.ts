/** Ribbons between devices before and after: the block's colour inside, outside the axes along which it moves. */
import { hex, type Rgb } from "../../core/color";
import { axisStroke, type Box, type Mark, type Stroke } from "../../draw/marks";
import type { Moves, Piece, Region } from "../model/moves";

/** An array's pieces, and the devices that they leave and arrive at. */
interface Ends {
  readonly moves: Moves;
  readonly before: readonly Box[];
  readonly after: readonly Box[];
}

/** A ribbon for each piece, or those of the device `at`, as far as they are in a `phase` of the move. */
export function ribbons(
  { moves, before, after }: Ends,
  colors: (region: Region) => Rgb,
  at: number | null,
  phase: number | null,
): Mark[] {
  const thick = Math.max(2, Math.min(6, 40 / Math.max(1, most(moves))));
  const leaves = spread(moves.pieces, "source", before);
  const arrives = spread(moves.pieces, "target", after);
  const touches = ({ source, target }: Piece) =>
    at === null || moves.before.ids[source] === at || moves.after.ids[target] === at;
  // Those that stay lie under those that move.
  const order = moves.pieces
    .map((piece, i) => ({ piece, i }))
    .sort((a, b) => a.piece.axes.length - b.piece.axes.length);
  return order.flatMap(({ piece, i }): Mark[] => {
    const [from, to] = [before[piece.source], after[piece.target]];
    if (!from || !to || !touches(piece)) return [];
    const x0 = from.x + from.w + 5;
    const x1 = to.x - (piece.stays ? 5 : 11);
    const points = curve(x0, leaves[i] ?? from.y, x1, arrives[i] ?? to.y, phase ?? 1);
    return ribbon(points, thick, hex(colors(piece.region)), piece, phase === null || phase >= 1);
  });
}

function ribbon(
  points: readonly (readonly [number, number])[],
  thick: number,
  core: `#${string}`,
  { axes, stays }: Piece,
  arrived: boolean,
): Mark[] {
  const line = (width: number, stroke: Omit<Stroke, "width">): Mark => ({
    kind: "line",
    points,
    stroke: { ...stroke, width },
  });
  const moved: Omit<Stroke, "width">[] = axes.length > 0 ? axes.slice(0, 2).map((axis) => axisStroke(axis)) : [NO_AXIS];
  const inks = stays ? [] : moved;
  const marks: Mark[] = [line(thick + 3 * inks.length + 3, { color: "bg" })];
  inks.forEach((_, k) => {
    const outer = inks.length - k;
    marks.push(line(thick + 3 * outer, inks[outer - 1] ?? NO_AXIS));
  });
  marks.push(line(thick, { color: core }));
  const [x, y] = points.at(-1) ?? [0, 0];
  if (!stays && arrived) {
    const tip = [
      [x, y],
      [x + 5, y],
    ] as const;
    const ink = inks[0]?.color ?? "tick";
    marks.push({ kind: "line", points: tip, stroke: { color: ink, width: 1.2 }, arrow: true });
  }
  return marks;
}

/** What moves to devices that are not in the mesh before. */
const NO_AXIS = { color: "tick" } as const;

/** Points of a curve that leaves and arrives level, up to a part of it. */
function curve(x0: number, y0: number, x1: number, y1: number, part: number): (readonly [number, number])[] {
  const steps = 18;
  return Array.from({ length: steps + 1 }, (_, i) => {
    const t = (part * i) / steps;
    const s = 1 - t;
    const bend = (x1 - x0) * 0.42;
    const x = s ** 3 * x0 + 3 * s * s * t * (x0 + bend) + 3 * s * t * t * (x1 - bend) + t ** 3 * x1;
    return [x, (s ** 3 + 3 * s * s * t) * y0 + (3 * s * t * t + t ** 3) * y1] as const;
  });
}

/** The most pieces that one device sends or receives. */
function most({ pieces }: Moves): number {
  const counts = new Map<string, number>();
  for (const { source, target } of pieces)
    for (const key of [`s${source}`, `t${target}`]) counts.set(key, (counts.get(key) ?? 0) + 1);
  return Math.max(1, ...counts.values());
}

/** Of each piece the height at which its ribbon meets a device: those of one device beside one another, in order. */
function spread(pieces: readonly Piece[], end: "source" | "target", boxes: readonly Box[]): number[] {
  const other = end === "source" ? "target" : "source";
  const out: number[] = [];
  boxes.forEach((box, p) => {
    const own = pieces.map((piece, i) => ({ piece, i })).filter(({ piece }) => piece[end] === p);
    own.sort((a, b) => a.piece[other] - b.piece[other]);
    own.forEach(({ i }, k) => {
      out[i] = box.y + (box.h * (k + 1)) / (own.length + 1);
    });
  });
  return out;
}

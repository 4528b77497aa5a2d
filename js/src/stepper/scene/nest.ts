/** Rails at the left of a group that runs down: of its axis, or of each of several axes, the outermost first. */
import { product } from "../../core/mesh";
import { railDown, railRoom } from "../../draw/axes";
import type { Box, Mark } from "../../draw/marks";
import type { Ask } from "./ask";

/** Mesh axis along which the picked group runs, where it is one alone. */
export function along({ trace, c, group }: Ask): number | null {
  const axis = trace.mesh.axisOf(c.axes[0] ?? "");
  return c.axes.length === 1 && group.length === trace.mesh.meshShape[axis] && trace.mesh.axes.length > 0 ? axis : null;
}

/** Mesh axes of a group over several of them, the outermost first, with sizes and strides of its ranks; else null. */
export type Nest = readonly { axis: number; size: number; stride: number }[];

/** The axes of the picked group, where its ranks stand in their order; else null. */
export function nested({ trace, c, group }: Ask): Nest | null {
  const { mesh } = trace;
  const axes = c.axes.map((name) => mesh.axisOf(name));
  const sizes = axes.map((axis) => mesh.meshShape[axis] ?? 1);
  const nest = axes.map((axis, i) => ({ axis, size: sizes[i] ?? 1, stride: product(sizes.slice(i + 1)) }));
  if (axes.length < 2 || group.length !== product(sizes)) return null;
  const inOrder = (p: number, rank: number) =>
    nest.every(({ axis, size, stride }) => mesh.digits(p)[axis] === Math.floor(rank / stride) % size);
  return group.every(inOrder) ? nest : null;
}

/** Width of the rails of several axes. */
export function nestRoom({ trace }: Ask, nest: Nest): number {
  return nest.reduce((room, { axis }) => room + railRoom(trace.mesh, axis), -8 * Math.max(0, nest.length - 1));
}

/** Rails of several axes left of `x`: each beside those that it holds. */
export function nestMarks(ask: Ask, nest: Nest, x: number, rows: readonly Seat[]): Mark[] {
  const [first, last] = [rows[0]?.box, rows.at(-1)?.box];
  if (!first || !last) return [];
  const high = last.y + last.h - first.y;
  return nest.flatMap(({ axis, size, stride }, level) => {
    const at = x - nestRoom(ask, nest.slice(level + 1)) + (level + 1 < nest.length ? 8 : 0);
    const runs = runsOf(rows, (rank) => Math.floor(rank / (stride * size)));
    return runs.flatMap((run, i) => {
      const places = runsOf(run, (rank) => Math.floor(rank / stride)).map((some) => {
        const [top, bottom] = [some[0]?.box ?? first, some.at(-1)?.box ?? last];
        const places = new Set(some.flatMap(({ ranks }) => ranks.map((r) => Math.floor(r / stride) % size)));
        return [top.y, bottom.y + bottom.h - top.y, places.size === 1 ? String([...places][0]) : "…"] as const;
      });
      return railDown(ask.trace.mesh, axis, at, places, i === 0 ? [first.y, high] : null);
    });
  });
}

/** A tile's row, and the ranks that stand in it. */
export interface Seat {
  ranks: readonly number[];
  box: Box;
}

/** Rows under one another that are at one place. */
function runsOf(rows: readonly Seat[], place: (rank: number) => number): Seat[][] {
  const runs: Seat[][] = [];
  const of = ({ ranks }: Seat) => place(ranks[0] ?? 0);
  for (const row of rows) {
    const run = runs.at(-1);
    if (run?.[0] && of(run[0]) === of(row)) run.push(row);
    else runs.push([row]);
  }
  return runs;
}

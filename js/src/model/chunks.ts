/** Chunks of a block: which cell belongs to which, and what a cell holds while an algorithm runs. */
import type { Collective, Step, Variable } from "./document.gen";
import { product, unravel } from "./mesh";
import type { Held } from "./plan";
import type { Corner, TraceModel } from "./trace";

/** The chunk (of n) that a cell of a drawn block belongs to; rows hold all leading dimensions. */
export function chunkOf(shape: readonly number[], corner: readonly number[], axis: number, n: number) {
  const lead = corner.slice(0, -1);
  const size = product(shape);
  return (row: number, column: number): number => {
    const index = shape.length === 0 ? [] : [...unravel(row, lead), column];
    if (axis >= 0) return Math.min(n - 1, Math.floor(((index[axis] ?? 0) * n) / Math.max(1, shape[axis] ?? 1)));
    const flat = index.reduce((at, i, d) => at * (shape[d] ?? 1) + i, 0);
    // Chunk c starts at floor(c·size/n).
    let chunk = Math.floor((flat * n) / Math.max(1, size));
    while (chunk + 1 < n && Math.floor(((chunk + 1) * size) / n) <= flat) chunk++;
    return chunk;
  };
}

/** Which dimension of the received block says where a part came from: `chunk_axis`, but for all_to_all's own. */
export function receiveAxis(step: Step, c: Collective): number {
  if (c.kind !== "all_to_all") return c.chunk_axis;
  const own = step.params.find(([name]) => name === "concat_axis")?.[1];
  return own === undefined ? c.chunk_axis : Number(own);
}

/** Sums, greatest or least of a cell over some ranks, as text; marked while ranks are missing. */
export function combined(
  trace: TraceModel,
  c: Collective,
  input: Variable,
  group: readonly number[],
  parts: readonly number[],
): ((cell: number) => string) | null {
  const corner = trace.corner(input);
  if (!corner) return null;
  const more = parts.length < group.length ? "+" : "";
  return (cell) => {
    if (parts.length === 1) return corner.elements.text(corner.start(group[parts[0] ?? 0] ?? 0) + cell) + more;
    const values = parts.map((r) => corner.elements.number(corner.start(group[r] ?? 0) + cell));
    const value =
      c.kind === "pmax"
        ? Math.max(...values)
        : c.kind === "pmin"
          ? Math.min(...values)
          : values.reduce((a, b) => a + b, 0);
    return `${Number.isInteger(value) ? value : Number(value.toPrecision(5))}${more}`;
  };
}

/** The parts that a rank holds of a chunk at a round; of the whole block where it is not cut. */
export function partsAt(held: Held | undefined, rank: number, chunk: number): readonly number[] {
  const row = held?.[rank] ?? [];
  return row[row.length === 1 ? 0 : chunk] ?? [];
}

/** Number of cells of a corner. */
export function cells(corner: Corner): number {
  return product(corner.shape);
}

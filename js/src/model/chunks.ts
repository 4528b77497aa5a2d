/** Chunks of a block: which cell belongs to which, and what a cell holds while an algorithm runs. */
import type { Collective, Variable } from "./document.gen";
import { product, unravel } from "./mesh";
import type { Held } from "./plan";
import type { TraceModel } from "./trace";

/** The chunk (of n) that a cell belongs to; cells are numbered along the corner that travelled, row-major. */
export function chunkOf(shape: readonly number[], corner: readonly number[], axis: number, n: number) {
  const size = product(shape);
  return (cell: number): number => {
    const index = unravel(cell, corner);
    if (axis >= 0) return Math.min(n - 1, Math.floor(((index[axis] ?? 0) * n) / Math.max(1, shape[axis] ?? 1)));
    const flat = index.reduce((at, i, d) => at * (shape[d] ?? 1) + i, 0);
    // Chunk c starts at floor(c·size/n).
    let chunk = Math.floor((flat * n) / Math.max(1, size));
    while (chunk + 1 < n && Math.floor(((chunk + 1) * size) / n) <= flat) chunk++;
    return chunk;
  };
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
    const { combines } = c.semantics;
    const value = combines === "sum" ? values.reduce((a, b) => a + b, 0) : Math[combines || "max"](...values);
    return `${Number.isInteger(value) ? value : Number(value.toPrecision(5))}${more}`;
  };
}

/** The parts that a rank holds of a chunk at a round; of the whole block where it is not cut. */
export function partsAt(held: Held | undefined, rank: number, chunk: number): readonly number[] {
  const row = held?.[rank] ?? [];
  return row[row.length === 1 ? 0 : chunk] ?? [];
}

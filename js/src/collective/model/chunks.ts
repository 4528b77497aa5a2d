/** Chunks of a block: which cell belongs to which, and what a cell holds while an algorithm runs. */
import type { Collective } from "../../core/document.gen";
import { product, unravel } from "../../core/mesh";
import { type Value, wrapped } from "../../core/numbers";
import type { Elements } from "../../core/values";
import type { ChunksOfRanks } from "./plan";

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

/** Whether a chunk of a block that is cut into n has no element, because there are more chunks than elements. */
export function isEmpty(size: number, n: number, chunk: number): boolean {
  // Chunk c starts at floor(c·size/n).
  return ((chunk * size) % n) + size < n;
}

/** Sum, greatest or least of an element over some members of a group. */
export function combined(
  c: Collective,
  corner: Corner,
  members: readonly number[],
  element: number,
  dtype: string,
): Value {
  const values = members.map((p) => corner.elements.value(corner.start(p) + element));
  const first = values[0] ?? [0, 0];
  const { combines } = c.semantics;
  if (combines === "max" || combines === "min") {
    const pick = Math[combines];
    return values.reduce((a, b) => [pick(a[0], b[0]), 0] as const, first);
  }
  return values.slice(1).reduce((a, b) => [wrapped(a[0] + b[0], dtype), a[1] + b[1]] as const, first);
}

/** The parts that a rank holds of a chunk at a round; of the whole block where it is not split. */
export function partsAt(held: ChunksOfRanks | undefined, rank: number, chunk: number): readonly number[] {
  const row = held?.[rank] ?? [];
  return row[row.length === 1 ? 0 : chunk] ?? [];
}

/** The values of a variable that the document carries: the leading corner of each device's block. */
export interface Corner {
  shape: readonly number[];
  elements: Elements;
  /** First element of the block of the device at a position. */
  start: (position: number) => number;
  /** A value in words. */
  text: (index: number) => string;
  /** Whether the corner is the whole value. */
  whole: boolean;
}

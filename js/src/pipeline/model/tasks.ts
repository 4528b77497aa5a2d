/** The tasks of a pipeline schedule as columns: what each rank runs, in which order. */
import type { Order } from "../../core/document.gen";
import { unpack } from "../../core/ints";
import { DocumentError } from "../../core/wire";

/** Kinds of tasks, by their number: forward, whole backward, its input half, its weight half. */
export const KINDS = "FBIW";
export const [F, B, I, W] = [0, 1, 2, 3] as const;

/** Columns over all tasks, those of rank 0 first. Tasks of one unit start and end together. */
export interface Tasks {
  readonly size: number;
  readonly ranks: number;
  readonly stages: number;
  readonly microbatches: number;
  /** Where the tasks of each rank begin; one more entry ends the last. */
  readonly first: Int32Array;
  readonly rank: Int32Array;
  readonly stage: Int32Array;
  readonly kind: Uint8Array;
  readonly microbatch: Int32Array;
  readonly unit: Int32Array;
  /** The tick of each task, if ranks advance together; else empty. */
  readonly tick: Int32Array;
  readonly wasted: Uint8Array;
}

/** A task, and whether it runs as one with the task before it. */
export type Draft = readonly [stage: number, kind: number, microbatch: number, fused?: boolean];

export function tasksOf(ranks: readonly (readonly Draft[])[]): Tasks {
  const all = ranks.flat();
  return columns(
    Int32Array.from(ranks, (r) => r.length),
    Int32Array.from(all, (t) => t[0]),
    Int32Array.from(all, (t) => t[1]),
    Int32Array.from(all, (t) => t[2]),
    Int32Array.from(all, (t) => (t[3] ? 1 : 0)),
    new Int32Array(0),
    new Int32Array(0),
  );
}

/** @throws DocumentError the tasks are not those of ranks, stages and microbatches. */
export function decodeOrder(order: Order): Tasks {
  const [counts, stage, kind, microbatch, fused, tick, wasted] = [
    order.counts,
    order.stage,
    order.task_kind,
    order.microbatch,
    order.fused,
    order.tick,
    order.wasted,
  ].map(unpack) as [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array];
  const size = stage.length;
  const below = (values: Int32Array, end: number) => values.length === size && values.every((v) => v >= 0 && v < end);
  const given = [tick, wasted].every((column) => [0, size].includes(column.length));
  const tasks = counts.every((n) => n >= 0) && counts.reduce((a, n) => a + n, 0) === size;
  // A stage and a microbatch have a task each; of a few tasks, numbers may be left out.
  const most = Math.max(size, 2 ** 12);
  if (!(tasks && given && below(stage, most) && below(microbatch, most) && below(kind, 4) && below(fused, 2))) {
    throw new DocumentError("This document is damaged: its tasks are not those of a schedule. Make the view again.");
  }
  return columns(counts, stage, kind, microbatch, fused, tick, wasted);
}

function columns(
  counts: Int32Array,
  stage: Int32Array,
  kind: Int32Array,
  microbatch: Int32Array,
  fused: Int32Array,
  tick: Int32Array,
  wasted: Int32Array,
): Tasks {
  const size = stage.length;
  const first = new Int32Array(counts.length + 1);
  const rank = new Int32Array(size);
  counts.forEach((n, r) => {
    first[r + 1] = (first[r] ?? 0) + n;
    rank.fill(r, first[r], first[r + 1]);
  });
  const unit = new Int32Array(size);
  let units = -1;
  for (let t = 0; t < size; t++) {
    if (!fused[t]) units++;
    unit[t] = units;
  }
  return {
    size,
    ranks: counts.length,
    stages: most(stage) + 1,
    microbatches: most(microbatch) + 1,
    first,
    rank,
    stage,
    kind: Uint8Array.from(kind),
    microbatch,
    unit,
    tick,
    wasted: wasted.length > 0 ? Uint8Array.from(wasted) : new Uint8Array(size),
  };
}

/** `0F3`: stage, kind, microbatch. */
export function taskText(tasks: Tasks, t: number): string {
  return `${tasks.stage[t]}${KINDS[tasks.kind[t] ?? 0]}${tasks.microbatch[t]}`;
}

function most(values: Int32Array): number {
  let found = 0;
  for (const v of values) if (v > found) found = v;
  return found;
}

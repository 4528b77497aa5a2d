/** A reshard plan for a threshold: its chunks, and what a device of each group holds while each of them runs. */
import type { MovedArray, ReshardPlan } from "../../core/document.gen";
import { MeshModel } from "../../core/mesh";
import { items } from "../../core/table";
import { DocumentError, decodeDocument } from "../../core/wire";

export function decodeReshard(wire: unknown): ReshardPlan {
  const doc = decodeDocument(wire, "reshard", (plan) => {
    if (plan.axis !== "" && !plan.mesh.axes.some((a) => a.name === plan.axis))
      return `its mesh has no axis ${JSON.stringify(plan.axis)}`;
    return Array.isArray(plan.order) ? null : "it has no order";
  });
  const flows = items(doc.flows) as ReshardPlan["flows"];
  if (!flows.every(({ source, target }) => Number.isInteger(source) && Number.isInteger(target))) {
    throw new DocumentError("This document is damaged: data moves between no devices. Make the view again.");
  }
  return { ...doc, arrays: items(doc.arrays) as MovedArray[], flows };
}

/** Groups side by side that keep the same arrays, drawn as one. */
export interface Fold {
  readonly first: number;
  readonly count: number;
}

/** What a device of a group holds while a chunk runs, in bytes. */
export interface HeldBytes {
  /** Arrays that have not moved yet, as they were: those of the chunk too. */
  readonly waiting: number;
  /** Arrays of earlier chunks, as they are to be. */
  readonly kept: number;
  /** What the chunk makes here to be kept. */
  readonly made: number;
  /** What the chunk makes here only to be freed: blocks that another group keeps, and zeros. */
  readonly freed: number;
  readonly total: number;
}

export class PlanModel extends MeshModel {
  /** The plan's axis in the mesh, which chooses its ink; -1 of `device_put`. */
  readonly axis: number;
  readonly groups: number;
  readonly threshold: number;
  /** Of each array what it counts against the threshold, and what its chunk adds on a device, the most of all groups. */
  readonly weights: readonly number[];
  readonly adds: readonly number[];
  readonly folds: readonly Fold[];
  /** Where each chunk begins in the order; one more entry ends the last. */
  readonly starts: readonly number[];
  /** Of each group the most that one of its devices holds, and the chunk during which it does. */
  readonly peaks: readonly number[];
  readonly peakChunks: readonly number[];
  readonly peak: { readonly bytes: number; readonly group: number; readonly chunk: number };

  /** Over chunks × groups. */
  readonly #waiting: Float64Array;
  readonly #kept: Float64Array;
  readonly #made: Float64Array;
  readonly #freed: Float64Array;

  constructor(
    readonly doc: ReshardPlan,
    threshold: number | null = null,
  ) {
    super(doc.mesh);
    this.groups = doc.mesh.axes.find((a) => a.name === doc.axis)?.size ?? 1;
    this.axis = doc.axis === "" ? -1 : this.axisOf(doc.axis);
    this.threshold = threshold ?? doc.threshold;
    this.weights = doc.arrays.map((a) => a.source_bytes * this.groups);
    const zeros = doc.direction === "mpmd_to_spmd" && this.groups > 1;
    this.adds = doc.arrays.map((a) => a.target_bytes + (zeros ? a.source_bytes : 0));
    this.folds = foldsOf(doc, this.groups);
    const single = doc.direction === "device_put";
    this.starts = single ? [0, doc.order.length] : startsOf(doc.order, this.weights, this.threshold);
    const size = this.chunks * this.groups;
    this.#waiting = new Float64Array(size);
    this.#kept = new Float64Array(size);
    this.#made = new Float64Array(size);
    this.#freed = new Float64Array(size);
    if (single) this.#put();
    else this.#run();
    const peaks = new Array<number>(this.groups).fill(0);
    const peakChunks = new Array<number>(this.groups).fill(0);
    for (let k = 0; k < this.chunks; k++) {
      for (let g = 0; g < this.groups; g++) {
        const total = this.total(k, g);
        if (total > (peaks[g] ?? 0)) {
          peaks[g] = total;
          peakChunks[g] = k;
        }
      }
    }
    const most = Math.max(0, ...peaks);
    const group = Math.max(0, peaks.indexOf(most));
    [this.peaks, this.peakChunks] = [peaks, peakChunks];
    this.peak = { bytes: most, group, chunk: peakChunks[group] ?? 0 };
  }

  get chunks(): number {
    return this.starts.length - 1;
  }

  /** Indices of a chunk's arrays, in the order in which they move. */
  arraysOf(chunk: number): readonly number[] {
    return this.doc.order.slice(this.starts[chunk], this.starts[chunk + 1]);
  }

  held(chunk: number, group: number): HeldBytes {
    const at = chunk * this.groups + group;
    return {
      waiting: this.#waiting[at] ?? 0,
      kept: this.#kept[at] ?? 0,
      made: this.#made[at] ?? 0,
      freed: this.#freed[at] ?? 0,
      total: this.total(chunk, group),
    };
  }

  total(chunk: number, group: number): number {
    const at = chunk * this.groups + group;
    return (this.#waiting[at] ?? 0) + (this.#kept[at] ?? 0) + (this.#made[at] ?? 0) + (this.#freed[at] ?? 0);
  }

  /** What the fullest device holds during a chunk. */
  most(chunk: number): number {
    let found = 0;
    for (let g = 0; g < this.groups; g++) found = Math.max(found, this.total(chunk, g));
    return found;
  }

  chunkBytes(chunk: number): number {
    return this.arraysOf(chunk).reduce((sum, i) => sum + (this.adds[i] ?? 0), 0);
  }

  chunkWeight(chunk: number): number {
    return this.arraysOf(chunk).reduce((sum, i) => sum + (this.weights[i] ?? 0), 0);
  }

  /** Whether an array weighs more than it adds on a device, so that chunks take fewer arrays than would fit. */
  overweight(array: number): boolean {
    return this.doc.direction !== "device_put" && (this.weights[array] ?? 0) > (this.adds[array] ?? 0);
  }

  /** Bytes of an array on all devices that are made only to be freed. */
  freedOf(array: MovedArray): number {
    const size = this.size / this.groups;
    switch (this.doc.direction) {
      case "spmd_to_mpmd":
        return size * array.target_bytes * (this.groups - array.groups.length);
      case "mpmd_to_spmd":
        return size * array.source_bytes * (this.groups - 1);
      default:
        return 0;
    }
  }

  /** The same of all arrays. */
  /** Where a device makes most that is freed again: the group and the chunk. */
  get mostFreed(): { readonly group: number; readonly chunk: number } {
    const at = this.#freed.indexOf(this.#freed.reduce((a, b) => Math.max(a, b), 0));
    return { group: at % this.groups, chunk: Math.floor(at / this.groups) };
  }

  get freedBytes(): number {
    return this.doc.arrays.reduce((sum, array) => sum + this.freedOf(array), 0);
  }

  /** The fold that a group is in. */
  foldOf(group: number): number {
    return this.folds.findIndex(({ first, count }) => group >= first && group < first + count);
  }

  #run(): void {
    const { arrays, direction } = this.doc;
    const leaving = direction === "spmd_to_mpmd";
    const every = Array.from({ length: this.groups }, (_, g) => g);
    const waiting = new Float64Array(this.groups);
    const kept = new Float64Array(this.groups);
    for (const a of arrays) for (const g of leaving ? every : a.groups) waiting[g] = (waiting[g] ?? 0) + a.source_bytes;
    for (let k = 0; k < this.chunks; k++) {
      const from = k * this.groups;
      this.#waiting.set(waiting, from);
      this.#kept.set(kept, from);
      const made = this.#made.subarray(from, from + this.groups);
      const freed = this.#freed.subarray(from, from + this.groups);
      for (const i of this.arraysOf(k)) {
        const a = arrays[i] as MovedArray;
        if (leaving) {
          for (const g of a.groups) made[g] = (made[g] ?? 0) + a.target_bytes;
          // All make it: what the keepers do not free is taken off again.
          for (let g = 0; g < this.groups; g++) freed[g] = (freed[g] ?? 0) + a.target_bytes;
          for (const g of a.groups) freed[g] = (freed[g] ?? 0) - a.target_bytes;
        } else {
          for (let g = 0; g < this.groups; g++) {
            made[g] = (made[g] ?? 0) + a.target_bytes;
            if (g !== a.groups[0]) freed[g] = (freed[g] ?? 0) + a.source_bytes;
          }
        }
        // The copies of groups that do not give an array stay until the user lets go of it.
        for (const g of leaving ? every : a.groups.slice(0, 1)) waiting[g] = (waiting[g] ?? 0) - a.source_bytes;
        for (const g of leaving ? a.groups : every) kept[g] = (kept[g] ?? 0) + a.target_bytes;
      }
    }
  }

  /** One array moves: a device holds both layouts, where it has both; else the larger one. */
  #put(): void {
    const [array] = this.doc.arrays;
    if (!array) return;
    const after = this.doc.target_mesh ? new Set(new MeshModel(this.doc.target_mesh).ids) : null;
    const both = !after || this.ids.some((id) => after.has(id));
    const [before, then] = [array.source_bytes, array.target_bytes];
    this.#waiting[0] = both || before >= then ? before : 0;
    this.#made[0] = both || before < then ? then : 0;
  }
}

/** Chunks by the greedy rule: arrays in order, as many as weigh no more than the threshold together. */
export function startsOf(order: readonly number[], weights: readonly number[], threshold: number): number[] {
  const starts: number[] = [];
  let sum = 0;
  order.forEach((array, at) => {
    const weight = weights[array] ?? 0;
    if (starts.length === 0 || sum + weight > threshold) {
      starts.push(at);
      sum = 0;
    }
    sum += weight;
  });
  return [...starts, order.length];
}

/** Groups side by side of which each array is in all or in none: they hold the same at every moment. */
function foldsOf({ arrays, direction }: ReshardPlan, groups: number): Fold[] {
  const begins = new Uint8Array(groups + 1);
  begins[0] = 1;
  for (const a of arrays) {
    const has = new Set(a.groups);
    for (const g of a.groups) {
      if (!has.has(g - 1)) begins[g] = 1;
      if (!has.has(g + 1)) begins[g + 1] = 1;
    }
    // The group that gives an array has no zeros of it.
    const giver = direction === "mpmd_to_spmd" ? a.groups[0] : undefined;
    if (giver !== undefined) {
      begins[giver] = 1;
      begins[giver + 1] = 1;
    }
  }
  const firsts = [...begins.subarray(0, groups)].flatMap((b, g) => (b ? [g] : []));
  return firsts.map((first, i) => ({ first, count: (firsts[i + 1] ?? groups) - first }));
}

/** Thresholds on a slider, 0 to 1: from each array alone to all together, in equal ratios. */
export class ThresholdScale {
  readonly #low: number;
  readonly #high: number;

  constructor({ weights }: PlanModel) {
    const some = weights.filter((w) => w > 0);
    this.#low = Math.max(1, Math.min(...some, Number.MAX_SAFE_INTEGER));
    this.#high = Math.max(
      this.#low,
      some.reduce((sum, w) => sum + w, 0),
    );
  }

  /** Whether any threshold makes other chunks than another. */
  get slides(): boolean {
    return this.#high > this.#low && this.#low < Number.MAX_SAFE_INTEGER;
  }

  threshold(place: number): number {
    return Math.round(this.#low * (this.#high / this.#low) ** place);
  }

  place(threshold: number): number {
    const place = Math.log(threshold / this.#low) / Math.log(this.#high / this.#low);
    return Math.max(0, Math.min(1, place));
  }
}

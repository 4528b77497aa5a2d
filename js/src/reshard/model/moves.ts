/** Who sends what to whom: the pieces of one array that devices lack, each from the nearest device that has it. */
import type { MovedArray, Placement } from "../../core/document.gen";
import { MeshModel, product } from "../../core/mesh";
import { PlacementModel } from "../../core/placement";
import type { PlanModel } from "./reshard";

/** A half-open range of indices along each dimension. */
export type Region = readonly (readonly [from: number, to: number])[];

/** A piece of the array that a device is to hold, and where it is before. */
export interface Piece {
  /** Positions in the meshes before and after. */
  readonly source: number;
  readonly target: number;
  readonly region: Region;
  readonly bytes: number;
  /** Mesh axes along which it moves, in mesh order; empty where it stays. */
  readonly axes: readonly number[];
  /** Whether it is on the same device before. */
  readonly stays: boolean;
}

/** How one array moves, device by device. */
export interface Moves {
  readonly array: MovedArray;
  readonly before: PlacementModel;
  readonly after: PlacementModel;
  /** Which devices hold the array before, and are to hold it, by position. */
  readonly has: readonly boolean[];
  readonly keeps: readonly boolean[];
  readonly pieces: readonly Piece[];
}

/** More devices are not drawn one by one. */
const MOST_DEVICES = 16;

/** Whether pieces are found one by one. */
export function hasMoves({ size, doc }: PlanModel): boolean {
  const after = doc.target_mesh ? new MeshModel(doc.target_mesh).size : size;
  return size <= MOST_DEVICES && after <= MOST_DEVICES && doc.arrays.length > 0;
}

/**
 * The nearest device is the device itself, then the one whose mesh coordinates differ on the fewest axes, then the
 * first, as in `read/_reshard/needs.py`.
 */
export function movesOf(model: PlanModel, index: number): Moves {
  const { doc } = model;
  const array = doc.arrays[index] as MovedArray;
  const before = placementOf(model, array, false);
  const after = placementOf(model, array, true);
  const group = (position: number) => model.digits(position)[model.axis] ?? 0;
  const inGroup = (of: PlacementModel, only: boolean) =>
    Array.from({ length: of.size }, (_, p) => !only || array.groups.includes(group(p)));
  const has = inGroup(before, doc.direction === "mpmd_to_spmd");
  const keeps = inGroup(after, doc.direction === "spmd_to_mpmd");
  const item = array.source_bytes / Math.max(1, product(before.tileShape(before.tileAt[0] ?? 0)));
  const own = new Map([...before.ids].map((id, p) => [id, p]));
  const pieces: Piece[] = [];
  for (let target = 0; target < after.size; target++) {
    if (!keeps[target]) continue;
    const wanted = regionOf(after, after.tileAt[target] ?? 0);
    const self = own.get(after.ids[target] ?? -1);
    const here = self === undefined ? null : before.digits(self);
    for (let tile = 0; tile < before.tiles; tile++) {
      const region = common(regionOf(before, tile), wanted);
      if (!region) continue;
      const holders = before.holders(tile).filter((p) => has[p]);
      const far = (p: number) => (here ? before.digits(p).filter((d, i) => d !== here[i]).length : 0);
      const source = holders.reduce((best, p) => (far(p) < far(best) ? p : best), holders[0] ?? -1);
      if (source < 0) continue;
      const there = before.digits(source);
      pieces.push({
        source,
        target,
        region,
        bytes: item * product(region.map(([a, b]) => b - a)),
        axes: here && before.axes.length > 0 ? there.flatMap((d, i) => (d === here[i] ? [] : [i])) : [],
        stays: source === self,
      });
    }
  }
  return { array, before, after, has, keeps, pieces };
}

/** What ribbons there are: the axes along which any piece moves, in mesh order, and whether any stays. */
export interface Ribbons {
  readonly axes: readonly number[];
  readonly stays: boolean;
}

export function ribbonsOf(all: readonly Moves[]): Ribbons {
  const pieces = all.flatMap((moves) => moves.pieces);
  const axes = [...new Set(pieces.flatMap((piece) => piece.axes))].sort((a, b) => a - b);
  return { axes, stays: pieces.some((piece) => piece.stays) };
}

/** Bytes that move, by the mesh axes along which they do, those of few axes first. */
export function movedBytes(all: readonly Moves[]): (readonly [axes: readonly number[], bytes: number])[] {
  const sums = new Map<string, [readonly number[], number]>();
  for (const { pieces } of all) {
    for (const { axes, bytes, stays } of pieces) {
      if (stays) continue;
      const sum = sums.get(axes.join()) ?? [axes, 0];
      sum[1] += bytes;
      sums.set(axes.join(), sum);
    }
  }
  return [...sums].sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1)).map(([, sum]) => sum);
}

export function regionOf(model: PlacementModel, tile: number): Region {
  return model.parts(tile).map((part, d) => model.bounds(d, part));
}

function common(a: Region, b: Region): Region | null {
  const both = a.map(([from, to], d) => [Math.max(from, b[d]?.[0] ?? 0), Math.min(to, b[d]?.[1] ?? 0)] as const);
  return both.every(([from, to]) => to > from) ? both : null;
}

function placementOf({ doc, mesh }: PlanModel, array: MovedArray, after: boolean): PlacementModel {
  return new PlacementModel({
    mesh: (after && doc.target_mesh) || mesh,
    shape: array.shape,
    dims: after ? array.target_dims : array.source_dims,
    dtype: array.dtype,
    bits: 8,
    type: "",
    reduced: [],
    unreduced: [],
    values: null,
  } as unknown as Placement);
}

import type { Cut, Placement } from "./document.gen";
import { unpack } from "./ints";
import { MeshModel, product, unravel } from "./mesh";
import { decodeDocument } from "./wire";

/** A placement as it came over the wire. */
export function decodePlacement(wire: unknown): Placement {
  return decodeDocument(wire, "placement", flaw);
}

/** A tile: the index of its part along each dimension of the array. */
export type Tile = readonly number[];

type TileHeld = readonly [devices: number, bytes: number];

/** The arithmetic of a placement: which tile the device at each mesh position holds, and where that tile lies. */
export class PlacementModel extends MeshModel {
  readonly rank: number;
  /** Number of parts along each dimension. */
  readonly grid: readonly number[];
  /** Number of tiles in the grid. */
  readonly tiles: number;
  /** Flat index in the grid of the tile that each position holds. */
  readonly tileAt: Int32Array;

  #counted?: readonly TileHeld[];
  readonly #cuts: readonly (readonly [Int32Array, Int32Array] | null)[];

  constructor(readonly doc: Placement) {
    super(doc.mesh);
    const { dims } = doc;
    this.rank = dims.length;
    this.#cuts = dims.map((d) => d.cut && cutBounds(d.cut));
    this.grid = dims.map((d, i) => this.#cuts[i]?.[0].length ?? product(d.axes.map((a) => this.axisSize(a))));
    this.tiles = product(this.grid);
    this.tileAt = this.#holdings();
  }

  /** Whether values can be shown: the device is of this process, or they came with the document. */
  override addressable(position: number): boolean {
    return super.addressable(position) || !!this.doc.values?.blocks.some((b) => b.device_id === this.ids[position]);
  }

  /** First index and one past the last of a part of a dimension. */
  bounds(dim: number, part: number): readonly [number, number] {
    const cut = this.#cuts[dim];
    if (cut) return [cut[0][part] ?? 0, cut[1][part] ?? 0];
    const block = (this.doc.dims[dim]?.size ?? 0) / (this.grid[dim] ?? 1);
    return [part * block, (part + 1) * block];
  }

  parts(tile: number): number[] {
    return unravel(tile, this.grid);
  }

  tileIndex(parts: Tile): number {
    return parts.reduce((index, part, d) => index * (this.grid[d] ?? 1) + part, 0);
  }

  /** Shape of a tile. */
  tileShape(tile: number): number[] {
    return this.parts(tile).map((part, d) => {
      const [a, b] = this.bounds(d, part);
      return b - a;
    });
  }

  /** Positions of the devices that hold a tile. */
  holders(tile: number): number[] {
    const out: number[] = [];
    for (let p = 0; p < this.size; p++) if (this.tileAt[p] === tile) out.push(p);
    return out;
  }

  /** What the devices along an axis have of each other's data; null where they hold different blocks. */
  link(axis: number): "replicated" | "unreduced" | "reduced" | null {
    const a = this.axes[axis];
    if (!a || a.size < 2 || this.doc.shape === null) return null;
    if (this.doc.unreduced.includes(a.name)) return "unreduced";
    if (this.doc.dims.some((d) => d.axes.includes(a.name))) return null;
    return this.doc.reduced.includes(a.name) ? "reduced" : "replicated";
  }

  /** Devices that hold each tile's same data: tiles × partials × copies = devices. */
  get copies(): number {
    return this.#held.reduce((most, [n]) => Math.max(most, n), 0) / this.partials;
  }

  /** Devices whose partial sums make one tile. */
  get partials(): number {
    return product(this.doc.unreduced.map((a) => this.axisSize(a)));
  }

  /** Bytes of a tile. */
  tileBytes(tile: number): number {
    return Math.ceil((product(this.tileShape(tile)) * this.doc.bits) / 8);
  }

  /** Bytes of the whole array, held once. */
  get bytes(): number {
    return Math.ceil((product(this.doc.shape ?? [0]) * this.doc.bits) / 8);
  }

  /** Bytes of the largest shard. */
  get bytesPerDevice(): number {
    return this.#held.reduce((most, [, bytes]) => Math.max(most, bytes), 0);
  }

  /** Bytes held on all devices beyond one copy of each tile (each partial sum). */
  get wasted(): number {
    return this.#held.reduce((sum, [n, bytes]) => sum + (n - this.partials) * bytes, 0);
  }

  /** Of each tile that a device holds: how many do, and its bytes. */
  get #held(): readonly TileHeld[] {
    if (!this.#counted) {
      const counts = new Map<number, number>();
      for (const tile of this.tileAt) counts.set(tile, (counts.get(tile) ?? 0) + 1);
      this.#counted = Array.from(counts, ([tile, n]) => [n, this.tileBytes(tile)]);
    }
    return this.#counted;
  }

  #holdings(): Int32Array {
    const { dims } = this.doc;
    const out = new Int32Array(this.size);
    const shape = this.meshShape;
    const parts = dims.map((d) => (d.cut ? unpack(d.cut.part) : null));
    const axes = dims.map((d) => d.axes.map((a) => this.axisOf(a)));
    for (let p = 0; p < this.size; p++) {
      const digits = unravel(p, shape);
      const along = (part: number, a: number) => part * (shape[a] ?? 1) + (digits[a] ?? 0);
      out[p] = this.tileIndex(axes.map((of, d) => of.reduce(along, parts[d]?.[p] ?? 0)));
    }
    return out;
  }
}

function cutBounds(cut: Cut): readonly [Int32Array, Int32Array] {
  return [unpack(cut.starts), unpack(cut.stops)];
}

function flaw(doc: Placement): string | null {
  if (!Array.isArray(doc.dims)) return "it has no dimensions";
  if (doc.shape !== null && !(Array.isArray(doc.shape) && doc.shape.join() === doc.dims.map((d) => d.size).join())) {
    return "its shape does not match its dimensions";
  }
  const names = new Set(doc.mesh.axes.map((a) => a.name));
  const missing = doc.dims.flatMap((d) => d.axes).find((a) => !names.has(a));
  return missing === undefined ? null : `it names the axis ${JSON.stringify(missing)}, not one of the mesh`;
}

/** Values of one device's shard, as sampled by the reader. */
import type { Block, Values } from "./document.gen";
import { bytesOf } from "./ints";
import { product } from "./mesh";

export interface ValueRange {
  low: number;
  high: number;
}

/** Numbers of a wire buffer, in one of the element formats. */
export class Elements {
  readonly #width: number;

  readonly data: DataView;

  constructor(
    readonly format: Block["format"],
    data: DataView,
  ) {
    this.data = bytesOf(data);
    this.#width = BYTES[format];
  }

  get length(): number {
    return this.data.byteLength / this.#width;
  }
  /** A number to colour by: the magnitude of a complex value. */
  number(index: number): number {
    const at = index * this.#width;
    const d = this.data;
    switch (this.format) {
      case "f4":
        return d.getFloat32(at, true);
      case "f8":
        return d.getFloat64(at, true);
      case "i4":
        return d.getInt32(at, true);
      case "u4":
        return d.getUint32(at, true);
      case "i8":
        return Number(d.getBigInt64(at, true));
      case "u8":
        return Number(d.getBigUint64(at, true));
      case "b1":
        return d.getUint8(at);
      case "c8":
        return Math.hypot(d.getFloat32(at, true), d.getFloat32(at + 4, true));
      case "c16":
        return Math.hypot(d.getFloat64(at, true), d.getFloat64(at + 8, true));
    }
  }

  /** The value as text, exact for integers. */
  text(index: number): string {
    const at = index * this.#width;
    const d = this.data;
    switch (this.format) {
      case "i4":
      case "u4":
        return String(this.number(index));
      case "i8":
        return d.getBigInt64(at, true).toString();
      case "u8":
        return d.getBigUint64(at, true).toString();
      case "b1":
        return d.getUint8(at) ? "True" : "False";
      case "c8":
        return complex(d.getFloat32(at, true), d.getFloat32(at + 4, true));
      case "c16":
        return complex(d.getFloat64(at, true), d.getFloat64(at + 8, true));
      case "f4":
        return short(d.getFloat32(at, true));
      default:
        return short(this.number(index));
    }
  }
}

export class BlockView extends Elements {
  constructor(readonly block: Block) {
    super(block.format, block.data);
  }

  /** Middle of the range of what was read, to colour the tile as a whole. */
  get middle(): number {
    return (this.block.low + this.block.high) / 2;
  }

  /**
   * The 2-D plane of the sample along two dimensions, the others fixed at element offsets into the shard.
   *
   * `at(i, j)` is the index of a sampled element; a dimension that is null has one row or column.
   */
  plane(rowDim: number | null, columnDim: number | null, fixed: readonly number[]) {
    const { shape, steps } = this.block;
    const strides = shape.map((_, d) => product(shape.slice(d + 1)));
    let base = 0;
    shape.forEach((n, d) => {
      if (d !== rowDim && d !== columnDim) {
        base += Math.min(n - 1, Math.floor((fixed[d] ?? 0) / (steps[d] ?? 1))) * (strides[d] ?? 0);
      }
    });
    const stride = (dim: number | null) => (dim === null ? 0 : (strides[dim] ?? 0));
    const empty = product(shape) === 0;
    return {
      rows: empty ? 0 : rowDim === null ? 1 : (shape[rowDim] ?? 0),
      columns: empty ? 0 : columnDim === null ? 1 : (shape[columnDim] ?? 0),
      at: (i: number, j: number) => base + i * stride(rowDim) + j * stride(columnDim),
    };
  }
}

/** Blocks by device id. */
export function blocksByDevice(values: Values | null): ReadonlyMap<number, BlockView> {
  return new Map((values?.blocks ?? []).map((b) => [b.device_id, new BlockView(b)]));
}

/** Range over all blocks that have a finite value. */
export function rangeOf(blocks: Iterable<BlockView>): ValueRange {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { block } of blocks) {
    if (block.low_text === "") continue;
    low = Math.min(low, block.low);
    high = Math.max(high, block.high);
  }
  return low <= high ? { low, high } : { low: 0, high: 0 };
}

const BYTES: Readonly<Record<Block["format"], number>> = {
  f4: 4,
  f8: 8,
  i4: 4,
  u4: 4,
  i8: 8,
  u8: 8,
  b1: 1,
  c8: 8,
  c16: 16,
};

function short(v: number): string {
  if (Number.isNaN(v)) return "nan";
  if (!Number.isFinite(v)) return v > 0 ? "inf" : "-inf";
  return Number.isInteger(v) && Math.abs(v) < 1e7 ? String(v) : String(Number(v.toPrecision(5)));
}

function complex(re: number, im: number): string {
  return `${short(re)}${im < 0 || Object.is(im, -0) ? "-" : "+"}${short(Math.abs(im))}i`;
}

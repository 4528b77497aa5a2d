/** Values of one device's shard, as sampled by the reader. */
import type { Block, Values } from "./document.gen";
import { bytesOf } from "./ints";
import { product } from "./mesh";
import type { Value } from "./numbers";

export interface ValueRange {
  low: number;
  high: number;
  /** How its numbers are written: as multiples of ten to this power. */
  power: number;
  write: (v: number) => string;
}

/** Numbers of a wire buffer, in one of the element formats. */
export class Elements {
  /** Two numbers per value where they are complex. */
  readonly #numbers: ArrayLike<number | bigint>;
  readonly complex: boolean;

  constructor(
    readonly format: Block["format"],
    data: DataView,
  ) {
    const { buffer, byteOffset, byteLength } = bytesOf(data);
    // A copy: the buffers that hosts hand over may be unaligned. All of them run on little-endian machines.
    this.#numbers = new ARRAYS[format](buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
    this.complex = format[0] === "c";
  }

  get length(): number {
    return this.#numbers.length / (this.complex ? 2 : 1);
  }

  /** A number to colour by: the magnitude of a complex value. */
  number(index: number): number {
    return this.complex ? Math.hypot(...this.#parts(index)) : Number(this.#numbers[index]);
  }

  /** Real and imaginary part of a number. */
  value(index: number): Value {
    return this.complex ? this.#parts(index) : [this.number(index), 0];
  }

  /** The value as text: as `write` writes numbers, else exact for integers. */
  text(index: number, write = short): string {
    if (this.complex) {
      const [re, im] = this.#parts(index);
      return `${write(re)}${im < 0 || Object.is(im, -0) ? "-" : "+"}${write(Math.abs(im))}i`;
    }
    const value = this.#numbers[index] ?? 0;
    if (this.format === "b1") return value ? "True" : "False";
    return write === short && this.format[0] !== "f" ? String(value) : write(Number(value));
  }

  #parts(index: number): [number, number] {
    return [Number(this.#numbers[2 * index]), Number(this.#numbers[2 * index + 1])];
  }
}

export class BlockView extends Elements {
  constructor(readonly block: Block) {
    super(block.format, block.data);
  }

  /** The median of what was read, to colour the tile as a whole: NaN where nothing is finite. */
  get middle(): number {
    const all = sorted([this]);
    return all[all.length >> 1] ?? Number.NaN;
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

/**
 * The range of finite elements to colour by. What lies further out than the middle 96 % are wide is an outlier: it does
 * not take the colours from all others. Of few elements, the first and the last may be such.
 */
export function rangeOf(blocks: Iterable<BlockView>): ValueRange {
  const all = sorted(blocks);
  const last = all.length - 1;
  const cut = last < FEW ? 0 : Math.ceil(0.02 * last);
  const at = (index: number) => all[index] ?? 0;
  const [low, high] = [at(cut), at(last - cut)];
  const reach = high - low || Number.POSITIVE_INFINITY;
  const range = { low: Math.max(at(0), low - reach), high: Math.min(at(last), high + reach) };
  const whole = all.every((v) => v % 1 === 0);
  return { ...range, ...formatOf(Math.max(-range.low, range.high), whole) };
}

/**
 * How numbers in a range are written: as multiples of a power of ten, with three significant digits of the greatest;
 * whole ones of few digits as they are.
 */
function formatOf(most: number, whole: boolean): Pick<ValueRange, "power" | "write"> {
  const magnitude = Math.floor(Math.log10(most || 1));
  const power = magnitude > -4 && magnitude < 5 ? 0 : magnitude;
  const decimals = whole && power === 0 ? 0 : Math.max(0, 2 + power - magnitude);
  const write = (v: number) => {
    const scaled = v / 10 ** power;
    const text = scaled.toFixed(decimals);
    if (!Number.isFinite(v)) return short(v);
    // A number that would be written as 0 shows at least its order of magnitude; an outlier three digits.
    if (v !== 0 && Number(text) === 0) return scaled.toExponential(0);
    return text.length > 7 && Math.abs(v) > most ? scaled.toExponential(2).replace("+", "") : text;
  };
  return { power, write };
}

/** Of so few elements none is an outlier. */
const FEW = 6;

/** Finite elements, in order. */
function sorted(blocks: Iterable<BlockView>): Float64Array {
  const numbers = [...blocks].flatMap((block) => Array.from({ length: block.length }, (_, i) => block.number(i)));
  return Float64Array.from(numbers.filter(Number.isFinite)).sort();
}

const ARRAYS = {
  f4: Float32Array,
  f8: Float64Array,
  i4: Int32Array,
  u4: Uint32Array,
  i8: BigInt64Array,
  u8: BigUint64Array,
  b1: Uint8Array,
  c8: Float32Array,
  c16: Float64Array,
} as const;

/** A number in five digits at most. */
export function short(v: number): string {
  if (Number.isNaN(v)) return "nan";
  if (!Number.isFinite(v)) return v > 0 ? "inf" : "-inf";
  return Number.isInteger(v) && Math.abs(v) < 1e7 ? String(v) : String(Number(v.toPrecision(5)));
}

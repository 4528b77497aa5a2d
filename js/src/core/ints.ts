import type { Ints } from "./document.gen";

/** Whether a leaf of a wire document holds bytes: hosts hand over DataViews, arrays of bytes or buffers. */
export function isBytes(leaf: unknown): leaf is ArrayBufferView<ArrayBuffer> | ArrayBuffer {
  return leaf instanceof ArrayBuffer || ArrayBuffer.isView(leaf);
}

/** The bytes of a leaf, in whatever form the host gave them. */
export function bytesOf(leaf: ArrayBufferView | ArrayBuffer): DataView {
  return ArrayBuffer.isView(leaf) ? new DataView(leaf.buffer, leaf.byteOffset, leaf.byteLength) : new DataView(leaf);
}

/** The most integers that are packed, and devices of a mesh. */
export const MOST_PACKED = 2 ** 22;

/** Expands packed integers: a nested count (start + Σ digit·stride) or raw little-endian ones. */
export function unpack(ints: Ints): Int32Array {
  const size = ints.shape.reduce((a, b) => a * b, 1);
  const out = new Int32Array(size);
  const raw = bytesOf(ints.raw);
  const bytes = ints.raw_bytes;
  if (raw.byteLength > 0) {
    for (let i = 0; i < size; i++) {
      out[i] = bytes === 1 ? raw.getUint8(i) : bytes === 2 ? raw.getUint16(2 * i, true) : raw.getInt32(4 * i, true);
    }
    return out;
  }
  for (let i = 0; i < size; i++) {
    let rest = i;
    let value = ints.start;
    for (let k = ints.shape.length - 1; k >= 0; k--) {
      const radix = ints.shape[k] ?? 1;
      value += (rest % radix) * (ints.strides[k] ?? 0);
      rest = Math.floor(rest / radix);
    }
    out[i] = value;
  }
  return out;
}

/** Documents made by hand, in the words of a test. */
import type { Block, Cut, Dim, Ints, Mesh, MeshAxis, Placement, Values } from "../src/core/document.gen";

const NOTHING = new DataView(new ArrayBuffer(0));

/** Integers 0 … n - 1 as the reader packs them. */
export function counting(n: number): Ints {
  return { start: 0, shape: [n], strides: [1], raw: NOTHING, raw_bytes: 4 };
}

/** Integers that follow no pattern. */
export function raw(values: readonly number[]): Ints {
  const data = Int32Array.from(values);
  return { start: 0, shape: [values.length], strides: [0], raw: new DataView(data.buffer), raw_bytes: 4 };
}

/** A mesh of Explicit axes, by name and size, with devices numbered in order. */
export function mesh(axes: Readonly<Record<string, number>>, rest: Partial<Mesh> = {}): Mesh {
  return meshOf(
    Object.entries(axes).map(([name, size]) => ({ name, size, type: "Explicit" })),
    rest,
  );
}

export function meshOf(axes: readonly MeshAxis[], rest: Partial<Mesh> = {}): Mesh {
  const size = axes.reduce((n, a) => n * a.size, 1);
  return {
    axes,
    device_ids: counting(size),
    process: { ...counting(size), strides: [0] },
    this_process: 0,
    coords: [],
    kind: "cpu",
    platform: "cpu",
    abstract: false,
    slices: null,
    ring: false,
    ...rest,
  };
}

/** What stands in a slot of `P(…)`: one axis, several, or none. */
export type Split = string | readonly string[] | null;

/** An f32 array: its shape, and the mesh axes of each dimension. Type and spec are written as JAX writes them. */
export function array(
  on: Mesh,
  shape: readonly number[],
  splits: readonly Split[] = [],
  rest: Partial<Placement> = {},
): Placement {
  const dims = shape.map((size, d): Dim => {
    const split = splits[d] ?? null;
    return { size, axes: split === null ? [] : [split].flat(), unconstrained: false, cut: null };
  });
  const { unreduced = [], reduced = [] } = rest;
  return {
    kind: "placement",
    version: 1,
    mesh: on,
    shape,
    dims,
    dtype: "float32",
    bits: 32,
    name: "x",
    type: typeText(dims, unreduced, reduced),
    sharding: "NamedSharding",
    spec: specText(dims, unreduced, reduced),
    agreement: "same",
    unreduced,
    unreduced_kind: "sum",
    reduced,
    memory_kind: "device",
    logical_device_ids: null,
    hlo: "",
    shardy: "",
    state: "live",
    values: null,
    jax_version: "0.10.2",
    ...rest,
  };
}

/** A mesh without an array. */
export function alone(on: Mesh): Placement {
  return { ...array(on, []), shape: null, type: "", dtype: "", bits: 0, name: "", spec: null, sharding: "" };
}

/** A dimension cut by an index map: parts as `[start, stop]`, and the part of each device. */
export function cut(parts: readonly (readonly [number, number])[], part: readonly number[]): Cut {
  return { starts: raw(parts.map((p) => p[0])), stops: raw(parts.map((p) => p[1])), part: raw(part) };
}

/** The whole shard of one device, in f32. */
export function block(device: number, shape: readonly number[], numbers: readonly number[]): Block {
  const finite = numbers.filter(Number.isFinite);
  const [low, high] = finite.length > 0 ? [Math.min(...finite), Math.max(...finite)] : [0, 0];
  return {
    device_id: device,
    shape,
    steps: shape.map(() => 1),
    format: "f4",
    data: new DataView(Float32Array.from(numbers).buffer),
    low,
    high,
    low_text: finite.length > 0 ? String(low) : "",
    high_text: finite.length > 0 ? String(high) : "",
    exact: true,
    nans: numbers.filter(Number.isNaN).length,
    infs: numbers.filter((v) => Math.abs(v) === Number.POSITIVE_INFINITY).length,
  };
}

export function values(...blocks: readonly Block[]): Values {
  return { blocks, note: "" };
}

/** A widget's state as Python saves it: JSON with the bytes in base64. */
export function saved(document: Placement, traits: object = {}): string {
  return JSON.stringify({ _document: document, _static: true, ...traits }, (_, value: unknown) =>
    value instanceof DataView ? { $bytes: base64(new Uint8Array(value.buffer)) } : value,
  );
}

export function base64(data: Uint8Array): string {
  return btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""));
}

function typeText(dims: readonly Dim[], unreduced: readonly string[], reduced: readonly string[]): string {
  const names = (axes: readonly string[]) => (axes.length === 1 ? axes[0] : `(${axes.join(",")})`);
  const sizes = dims.map((d) => (d.axes.length > 0 ? `${d.size}@${names(d.axes)}` : String(d.size)));
  const sets = [unreduced.length > 0 ? `U:${names(unreduced)}` : "", reduced.length > 0 ? `R:${names(reduced)}` : ""];
  const owed = sets.filter((s) => s !== "").join(", ");
  return `f32[${sizes.join(",")}]${owed ? `{${owed}}` : ""}`;
}

function specText(dims: readonly Dim[], unreduced: readonly string[], reduced: readonly string[]): string {
  const quoted = (axes: readonly string[]) => axes.map((a) => `'${a}'`).join(", ");
  const slots = dims.map((d) =>
    d.axes.length === 0 ? "None" : d.axes.length === 1 ? quoted(d.axes) : `(${quoted(d.axes)})`,
  );
  if (unreduced.length > 0) slots.push(`unreduced={${quoted(unreduced)}}`);
  if (reduced.length > 0) slots.push(`reduced={${quoted(reduced)}}`);
  return `P(${slots.join(", ")})`;
}

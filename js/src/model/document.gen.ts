// Generated from shardwidget/document.py by js/generate_types.py. Do not edit.

/** Version of the wire format. The front end refuses a document with a greater one. */
export const VERSION = 1;

/**
 * A flat array of integers, written as a nested count where it is one.
 *
 * Device ids, process indices and coordinates of a pod are nearly always nested counts: `array()` is
 * `start + sum(stride[k] * digit[k])` over the mixed-radix digits of the position, first digit slowest. Integers
 * that are no such pattern are kept raw.
 */
export interface Ints {
  readonly start: number;
  /** Radix of each digit; the product is the length. */
  readonly shape: readonly number[];
  /** What one step of each digit adds. */
  readonly strides: readonly number[];
  /** Little-endian integers of `raw_bytes` bytes each, used in place of the pattern when not empty. */
  readonly raw: DataView;
  /** Bytes of one raw integer: 1 and 2 are unsigned, 4 is signed. */
  readonly raw_bytes: 1 | 2 | 4;
}

/** One named axis of a mesh. */
export interface MeshAxis {
  readonly name: string;
  readonly size: number;
  readonly type: "Auto" | "Explicit" | "Manual";
}

/**
 * Devices in a grid with named axes, in the order of `jax.sharding.Mesh.devices.flat` (axis 0 slowest).
 *
 * Everything per device is indexed by this *position*, not by device id. A sharding that names no mesh (one device,
 * or an index map of its own) has no axes and its devices in a row.
 */
export interface Mesh {
  readonly axes: readonly MeshAxis[];
  /** `Device.id` at each position; the positions themselves for an abstract mesh. */
  readonly device_ids: Ints;
  /** Process index at each position. */
  readonly process: Ints;
  /** The process that made the document. */
  readonly this_process: number;
  /** Physical coordinates where devices have them (TPU): one entry a coordinate, each over all positions. */
  readonly coords: readonly Ints[];
  /** `Device.device_kind`, for example `TPU v5 lite`; empty for an abstract mesh. */
  readonly kind: string;
  readonly platform: string;
  readonly abstract: boolean;
}

/** How one dimension is cut when mesh axes do not say it: an index map of the sharding's own. */
export interface Cut {
  /** First index of each distinct part. */
  readonly starts: Ints;
  /** One past the last index of each distinct part. */
  readonly stops: Ints;
  /** The part that the device at each mesh position holds. */
  readonly part: Ints;
}

/** One dimension of the array. */
export interface Dim {
  readonly size: number;
  /** Mesh axes that split it, major to minor. */
  readonly axes: readonly string[];
  /** Whether the spec says `P.UNCONSTRAINED` here: the compiler chooses. */
  readonly unconstrained: boolean;
  readonly cut: Cut | null;
}

/** Values of one device's shard: every `steps`-th element along each dimension, from its first one on. */
export interface Block {
  readonly device_id: number;
  /** Sampled shape. */
  readonly shape: readonly number[];
  /** Sampling step of each dimension, 1 where nothing is left out. */
  readonly steps: readonly number[];
  /** Element format of `data`, little-endian: numpy's letter and bytes. Narrow floats come as f4. */
  readonly format: "f4" | "f8" | "i4" | "u4" | "i8" | "u8" | "b1" | "c8" | "c16";
  readonly data: DataView;
  /** Least finite value (magnitude for complex) of what was read; 0 if there is none. */
  readonly low: number;
  readonly high: number;
  /** `low` as the dtype prints it; empty if there is no finite value. */
  readonly low_text: string;
  readonly high_text: string;
  /** Whether the whole shard was read for `low` … `infs`, rather than the sample. */
  readonly exact: boolean;
  readonly nans: number;
  readonly infs: number;
}

/** The values that a view asked for, or why there are none. */
export interface Values {
  readonly blocks: readonly Block[];
  /** What was left out and why, in one sentence; empty if nothing was. */
  readonly note: string;
}

/**
 * Where an array's shards live on a mesh. Made without touching the array's data.
 *
 * A *tile* is a distinct piece of the global array; a *shard* is a copy of a tile on one device. With unreduced
 * axes each device along them holds a *partial sum* of its tile, which is no copy.
 */
export interface Placement {
  readonly mesh: Mesh;
  /** Global shape; None for a mesh shown alone. */
  readonly shape: readonly number[] | null;
  readonly dims: readonly Dim[];
  /** Long dtype name, for example `bfloat16` or `key<fry>`. */
  readonly dtype: string;
  /** Bits of one element in memory. */
  readonly bits: number;
  /** What the user calls the array; empty if not known. */
  readonly name: string;
  /** `jax.typeof` with short dtypes, for example `f32[8@x,16]{U:y}`. */
  readonly type: string;
  /** Class of the sharding, for example `NamedSharding`. */
  readonly sharding: string;
  /** The PartitionSpec as JAX prints it; None where the sharding has none. */
  readonly spec: string | null;
  /**
   * The type's spec against the sharding's: the same; silent (no Explicit axis); silent on the Auto axes of a mixed
   * mesh; different; or nothing to compare.
   */
  readonly agreement: "same" | "silent" | "partly" | "differs" | "";
  readonly unreduced: readonly string[];
  readonly reduced: readonly string[];
  readonly memory_kind: string;
  /** The sharding's own permutation of the mesh's devices, already applied to `mesh`. */
  readonly logical_device_ids: Ints | null;
  /** HLO sharding text; empty where JAX has none, as for unreduced axes of some versions. */
  readonly hlo: string;
  /** Shardy (sdy) sharding text. */
  readonly shardy: string;
  readonly state: "live" | "deleted" | "abstract";
  /** Values that travel with the document, as in a saved page. */
  readonly values: Values | null;
  readonly jax_version: string;
  readonly kind: "placement";
  readonly version: number;
}

export type Document = Placement;

/** The arithmetic of a mesh: axes, positions, devices. */
import type { Mesh, MeshAxis } from "./document.gen";
import { unpack } from "./ints";

/** A device is identified here by its *position* in `mesh.devices.flat`; `ids[position]` is its `Device.id`. */
export class MeshModel {
  readonly axes: readonly MeshAxis[];
  /** Number of devices. */
  readonly size: number;
  readonly ids: Int32Array;
  readonly process: Int32Array;
  /** Physical coordinates: one array over positions for each coordinate; none where devices have none. */
  readonly coords: readonly Int32Array[];
  readonly processes: number;

  readonly #axisIndex: ReadonlyMap<string, number>;

  constructor(readonly mesh: Mesh) {
    this.axes = mesh.axes;
    this.ids = unpack(mesh.device_ids);
    this.size = this.ids.length;
    this.process = unpack(mesh.process);
    this.coords = mesh.coords.map(unpack);
    this.processes = new Set(this.process).size;
    this.#axisIndex = new Map(mesh.axes.map((a, i) => [a.name, i]));
  }

  /** Index of a named axis in the mesh, which also chooses its colour and line pattern. */
  axisOf(name: string): number {
    return this.#axisIndex.get(name) ?? 0;
  }

  /** The type that all axes have; empty where they differ. */
  get axisType(): string {
    const [first] = this.axes;
    return first && this.axes.every((a) => a.type === first.type) ? first.type : "";
  }

  axisSize(name: string): number {
    return this.axes[this.axisOf(name)]?.size ?? 1;
  }

  /** Mesh shape; devices in a row where the sharding names no axes. */
  get meshShape(): readonly number[] {
    return this.axes.length > 0 ? this.axes.map((a) => a.size) : [this.size];
  }

  /** Mesh coordinates of a position. */
  digits(position: number): number[] {
    return unravel(position, this.meshShape);
  }

  addressable(position: number): boolean {
    return this.mesh.abstract || this.process[position] === this.mesh.this_process;
  }
}

export function product(values: readonly number[]): number {
  return values.reduce((a, b) => a * b, 1);
}

/** Mixed-radix digits of a flat index, first digit slowest. */
export function unravel(index: number, shape: readonly number[]): number[] {
  const out = new Array<number>(shape.length);
  let rest = index;
  for (let i = shape.length - 1; i >= 0; i--) {
    const n = shape[i] ?? 1;
    out[i] = rest % n;
    rest = Math.floor(rest / n);
  }
  return out;
}

/** A device of any of several meshes. */
export interface Device {
  /** `Device.id`; for an abstract mesh the position. */
  id: number;
  /** Position in the main mesh; -1 for what is not in it. */
  position: number;
}

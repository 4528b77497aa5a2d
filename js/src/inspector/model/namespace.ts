/** The arrays of a session: names and what they hold, devices and what is on them. */
import type { DeviceGroup, Holder, LeafType, Namespace } from "../../core/document.gen";
import { bytesColumn, type Format } from "../../core/format";
import { unpack } from "../../core/ints";
import { type Device, MeshModel } from "../../core/mesh";
import { PlacementModel } from "../../core/placement";
import { items } from "../../core/table";
import { DocumentError, decodeDocument } from "../../core/wire";

export function decodeNamespace(wire: unknown): Namespace {
  const flaw = (d: Namespace) =>
    ["types", "holders", "groups", "meshes"].every((name) => name in d) ? null : "it has no names";
  const doc = decodeDocument(wire, "namespace", flaw, true);
  return { ...doc, types: items(doc.types) as LeafType[], holders: items(doc.holders) as Holder[] };
}

export class NamespaceModel {
  readonly meshes: readonly MeshModel[];
  readonly devices: readonly Device[];
  /** For each device, what is on it. */
  readonly groups: readonly DeviceGroup[];
  /** Bytes on each device; those that the last cell freed; those that would be there if nothing were held twice. */
  readonly held: Float64Array;
  readonly freed: Float64Array;
  readonly own: Float64Array;
  /** How bytes of the lines are written: in the unit of what devices hold. */
  readonly write: Format;
  readonly #placed = new Map<number, PlacementModel | null>();

  constructor(readonly doc: Namespace) {
    this.meshes = doc.meshes.map((mesh) => new MeshModel(mesh));
    this.devices = devicesOf(this.meshes);
    const groups: DeviceGroup[] = [];
    for (const group of doc.groups) for (const device of unpack(group.devices)) groups[device] = group;
    if (groups.length > this.devices.length) {
      throw new DocumentError(
        "This document is damaged: it counts devices that no mesh has. Run the cell again to replace it.",
      );
    }
    this.groups = groups;
    this.held = Float64Array.from(groups, (g) => g.held);
    this.write = bytesColumn([...this.held]);
    this.freed = Float64Array.from(groups, (g) => g.freed);
    this.own = Float64Array.from(groups, (g) => g.own);
  }

  /** The mesh that holds most; null where there are no arrays. */
  get mesh(): MeshModel | null {
    return this.meshes[0] ?? null;
  }

  /** Bytes that a device can hold; null where the backend does not say. */
  get limit(): number | null {
    return this.groups.reduce<number | null>(
      (most, g) => (g.limit === null ? most : Math.max(most ?? 0, g.limit)),
      null,
    );
  }

  /** Whether all devices hold the same amount. */
  get alike(): boolean {
    return this.held.every((bytes) => bytes === this.held[0]);
  }

  /** Index of the device that holds most. */
  get fullest(): number {
    return this.held.indexOf(Math.max(...this.held));
  }

  /** The type of a single array; null for a tree. */
  typeOf(holder: Holder): LeafType | null {
    return this.doc.types[holder.type] ?? null;
  }

  /** Where the shards of a single array live; null for a tree, and for what is on no device. */
  placed(holder: Holder): PlacementModel | null {
    const known = this.#placed.get(holder.type);
    if (known !== undefined) return known;
    const of = this.typeOf(holder);
    const mesh = of && this.doc.meshes[of.mesh];
    const model = of && mesh ? new PlacementModel(placement(of, mesh, this.doc)) : null;
    this.#placed.set(holder.type, model);
    return model;
  }

  /** Mesh axes over which a single array is held several times. */
  copiedOver(holder: Holder): readonly string[] {
    const of = this.typeOf(holder);
    const placed = this.placed(holder);
    if (!of || !placed || of.spec === null || of.state === "deleted") return [];
    const used = new Set([...of.unreduced, ...of.dims.flatMap((d) => d.axes)]);
    return placed.axes.filter((a) => a.size > 1 && !used.has(a.name)).map((a) => a.name);
  }
}

/** Every device once, in the order of the meshes. */
function devicesOf(meshes: readonly MeshModel[]): Device[] {
  const seen = new Set<string>();
  return meshes.flatMap((mesh, at) =>
    [...mesh.ids].flatMap((id, position) => {
      const key = `${mesh.mesh.platform} ${id}`;
      if (seen.has(key)) return [];
      seen.add(key);
      return [{ id, position: at === 0 ? position : -1 }];
    }),
  );
}

function placement(of: LeafType, mesh: Namespace["meshes"][number], doc: Namespace) {
  return {
    ...{ mesh, shape: of.shape, dims: of.dims, dtype: of.dtype, bits: of.bits, name: "", type: of.type },
    ...{ sharding: of.sharding, spec: of.spec, agreement: "" as const, unreduced: of.unreduced },
    ...{ unreduced_kind: "sum", reduced: of.reduced, memory_kind: of.memory_kind, logical_device_ids: null },
    ...{ hlo: "", shardy: "", values: null, jax_version: doc.jax_version, kind: "placement" as const },
    ...{ state: of.state === "deleted" ? ("deleted" as const) : ("live" as const), version: doc.version },
  };
}

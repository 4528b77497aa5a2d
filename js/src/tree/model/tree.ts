/** A tree of arrays: its nodes, and what each puts on a device. */
import type { Flag, Key, LeafType, Model } from "../../core/document.gen";
import { bytes } from "../../core/format";
import { unpack } from "../../core/ints";
import { type Device, MeshModel, product } from "../../core/mesh";
import { PlacementModel } from "../../core/placement";
import { items } from "../../core/table";
import { decodeDocument } from "../../core/wire";

export function decodeModel(wire: unknown): Model {
  const doc = decodeDocument(wire, "model", (d) =>
    ["types", "keys", "node_key", "node_depth", "leaf_type"].every((name) => name in d)
      ? flawOfDepths(unpack(d.node_depth))
      : "it has no tree",
  );
  const tables = { types: doc.types, keys: doc.keys, folds: doc.folds, flags: doc.flags };
  const read = Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, items(table)]));
  return { ...doc, ...read };
}

/** In preorder a node is at most one level below the node before it. */
function flawOfDepths(depths: Int32Array): string | null {
  const odd = depths.findIndex((depth, k) => depth < 0 || depth > (depths[k - 1] ?? -1) + 1);
  return odd < 0 ? null : `its node ${odd} is at depth ${depths[odd]}`;
}

/** What the leaves of one type come to. */
export interface Sizes {
  /** Of the array, held once. */
  bytes: number;
  /** Of the largest shard; 0 for what is on no device. */
  perDevice: number;
  /** Devices that hold each tile; 0 for what is on no device. */
  copies: number;
  /** On all devices beyond one copy of each tile. */
  spent: number;
}

/** What a node comes to: sums over the leaves below it. */
export interface Sums {
  leaves: number;
  bytes: number;
  /** On the device that is shown, and the part of that which no other device holds. */
  here: number;
  own: number;
  spent: number;
  /** The least and the greatest number of copies of the leaves that are on devices. */
  copies: readonly [number, number];
}

/** A reason to look, with all leaves that have it: one line in the table, however many they are. */
export interface Finding {
  /** What it is called: 1 for the one that costs most. */
  number: number;
  /** Its flags, the worst first: leaves of one type and role each. */
  flags: readonly Flag[];
  reason: string;
  leaves: number;
  /** Bytes that it costs on a device. */
  cost: number;
}

const NOTHING: Sizes = { bytes: 0, perDevice: 0, copies: 0, spent: 0 };

export class TreeModel {
  readonly meshes: readonly MeshModel[];
  readonly devices: readonly Device[];
  /** Key and depth of each node, in preorder, and where the nodes below it end. */
  readonly key: Int32Array;
  readonly depth: Int32Array;
  readonly end: Int32Array;
  /** Number of leaves before each node, and before the end. */
  readonly leavesBefore: Int32Array;
  /** Type of each leaf. */
  readonly typeOf: Int32Array;
  /** The node of each leaf. */
  readonly nodeOf: Int32Array;
  readonly sizes: readonly Sizes[];
  /** Arrays among the leaves. */
  readonly arrays: number;
  /** Members of the folds, by the first. */
  readonly folds: ReadonlyMap<number, Int32Array>;
  /** The worst flag of each leaf that has one. */
  readonly flagOf: ReadonlyMap<number, Flag>;
  /** The reasons to look, the one that costs most first, and that of each flag. */
  readonly findings: readonly Finding[];
  readonly findingOf: ReadonlyMap<Flag, Finding>;
  /** Bytes on each of the devices. */
  readonly held: Float64Array;
  /** Index of the device that holds most. */
  readonly fullest: number;

  /** For each type and device, the bytes of the shard there; computed when first asked for. */
  readonly #shards = new Map<number, Float64Array>();
  readonly #deviceAt = new Map<string, number>();
  readonly #names: (string | undefined)[] = [];

  constructor(readonly doc: Model) {
    this.meshes = [doc.mesh, ...doc.other_meshes].map((m) => new MeshModel(m));
    this.devices = this.#listDevices();
    this.key = unpack(doc.node_key);
    this.depth = unpack(doc.node_depth);
    this.typeOf = unpack(doc.leaf_type);
    const count = this.key.length;
    this.end = new Int32Array(count).fill(count);
    this.leavesBefore = new Int32Array(count + 1);
    this.nodeOf = new Int32Array(this.typeOf.length);
    const above: number[] = [];
    let leaves = 0;
    for (let node = 0; node < count; node++) {
      const depth = this.depth[node] ?? 0;
      while (above.length > depth) this.end[above.pop() ?? 0] = node;
      above.push(node);
      this.leavesBefore[node] = leaves;
      if (!((this.depth[node + 1] ?? 0) > depth)) this.nodeOf[leaves++] = node;
    }
    this.leavesBefore[count] = leaves;
    this.sizes = doc.types.map((t) => this.#sizesOf(t));
    this.folds = new Map(doc.folds.map(unpack).map((members) => [members[0] ?? 0, members]));
    this.flagOf = new Map(
      [...doc.flags].reverse().flatMap((flag) => [...unpack(flag.leaves)].map((leaf) => [leaf, flag] as const)),
    );
    this.findings = findingsOf(doc.flags);
    this.findingOf = new Map(this.findings.flatMap((f) => f.flags.map((flag) => [flag, f] as const)));
    const counts = new Int32Array(doc.types.length);
    for (const type of this.typeOf) counts[type] = (counts[type] ?? 0) + 1;
    this.held = new Float64Array(this.devices.length);
    let arrays = 0;
    counts.forEach((n, type) => {
      if (isArray(doc.types[type])) arrays += n;
      this.shards(type).forEach((bytes, device) => {
        this.held[device] = (this.held[device] ?? 0) + n * bytes;
      });
    });
    this.arrays = arrays;
    this.fullest = this.held.indexOf(Math.max(...this.held));
  }

  get mesh(): MeshModel {
    return this.meshes[0] as MeshModel;
  }

  /** Bytes of the shards of a type, on each of the devices. */
  shards(type: number): Float64Array {
    const known = this.#shards.get(type);
    if (known) return known;
    const out = new Float64Array(this.devices.length);
    const of = this.doc.types[type];
    if (of && onDevices(of)) {
      const mesh = this.meshes[of.mesh] as MeshModel;
      const placed = of.dims.some((d) => d.cut) ? this.#placed(of) : null;
      const even = placed ? 0 : (this.sizes?.[type] ?? this.#sizesOf(of)).perDevice;
      mesh.ids.forEach((id, position) => {
        const device = of.mesh === 0 ? position : (this.#deviceAt.get(deviceKey(mesh, id)) ?? 0);
        out[device] = placed ? placed.tileBytes(placed.tileAt[position] ?? 0) : even;
      });
    }
    this.#shards.set(type, out);
    return out;
  }

  isLeaf(node: number): boolean {
    return this.end[node] === node + 1;
  }

  /** The node's leaf; for an inner node, the first leaf below it. */
  leafAt(node: number): number {
    return this.leavesBefore[node] ?? 0;
  }

  keyOf(node: number): Key {
    return this.doc.keys[this.key[node] ?? 0] ?? { text: "", name: "" };
  }

  /** The steps from the root to a node. */
  pathTo(node: number): Key[] {
    const out: Key[] = [];
    let depth = (this.depth[node] ?? 0) + 1;
    for (let at = node; at >= 0 && depth > 0; at--) {
      if ((this.depth[at] ?? 0) >= depth) continue;
      depth = this.depth[at] ?? 0;
      out.unshift(this.keyOf(at));
    }
    return out;
  }

  /** The path of a leaf with `/` between its steps. */
  nameOf(leaf: number): string {
    this.#names[leaf] ??= this.nodeName(this.nodeOf[leaf] ?? 0);
    return this.#names[leaf] ?? "";
  }

  /** The leaf that a finding is named by: of the shortest path, `params/embed` before `opt_state/0/mu/embed`. */
  leafOf({ flags }: Finding): number {
    const leaves = flags.flatMap((flag) => [...unpack(flag.leaves)]);
    return leaves.reduce((a, b) => (this.nameOf(b).length < this.nameOf(a).length ? b : a), leaves[0] ?? 0);
  }

  nodeName(node: number): string {
    return this.pathTo(node)
      .map((key) => key.name)
      .join("/");
  }

  /** The path of a leaf as `keystr` writes it. */
  pathOf(leaf: number): string {
    return this.pathTo(this.nodeOf[leaf] ?? 0)
      .map((key) => key.text)
      .join("");
  }

  typeAt(leaf: number): LeafType {
    return this.doc.types[this.typeOf[leaf] ?? 0] as LeafType;
  }

  sizesAt(leaf: number): Sizes {
    return this.sizes[this.typeOf[leaf] ?? 0] ?? NOTHING;
  }

  /** What the leaves below a node come to. */
  sums(node: number, device: number): Sums {
    let [bytes, here, own, spent, arrays] = [0, 0, 0, 0, 0];
    let [least, most] = [Number.POSITIVE_INFINITY, 0];
    for (let leaf = this.leavesBefore[node] ?? 0; leaf < (this.leavesBefore[this.end[node] ?? 0] ?? 0); leaf++) {
      const type = this.typeOf[leaf] ?? 0;
      const sizes = this.sizes[type] ?? NOTHING;
      const shard = this.shards(type)[device] ?? 0;
      if (isArray(this.doc.types[type])) arrays++;
      bytes += sizes.bytes;
      here += shard;
      own += shard / Math.max(1, sizes.copies);
      spent += sizes.spent;
      if (sizes.copies > 0) [least, most] = [Math.min(least, sizes.copies), Math.max(most, sizes.copies)];
    }
    return { leaves: arrays, bytes, here, own, spent, copies: [most > 0 ? least : 0, most] };
  }

  /** The node that a table has for a node: of equal ones side by side, and of all above it, the first. */
  shownFor(node: number): number {
    let at = node;
    for (const members of this.folds.values()) {
      const first = members[0] ?? 0;
      // In preorder a fold comes after those that it is in.
      const member = members.find((m) => m > first && at >= m && at < (this.end[m] ?? 0));
      if (member !== undefined) at += first - member;
    }
    return at;
  }

  /** On all devices beyond one copy of each tile. */
  get spent(): number {
    return this.typeOf.reduce((sum, type) => sum + (this.sizes[type]?.spent ?? 0), 0);
  }

  get bytes(): number {
    return this.typeOf.reduce((sum, type) => sum + (this.sizes[type]?.bytes ?? 0), 0);
  }

  /** Whether all devices of the main mesh hold the same amount, and no other device holds anything. */
  get alike(): boolean {
    return this.held.every((bytes) => bytes === this.held[0]);
  }

  /** Whether they hold the same amount as far as it is printed: a counter may be on one of them alone. */
  get nearlyAlike(): boolean {
    return bytes(Math.min(...this.held)) === bytes(this.held[this.fullest] ?? 0);
  }

  #listDevices(): Device[] {
    const out: Device[] = [];
    this.meshes.forEach((mesh, at) => {
      mesh.ids.forEach((id, position) => {
        const key = deviceKey(mesh, id);
        if (this.#deviceAt.has(key)) return;
        this.#deviceAt.set(key, out.length);
        out.push({ id, position: at === 0 ? position : -1 });
      });
    });
    return out;
  }

  #sizesOf(of: LeafType): Sizes {
    if (!isArray(of) || of.state === "deleted" || of.state === "shared") return NOTHING;
    const bytes = Math.ceil((product(of.shape) * of.bits) / 8);
    const mesh = this.meshes[of.mesh];
    if (!mesh) return { ...NOTHING, bytes };
    if (of.dims.some((d) => d.cut)) {
      const placed = this.#placed(of);
      const on = onDevices(of);
      return {
        bytes,
        perDevice: on ? placed.bytesPerDevice : 0,
        copies: placed.copies,
        spent: on ? placed.wasted : 0,
      };
    }
    const sizes = evenSizes(of, mesh, (d) => of.dims[d]?.axes ?? [], of.unreduced);
    return onDevices(of) ? sizes : { ...sizes, perDevice: 0, spent: 0 };
  }

  #placed(of: LeafType): PlacementModel {
    const { mesh } = this.meshes[of.mesh] as MeshModel;
    return new PlacementModel({
      ...{ mesh, shape: of.shape, dims: of.dims, dtype: of.dtype, bits: of.bits, name: "", type: of.type },
      ...{ sharding: of.sharding, spec: of.spec, agreement: "", unreduced: of.unreduced, unreduced_kind: "sum" },
      ...{ reduced: of.reduced, memory_kind: of.memory_kind, logical_device_ids: null, hlo: "", shardy: "" },
      ...{ state: "live", values: null, jax_version: "", kind: "placement", version: this.doc.version },
    });
  }
}

function findingsOf(flags: readonly Flag[]): Finding[] {
  const groups = new Map<string, Flag[]>();
  for (const flag of flags) {
    const key = `${flag.kind} ${flag.reason}`;
    groups.set(key, [...(groups.get(key) ?? []), flag]);
  }
  return [...groups.values()]
    .map((all) => ({
      flags: all,
      reason: all[0]?.reason ?? "",
      leaves: all.reduce((sum, { leaves }) => sum + unpack(leaves).length, 0),
      cost: all.reduce((sum, { cost }) => sum + cost, 0),
    }))
    .sort((a, b) => b.cost - a.cost)
    .map((finding, i) => ({ number: i + 1, ...finding }));
}

/** On each device, the bytes that would be there if nothing were held twice. */
export function ownBytes(tree: TreeModel): Float64Array {
  const out = new Float64Array(tree.devices.length);
  const counts = new Map<number, number>();
  for (const type of tree.typeOf) counts.set(type, (counts.get(type) ?? 0) + 1);
  for (const [type, count] of counts) {
    const copies = Math.max(1, tree.sizes[type]?.copies ?? 1);
    tree.shards(type).forEach((bytes, device) => {
      out[device] = (out[device] ?? 0) + (count * bytes) / copies;
    });
  }
  return out;
}

/** Sizes of an array that mesh axes split into equal blocks. */
export function evenSizes(
  of: Pick<LeafType, "shape" | "bits">,
  mesh: MeshModel,
  axesAt: (dim: number) => readonly string[],
  unreduced: readonly string[] = [],
): Sizes {
  const parts = of.shape.map((_, d) => product(axesAt(d).map((a) => mesh.axisSize(a))));
  const perDevice = Math.ceil((product(of.shape.map((size, d) => size / (parts[d] ?? 1))) * of.bits) / 8);
  const different = product(parts) * product(unreduced.map((a) => mesh.axisSize(a)));
  const bytes = Math.ceil((product(of.shape) * of.bits) / 8);
  return { bytes, perDevice, copies: mesh.size / different, spent: perDevice * (mesh.size - different) };
}

export function isArray(of: LeafType | undefined): boolean {
  return of !== undefined && !["none", "other", "unreadable"].includes(of.state);
}

/** Whether it takes up (or, where abstract, would take up) memory of devices. */
function onDevices(of: LeafType): boolean {
  return of.mesh >= 0 && (of.state === "live" || of.state === "abstract") && !of.offloaded;
}

function deviceKey(mesh: MeshModel, id: number): string {
  return `${mesh.mesh.abstract ? "" : mesh.mesh.platform} ${id}`;
}

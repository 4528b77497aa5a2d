/** An array on some of several groups of devices: which groups there are, what each has, which are alike. */
import type { Ints, MpmdPlacement, Placement } from "../../core/document.gen";
import { bytes } from "../../core/format";
import { MeshModel, product } from "../../core/mesh";
import { PlacementModel } from "../../core/placement";
import { type Badge, count } from "../../core/text";
import { decodeDocument } from "../../core/wire";

export function decodeMpmd(wire: unknown): MpmdPlacement {
  return decodeDocument(wire, "mpmd", (doc) => {
    if (!Array.isArray(doc.dims) || !Array.isArray(doc.shape)) return "it has no dimensions";
    const axis = doc.mesh.axes.find((a) => a.name === doc.axis);
    if (!axis) return `its mesh has no axis ${JSON.stringify(doc.axis)}`;
    return Array.isArray(doc.holds) && doc.holds.length === axis.size ? null : "its groups are not those of its axis";
  });
}

export type Hold = MpmdPlacement["holds"][number];

/** Groups that look alike, drawn as one panel. */
export interface Fold {
  groups: readonly number[];
  hold: Hold;
  /** The array on the mesh of the first of them; the mesh alone where it is not. */
  model: PlacementModel;
  /** The array there, whether it is or not: all groups are laid out alike. */
  place: PlacementModel;
}

/** Groups of which each has a panel of its own; of more, equal ones share one. */
const MOST_PANELS = 8;

export class MpmdModel extends MeshModel {
  /** Index of the MPMD axis in the mesh. */
  readonly axis: number;
  readonly groups: number;
  /** For each axis of a group's own mesh its index in the whole mesh, which chooses colour and pattern. */
  readonly inks: readonly number[];
  readonly folds: readonly Fold[];
  /** Bytes on each device of a group that holds the array, and on all devices of such a group. */
  readonly deviceBytes: number;
  readonly groupBytes: number;
  readonly arrayBytes: number;

  readonly #inner: number;

  constructor(readonly doc: MpmdPlacement) {
    super(doc.mesh);
    this.axis = this.axisOf(doc.axis);
    this.groups = doc.holds.length;
    this.#inner = product(this.meshShape.slice(this.axis + 1));
    this.inks = this.axes.map((_, a) => a).filter((a) => a !== this.axis);
    this.folds = this.#folds();
    const layout = new PlacementModel(this.#placementOf(0, "live"));
    this.deviceBytes = layout.bytesPerDevice;
    this.groupBytes = layout.bytesPerDevice * layout.size;
    this.arrayBytes = layout.bytes;
  }

  /** Groups that the array names. */
  get named(): number[] {
    return this.doc.holds.flatMap((hold, group) => (hold === "none" ? [] : [group]));
  }

  /** Groups whose devices have the data, here or elsewhere. */
  get holding(): number[] {
    return this.doc.holds.flatMap((hold, group) => (hold === "live" || hold === "remote" ? [group] : []));
  }

  /** Positions of a group's devices in the whole mesh, in the order of the group's own mesh. */
  positions(group: number): number[] {
    const inner = this.#inner;
    const block = inner * this.groups;
    return Array.from({ length: this.size / this.groups }, (_, k) => {
      return Math.floor(k / inner) * block + group * inner + (k % inner);
    });
  }

  /** Processes that the devices of some groups belong to, in order. */
  processesOf(groups: readonly number[]): number[] {
    const all = new Set(groups.flatMap((group) => this.positions(group).map((p) => this.process[p] ?? 0)));
    return [...all].sort((a, b) => a - b);
  }

  /** The panel that a group is in. */
  foldOf(group: number): number {
    return this.folds.findIndex((fold) => fold.groups.includes(group));
  }

  #folds(): Fold[] {
    const found = new Map<string, number[]>();
    this.doc.holds.forEach((hold, group) => {
      const processes = this.processesOf([group]);
      const here = processes.includes(this.mesh.this_process);
      const key = this.groups <= MOST_PANELS ? String(group) : `${hold} ${here} ${here && processes.length > 1}`;
      found.set(key, [...(found.get(key) ?? []), group]);
    });
    return [...found.values()].map((groups) => {
      const [first = 0] = groups;
      const hold = this.doc.holds[first] ?? "none";
      const place = new PlacementModel(this.#placementOf(first, hold === "none" ? "live" : hold));
      const model = hold === "none" ? new PlacementModel(this.#placementOf(first, hold)) : place;
      return { groups, hold, model, place };
    });
  }

  #placementOf(group: number, hold: Hold): Placement {
    const { doc } = this;
    const positions = this.positions(group);
    const part = (values: Int32Array) => packed(positions.map((p) => values[p] ?? 0));
    const bare = hold === "none";
    return {
      mesh: {
        ...doc.mesh,
        axes: this.axes.filter((_, a) => a !== this.axis),
        device_ids: part(this.ids),
        process: part(this.process),
        coords: [],
        slices: null,
        ring: false,
      },
      shape: bare ? null : doc.shape,
      dims: bare ? [] : doc.dims,
      dtype: doc.dtype,
      bits: doc.bits,
      name: doc.name,
      type: doc.type,
      sharding: "NamedSharding",
      spec: doc.spec,
      agreement: "",
      unreduced: [],
      unreduced_kind: "sum",
      reduced: [],
      memory_kind: doc.memory_kind,
      logical_device_ids: null,
      hlo: "",
      shardy: "",
      state: hold === "deleted" || hold === "dropped" ? "deleted" : hold === "abstract" ? "abstract" : "live",
      values: null,
      jax_version: doc.jax_version,
      kind: "placement",
      version: doc.version,
    };
  }
}

function packed(values: readonly number[]): Ints {
  const raw = new DataView(new ArrayBuffer(4 * values.length));
  for (const [i, value] of values.entries()) raw.setInt32(4 * i, value, true);
  return { start: 0, shape: [values.length], strides: [0], raw, raw_bytes: 4 };
}

const HOLDS: Readonly<Record<Hold, string>> = {
  none: "without it",
  live: "holds it",
  deleted: "held it, deleted",
  dropped: "named, but its data is gone",
  remote: "holds it, known from metadata",
  abstract: "only a shape",
};

/** `0, 2`, `0 to 5`, cut after a few. */
export function listed(numbers: readonly number[], most = 6): string {
  const [first = 0] = numbers;
  if (numbers.length > 2 && numbers.every((n, i) => n === first + i)) return `${first} to ${numbers.at(-1)}`;
  return numbers.length > most ? `${numbers.slice(0, most).join(", ")} …` : numbers.join(", ");
}

/** What a panel is of: `stage 2`, `stage 0, 2, 4 … ×32`. */
export function foldName(model: MpmdModel, fold: Fold): string {
  const times = fold.groups.length > 1 ? ` ×${fold.groups.length}` : "";
  return `${model.doc.axis} ${listed(fold.groups, 3)}${times}`;
}

/** `process 0, here`, `processes 1 to 3`. */
export function processText(model: MpmdModel, fold: Fold): string {
  const processes = model.processesOf(fold.groups);
  if (processes.length > 1) return `processes ${listed(processes, 3)}`;
  return `process ${processes[0]}${processes[0] === model.mesh.this_process ? ", here" : ""}`;
}

export function holdText(fold: Fold): string {
  return HOLDS[fold.hold];
}

/** A panel in a sentence, for a status line and for screen readers. */
export function foldText(model: MpmdModel, fold: Fold): string {
  const held = fold.hold === "live" || fold.hold === "remote";
  const each = held ? `, ${bytes(model.deviceBytes)} on each of ${count(fold.model.size, "device")}` : "";
  const ids = fold.groups.length === 1 ? `, devices ${listed([...fold.model.ids])}` : "";
  return `${foldName(model, fold)}${ids}, ${processText(model, fold)}: ${holdText(fold)}${each}`;
}

/** `on stage 0, 2 of 4`. */
export function whereText(model: MpmdModel): string {
  const { named, doc, groups } = model;
  return named.length > 0
    ? `on ${doc.axis} ${listed(named)} of ${count(groups, "group")}`
    : `on no group of ${count(groups, "group")}`;
}

/** How many copies there are, and where; without a full stop. */
export function answerOf(model: MpmdModel): string {
  const { doc, named, holding, groups } = model;
  const place = model.folds[0]?.place;
  const split = new Set([...(place?.doc.dims.flatMap((dim) => dim.axes) ?? []), ...(place?.doc.unreduced ?? [])]);
  const over = (place?.axes ?? []).filter(({ name, size }) => size > 1 && !split.has(name)).map(({ name }) => name);
  if (named.length === 0) return `On no group of ${groups}: no device holds it`;
  if (holding.length === 0) return `Named ${whereText(model)}: its data is no longer there`;
  const inner = Math.max(1, place?.copies ?? 1);
  const where = `on group${named.length === 1 ? "" : "s"} ${listed(named).replace(/, (?=\d+$)/, " and ")} of ${doc.axis}`;
  const many =
    inner > 1 && over.length > 0 ? `, ${inner === 2 ? "twice" : `${inner} times`} over ${over.join(", ")}` : "";
  const copies = inner * holding.length;
  return copies === 1 ? `O${where.slice(1)} only, one copy` : `${copies} copies: ${where}${many}`;
}

/** Whether the picture says of any two that they have the same. */
export function saysSame({ folds, holding }: MpmdModel): boolean {
  return holding.length > 1 || (folds[0]?.place?.copies ?? 1) > 1;
}

export function badgesOf(model: MpmdModel): Badge[] {
  const total = model.groupBytes * model.holding.length;
  const out: Badge[] = [
    { strong: bytes(model.deviceBytes), text: "per device", tone: "plain" },
    { strong: bytes(total), text: `on ${count(model.holding.length, "group")}`, tone: "plain", to: "groups" },
  ];
  const spent = total - model.arrayBytes;
  if (spent > 0) out.push({ strong: bytes(spent), text: "spent on copies", tone: "warn" });
  return out;
}

/** What the picture cannot say. */
export function notesOf(model: MpmdModel): string[] {
  const has = (hold: Hold) => model.doc.holds.includes(hold);
  const out: string[] = [];
  if (model.named.length === 0) out.push("The array names no group: no device holds it.");
  if (model.holding.length > 1) out.push("Each group that holds it holds all of it.");
  if (has("remote")) out.push("Dotted: groups of other processes, known from metadata.");
  if (has("deleted")) out.push("Struck: the data was deleted or donated.");
  if (has("dropped")) out.push("The array still names a group whose data it no longer has.");
  return out;
}

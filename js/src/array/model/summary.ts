/** What the head of a picture says about a placement, as data: the HTML head and the SVG head both read it. */

import { bytes } from "../../core/format";
import type { PlacementModel } from "../../core/placement";
import type { Badge, Tone } from "../../core/text";
import { axisTokens, count, type Token } from "../../core/text";

/** One slot of `P(…)`: the mesh axes in it and what that does to the dimension, in two short lines. */
export interface Slot {
  /** What stands before the chips, as in `unreduced=`. */
  prefix: string;
  /** Mesh axes, major to minor; empty for `None`. */
  axes: readonly number[];
  /** What the slot shows when there are no axes. */
  empty: string;
  title: string;
  /** Arithmetic, and its result in bold. */
  before: string;
  result: string;
  after: string;
}

export interface Fact {
  label: string;
  value: readonly Token[];
  note: string;
  tone: Tone;
}

export interface Summary {
  name: string;
  title: readonly Token[];
  badges: readonly Badge[];
  slots: readonly Slot[];
  facts: readonly Fact[];
  /** Forms of the sharding that few readers need at once. */
  more: readonly Fact[];
  notes: readonly (readonly Token[])[];
}

export function summarize(model: PlacementModel): Summary {
  const { doc } = model;
  const alone = doc.shape === null;
  return {
    name: doc.name,
    title: alone ? plain("Mesh") : axisTokens(doc.type, model),
    badges: alone
      ? [{ strong: String(model.size), text: model.size === 1 ? "device" : "devices", tone: "plain" }]
      : badges(model),
    slots: alone || doc.spec === null ? [] : slots(model),
    facts: facts(model),
    more: alone ? [] : more(model),
    notes: notes(model),
  };
}

function badges(model: PlacementModel): Badge[] {
  const out: Badge[] = [
    { strong: bytes(model.bytesPerDevice), text: "per device", tone: "plain" },
    { strong: bytes(model.bytes), text: "array", tone: "plain" },
  ];
  const { doc, copies } = model;
  if (doc.state === "deleted")
    return [{ strong: "deleted", text: "or donated: no data is left", tone: "error" }, ...out];
  if (doc.unreduced.length > 0) {
    out.push({
      strong: doc.unreduced_kind === "sum" ? "partial sums" : `partial ${doc.unreduced_kind}`,
      text: `over ${doc.unreduced.join(", ")} · not usable as values yet`,
      tone: "warn",
    });
  }
  if (copies > 1) {
    const over = replicatedNames(model);
    const where = over.length > 0 ? `over ${over.join(", ")} · ` : "";
    out.push({
      strong: count(copies, "copy", "copies"),
      text: `${where}${bytes(model.wasted)} spent on replicas`,
      tone: "warn",
    });
  } else if (doc.unreduced.length === 0) {
    out.push({ strong: "1 copy", text: "no replication", tone: "ok" });
  }
  return out;
}

function replicatedNames(model: PlacementModel): string[] {
  return model.axes.filter((_, i) => model.link(i) === "replicated" || model.link(i) === "reduced").map((a) => a.name);
}

function slots(model: PlacementModel): Slot[] {
  const { doc } = model;
  const out: Slot[] = doc.dims.map((d, i) => {
    const n = model.grid[i] ?? 1;
    const block = d.size / n;
    const split = d.axes.length > 0;
    return {
      prefix: "",
      axes: d.axes.map((a) => model.axisOf(a)),
      empty: d.unconstrained ? "UNCONSTRAINED" : "None",
      title: `dim ${i}`,
      before: split ? `${d.size} ÷ ${n} = ` : "",
      result: String(split ? block : d.size),
      after: split ? "" : d.unconstrained ? " the compiler chooses" : " whole",
    };
  });
  const group = (prefix: string, names: readonly string[], title: string, after: string) => {
    if (names.length === 0) return;
    out.push({ prefix, axes: names.map((a) => model.axisOf(a)), empty: "", title, before: "", result: "", after });
  };
  group("unreduced=", doc.unreduced, `${doc.unreduced_kind} over ${doc.unreduced.join(", ")}`, "still pending");
  group("reduced=", doc.reduced, "equal now, its", "gradient unreduced");
  return out;
}

const AGREEMENT: Readonly<Record<string, readonly [note: string, tone: Tone]>> = {
  same: ["✓ agrees with the type", "ok"],
  silent: ["type is silent: no Explicit axis", "plain"],
  partly: ["✓ agrees with the type on its Explicit axes", "ok"],
  differs: ["differs from the type", "error"],
};

/** What is not in the title or in the slots: whether the type agrees, and what the mesh is. */
function facts(model: PlacementModel): Fact[] {
  const { doc } = model;
  const out: Fact[] = [];
  const add = (value: string, note: string, tone: Tone = "plain") =>
    out.push({ label: "", value: axisTokens(value, model), note, tone });
  if (doc.shape !== null) {
    const [agreement, tone] = AGREEMENT[doc.agreement] ?? ["", "plain"];
    if (doc.spec === null) add(doc.sharding, "by its own index map, no PartitionSpec");
    else if (agreement) add("", agreement, tone);
  }
  add("", meshNote(model));
  return out;
}

function meshNote(model: PlacementModel): string {
  const { mesh } = model.doc;
  const type = model.axisType && `${model.axisType} · `;
  if (mesh.abstract) return `${type}abstract: ${count(model.size, "position")}`;
  const hosts = model.processes > 1 ? `${model.processes} processes` : "one process";
  return `${type}${model.size} × ${mesh.kind || mesh.platform} · ${hosts}`;
}

function more(model: PlacementModel): Fact[] {
  const { doc } = model;
  const out: Fact[] = [];
  const add = (label: string, value: string, note = "") => {
    if (value) out.push({ label, value: plain(value), note, tone: "plain" });
  };
  add("type", doc.type, `jax.typeof(${doc.name || "x"})`);
  add("spec", doc.spec ?? "");
  add("sharding", doc.sharding);
  add("HLO", doc.hlo);
  add("Shardy", doc.shardy);
  add("memory", doc.memory_kind);
  if (doc.logical_device_ids) add("devices", "logical_device_ids", "reorder the mesh; the picture shows the result");
  add("dtype", doc.dtype, doc.bits > 0 ? `${doc.bits} bits per element` : "");
  add("JAX", doc.jax_version);
  return out;
}

function notes(model: PlacementModel): Token[][] {
  const { doc } = model;
  const out: Token[][] = [];
  if (doc.shape === null || doc.state === "deleted") return out;
  const name = (axis: number): Token => ({ text: model.axes[axis]?.name ?? "", axis });
  const list = (axes: number[]): Token[] => axes.flatMap((a, i) => (i === 0 ? [name(a)] : [...plain(", "), name(a)]));
  const linked = (kind: string) => model.axes.map((_, a) => a).filter((a) => model.link(a) === kind);
  const same = linked("replicated");
  const partial = linked("unreduced");
  const reduced = linked("reduced");
  if (same.length > 0) {
    out.push([
      ...plain("= joins devices that hold the same data: along "),
      ...list(same),
      ...plain(" every colour repeats."),
    ]);
  }
  if (partial.length > 0) {
    const entry = (axes: readonly string[]) => {
      const names = axes.map((a) => `'${a}'`).join(", ");
      return axes.length === 0 ? "None" : axes.length === 1 ? names : `(${names})`;
    };
    const settled = `jax.reshard(${doc.name || "x"}, P(${doc.dims.map((d) => entry(d.axes)).join(", ")}))`;
    const sum = doc.unreduced_kind === "sum";
    out.push([
      ...plain(`Hatched = a partial ${doc.unreduced_kind}. + joins the devices along `),
      ...list(partial),
      ...plain(` whose blocks must be ${sum ? "added" : "combined"}: ${settled} pays the all-reduce.`),
    ]);
  }
  if (reduced.length > 0) {
    out.push([
      ...plain("A hollow = joins equal blocks along "),
      ...list(reduced),
      ...plain(" whose gradient arrives unreduced."),
    ]);
  }
  if (doc.dims.some((d) => d.unconstrained)) {
    out.push(plain("UNCONSTRAINED dimensions are drawn whole: only the compiled program knows how they are split."));
  }
  return out;
}

function plain(text: string): Token[] {
  return [{ text, axis: null }];
}

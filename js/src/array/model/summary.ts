/** What the head of a picture says about a placement, as data: the HTML head and the SVG head both read it. */

import { bytes } from "../../core/format";
import type { PlacementModel } from "../../core/placement";
import type { Badge } from "../../core/text";
import { axisTokens, count, type Token } from "../../core/text";

/** What is left of a dimension on each device, `dim 0 8 ÷ 4 = 2`; or axes whose sums are pending. */
export interface Part {
  title: string;
  text: readonly Token[];
  /** In bold after it. */
  result: string;
  after: string;
}

export interface Summary {
  name: string;
  title: readonly Token[];
  badges: readonly Badge[];
  /** What the sharding comes to, and what the mesh is. */
  says: string;
  also: string;
  /** The spec where the type does not say it. */
  spec: readonly Token[];
  parts: readonly Part[];
  /** What joins devices with the same data means. */
  key: readonly Token[];
  notes: readonly (readonly Token[])[];
}

export function summarize(model: PlacementModel): Summary {
  const { doc } = model;
  const alone = doc.shape === null;
  return {
    name: doc.name,
    title: alone ? plain("Mesh") : axisTokens(doc.type, model),
    badges: alone ? [] : badges(model),
    says: alone ? meshText(model) : answer(model),
    also: meshNote(model),
    spec: alone ? [] : specTokens(model),
    parts: alone || doc.spec === null ? [] : parts(model),
    key: keyOf(model),
    notes: notes(model),
  };
}

function badges(model: PlacementModel): Badge[] {
  const out: Badge[] = [
    { strong: bytes(model.bytesPerDevice), text: "per device", tone: "plain" },
    { strong: bytes(model.bytes), text: "array", tone: "plain" },
  ];
  const { doc, copies } = model;
  if (doc.state === "deleted") return [{ strong: "deleted", text: "or donated", tone: "error" }, ...out];
  if (doc.agreement === "differs") out.unshift({ strong: "differs", text: "from its type", tone: "error" });
  if (doc.unreduced.length > 0) {
    out.push({
      strong: doc.unreduced_kind === "sum" ? "partial sums" : `partial ${doc.unreduced_kind}`,
      text: `over ${doc.unreduced.join(", ")}`,
      tone: "warn",
      to: "copies",
    });
  }
  if (copies > 1) {
    const over = replicated(model);
    out.push({
      strong: count(copies, "copy", "copies"),
      text: `${over && `over ${over} · `}${bytes(model.wasted)} spent on replicas`,
      tone: "warn",
      to: "copies",
    });
  } else if (doc.unreduced.length === 0) {
    out.push({ strong: "1 copy", text: "no replication", tone: "ok" });
  }
  return out;
}

/** The mesh axes along which devices have equal blocks. */
function replicated(model: PlacementModel): string {
  return linked(model, "replicated", "reduced")
    .map(({ text }) => text)
    .join("");
}

function meshText({ axes, size, meshShape }: PlacementModel): string {
  const devices = count(size, "device");
  return axes.length > 1
    ? `${devices} in a mesh of ${meshShape.join(" × ")}`
    : axes[0]
      ? `${devices} along ${axes[0].name}`
      : devices;
}

/** How many blocks differ, and on how many devices each is. */
function answer(model: PlacementModel): string {
  const { doc, size, copies } = model;
  if (doc.state === "deleted") return "Deleted or donated: no data is left";
  const devices = count(size, "device");
  if (doc.unreduced.length > 0) {
    const of = doc.unreduced_kind;
    return `${of === "sum" ? "Not added" : "Not combined"} yet: each device holds a partial ${of} over ${doc.unreduced.join(", ")}`;
  }
  const tiles = new Set(model.tileAt).size;
  const along = replicated(model);
  if (tiles === 1) return size === 1 ? "All of it on one device" : `All of it on each of ${devices}`;
  return copies > 1
    ? `${tiles} different blocks, each on ${copies} devices${along && ` along ${along}`}`
    : `${tiles} different blocks, one on each of ${devices}`;
}

function specTokens(model: PlacementModel): readonly Token[] {
  const { spec, agreement, sharding } = model.doc;
  return spec === null
    ? plain(`${sharding}, by its own index map`)
    : agreement === "same"
      ? []
      : axisTokens(spec, model);
}

function parts(model: PlacementModel): Part[] {
  const { doc } = model;
  const name = (axis: string): Token => ({ text: axis, axis: model.axisOf(axis) });
  const out: Part[] = doc.dims.map((d, i) => {
    const n = model.grid[i] ?? 1;
    const sizes = d.axes.map((a): Token => ({ text: String(model.axisSize(a)), axis: model.axisOf(a) }));
    const split = d.axes.length > 0;
    return {
      title: `dim ${i}`,
      text: split ? [...plain(`${d.size} ÷ `), ...listed(sizes, "·"), ...plain(" = ")] : [],
      result: String(split ? d.size / n : d.size),
      after: split ? "" : d.unconstrained ? " the compiler chooses" : " whole",
    };
  });
  const group = (names: readonly string[], after: string) => {
    if (names.length > 0) out.push({ title: "", text: listed(names.map(name), ", "), result: "", after });
  };
  group(doc.unreduced, ` ${doc.unreduced_kind} pending`);
  group(doc.reduced, " gradient unreduced");
  return out;
}

function listed(all: readonly Token[], between: string): Token[] {
  return all.flatMap((one, i) => (i === 0 ? [one] : [...plain(between), one]));
}

function meshNote(model: PlacementModel): string {
  const { mesh } = model.doc;
  const type = model.axisType && `${model.axisType} · `;
  if (mesh.abstract) return `${type}abstract: ${count(model.size, "position")}`;
  const hosts = model.processes > 1 ? `${model.processes} processes` : "one process";
  return `${type}${model.size} × ${mesh.kind || mesh.platform} · ${hosts}`;
}

/** The mesh axes along which devices have this of each other's data, as a list. */
function linked(model: PlacementModel, ...kinds: readonly (string | null)[]): Token[] {
  const all = model.axes.map(({ name }, axis): Token => ({ text: name, axis }));
  return listed(
    all.filter((_, axis) => kinds.includes(model.link(axis))),
    ", ",
  );
}

function keyOf(model: PlacementModel): readonly Token[] {
  const same = model.doc.state === "deleted" ? [] : linked(model, "replicated");
  return same.length > 0 ? [...plain("the same data, along "), ...same] : [];
}

function notes(model: PlacementModel): Token[][] {
  const { doc } = model;
  const out: Token[][] = [];
  if (doc.shape === null || doc.state === "deleted") return out;
  const partial = linked(model, "unreduced");
  const reduced = linked(model, "reduced");
  if (partial.length > 0) {
    const entry = (axes: readonly string[]) => {
      const names = axes.map((a) => `'${a}'`).join(", ");
      return axes.length === 0 ? "None" : axes.length === 1 ? names : `(${names})`;
    };
    const settled = `jax.reshard(${doc.name || "x"}, P(${doc.dims.map((d) => entry(d.axes)).join(", ")}))`;
    const sum = doc.unreduced_kind === "sum";
    out.push([
      ...plain(`Hatched = a partial ${doc.unreduced_kind}. + joins the devices along `),
      ...partial,
      ...plain(` whose blocks must be ${sum ? "added" : "combined"}: ${settled} pays the all-reduce.`),
    ]);
  }
  if (reduced.length > 0) {
    out.push([
      ...plain("A hollow = joins equal blocks along "),
      ...reduced,
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

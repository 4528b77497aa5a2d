/** Exercises: decoding, the layout that a spec being written would give, and the line of Python that answers. */
import type { Exercises, Field, Placement, Question } from "./document.gen";
import { product } from "./mesh";
import { decodeDocument } from "./wire";

/** What is filled in, by field; what is not there is empty. */
export type Draft = Readonly<Record<string, string>>;

export function decodeExercises(wire: unknown): Exercises {
  return decodeDocument(wire, "exercises", (doc) => {
    if (!Array.isArray(doc.questions) || doc.questions.length === 0) return "it has no questions";
    const bare = doc.questions.find((q) => !Array.isArray(q.fields) || q.fields.length === 0);
    return bare ? `the question ${JSON.stringify(bare.name)} has nothing to fill in` : null;
  });
}

/** What was answered last, as something to go on from. */
export function draftOf(question: Question): Draft {
  return Object.fromEntries(question.answer.map((g) => [g.field, g.text]));
}

export function isComplete(question: Question, draft: Draft): boolean {
  return question.fields.every((f) => f.form === "code" || (draft[f.name] ?? "").replace(/[\s,;]/g, "") !== "");
}

/** Text in runs: what stands between backquotes is code. */
export function codeRuns(text: string): { text: string; code: boolean }[] {
  return text
    .split("`")
    .map((part, i) => ({ text: part, code: i % 2 === 1 }))
    .filter((run) => run.text !== "");
}

// ── A spec being written ────────────────────────────────────────────────────────────────────────────────────────────

export interface Written {
  /** Mesh axes of each dimension that the spec names, major to minor. */
  entries: readonly (readonly string[])[];
  unreduced: readonly string[];
}

const ENTRY = /^(?:None|(?:P|PartitionSpec)\.UNCONSTRAINED|'(\w+)'|"(\w+)"|\(([^()]*)\))$/;

/** Reads a spec as far as a preview needs it; null for what is none (yet). Python reads it again when it is answered. */
export function readSpec(text: string): Written | null {
  const inside = /^(?:(?:jax\.)?(?:sharding\.)?(?:P|PartitionSpec))?\s*\((.*)\)$/s.exec(text.trim());
  const parts = split(inside ? (inside[1] ?? "") : text);
  if (!parts) return null;
  const entries: string[][] = [];
  let unreduced: string[] = [];
  for (const part of parts) {
    const state = /^(unreduced|reduced)\s*=\s*\{([^{}]*)\}$/.exec(part);
    if (state) {
      const found = names(state[2] ?? "");
      if (!found) return null;
      if (state[1] === "unreduced") unreduced = found;
      continue;
    }
    const entry = ENTRY.exec(part);
    if (!entry) return null;
    const found = entry[3] === undefined ? [entry[1] ?? entry[2] ?? ""].filter((n) => n !== "") : names(entry[3]);
    if (!found) return null;
    entries.push(found);
  }
  return inside || parts.length > 0 ? { entries, unreduced } : null;
}

const PART = /(?:[^,(){}]|\([^()]*\)|\{[^{}]*\})+/g;

/** At the commas that stand in no brackets; null where brackets do not match. */
function split(text: string): string[] | null {
  if (/[^,\s]/.test(text.replace(PART, ""))) return null;
  return (text.match(PART) ?? []).map((p) => p.trim()).filter((p) => p !== "");
}

function names(text: string): string[] | null {
  const parts = split(text)?.map((p) => /^(?:'(\w+)'|"(\w+)")$/.exec(p));
  return parts?.every((p) => p !== null) ? parts.map((p) => p?.[1] ?? p?.[2] ?? "") : null;
}

/**
 * The text of a spec with a mesh axis put on the first dimension that is whole (the last one, where none is), or taken
 * off where it stands already. A text that is no spec stays as it is.
 */
export function withAxis(text: string, axis: string, rank: number): string {
  const spec = text.trim() === "" ? { entries: [], unreduced: [] } : readSpec(text);
  if (!spec || rank === 0) return text;
  const used = spec.entries.some((e) => e.includes(axis));
  const entries = Array.from({ length: Math.max(rank, spec.entries.length) }, (_, d) =>
    (spec.entries[d] ?? []).filter((a) => a !== axis),
  );
  const free = entries.findIndex((e) => e.length === 0);
  if (!used) entries.at(free)?.push(axis);
  const words = entries.map((e) => (e.length > 1 ? `(${e.map(quoted).join(", ")})` : quoted(e[0])));
  const states = spec.unreduced.length > 0 ? [`unreduced={${spec.unreduced.map(quoted).join(", ")}}`] : [];
  return `P(${[...words, ...states].join(", ")})`;
}

function quoted(axis: string | undefined): string {
  return axis === undefined ? "None" : `'${axis}'`;
}

export interface Preview {
  /** The array as the spec places it; null where it places none. */
  placement: Placement | null;
  /** In what way it places none. */
  problem: string;
}

/** Said of a text that is no spec, or none yet. */
export const UNFINISHED = "not a spec yet";

/** The layout that a spec gives, without asking Python. */
export function preview(question: Question, field: Field, text: string): Preview {
  const none = (problem: string): Preview => ({ placement: null, problem });
  if (text.trim() === "") return none("");
  const spec = readSpec(text);
  if (!spec) return none(UNFINISHED);
  const { entries, unreduced } = spec;
  const size = new Map(question.mesh.axes.map((a) => [a.name, a.size]));
  const used = [...entries.flat(), ...unreduced];
  const unknown = used.find((a) => !size.has(a));
  if (unknown !== undefined) return none(`the mesh has no axis ${unknown}`);
  const twice = used.find((a, i) => used.indexOf(a) < i);
  if (twice !== undefined) {
    const dim = entries.findIndex((e) => e.includes(twice));
    return none(dim < 0 ? `${twice} is used twice` : `${twice} is taken by dim ${dim}`);
  }
  if (entries.length > field.shape.length)
    return none(`${entries.length} entries for ${field.shape.length} dimensions`);
  const dims = field.shape.map((n, d) => ({ size: n, axes: entries[d] ?? [], unconstrained: false, cut: null }));
  for (const [d, dim] of dims.entries()) {
    const pieces = product(dim.axes.map((a) => size.get(a) ?? 1));
    if (dim.size % pieces !== 0) return none(`dim ${d}: ${dim.size} does not divide by ${pieces}`);
  }
  const type = dims.map((d) => (d.axes.length > 1 ? `${d.size}@(${d.axes})` : [d.size, ...d.axes].join("@"))).join(",");
  const state = unreduced.length > 1 ? `{U:(${unreduced})}` : unreduced.length > 0 ? `{U:${unreduced}}` : "";
  const placement: Placement = {
    mesh: question.mesh,
    shape: field.shape,
    dims,
    dtype: field.dtype,
    bits: field.bits,
    name: "",
    type: `${field.dtype}[${type}]${state}`,
    sharding: "NamedSharding",
    spec: text.trim(),
    agreement: "",
    unreduced,
    unreduced_kind: "sum",
    reduced: [],
    memory_kind: "",
    logical_device_ids: null,
    hlo: "",
    shardy: "",
    state: "abstract",
    values: null,
    jax_version: "",
    kind: "placement",
    version: 1,
  };
  return { placement, problem: "" };
}

// ── The line of Python ──────────────────────────────────────────────────────────────────────────────────────────────

/** The code that stands under a question, with what is filled in at its place; `…` for what is not. */
export function answerCode(question: Question, draft: Draft, inSet: boolean): string {
  const literals = question.fields.map((f) => literal(f, draft[f.name] ?? ""));
  const one = literals.length === 1 ? (literals[0] ?? "…") : `(${literals.join(", ")})`;
  const filled =
    question.task === "put_specs"
      ? `in_specs=(${literals.slice(0, -1).join(", ")}${literals.length === 2 ? "," : ""}), out_specs=${literals.at(-1)}`
      : one;
  const code = question.code.replace("{answer}", () => filled);
  return inSet ? code.replace(/^exercise\./, () => `exercises[${JSON.stringify(question.name)}].`) : code;
}

function literal(field: Field, text: string): string {
  const value = text.trim();
  if (field.form === "code") return field.example;
  if (value === "") return "…";
  switch (field.form) {
    case "spec":
      return /^(?:P|PartitionSpec|jax)\b/.test(value) ? value : `P(${value})`;
    case "devices":
      return `{${chosen(value).join(", ")}}`;
    case "grid":
      return `[${gridOf(value, field.shape)
        .map((row) => `[${row.map((c) => c.trim() || "…").join(", ")}]`)
        .join(", ")}]`;
    default:
      return JSON.stringify(value);
  }
}

/** Device ids in a text. */
export function chosen(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

/** The cells of a grid's text, always of its shape. */
export function gridOf(text: string, shape: readonly number[]): string[][] {
  const rows = text.split("\n").map((row) => row.split(",").map((c) => c.trim()));
  const [down = 1, across = 1] = shape;
  return Array.from({ length: down }, (_, r) => Array.from({ length: across }, (_, c) => rows[r]?.[c] ?? ""));
}

/** The text of a grid with one cell changed. */
export function withCell(text: string, shape: readonly number[], row: number, column: number, value: string): string {
  const cells = gridOf(text, shape);
  const line = cells[row];
  if (line) line[column] = value.replace(/[,\n]/g, " ");
  return cells.map((r) => r.join(", ")).join("\n");
}

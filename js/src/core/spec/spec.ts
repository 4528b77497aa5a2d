/** A PartitionSpec being edited: its places, its text in Python, and what an edit makes of it. */
import type { MeshAxis, SpecDraft, SpecEntry } from "../document.gen";

/** Where in a spec an axis stands: a dimension, or one of the two states. */
export type Place = number | "unreduced" | "reduced";

/** One axis at its place. */
export interface Seat {
  place: Place;
  /** Which of the place's axes, major to minor. */
  index: number;
}

export const NONE: SpecEntry = { axes: [], unconstrained: false };

export function entryAt(draft: SpecDraft, dim: number): SpecEntry {
  return draft.entries[dim] ?? NONE;
}

export function axesAt(draft: SpecDraft, place: Place): readonly string[] {
  return typeof place === "number" ? entryAt(draft, place).axes : draft[place];
}

/** All places, in the order that they are written: dimensions, and entries that have none; then the states. */
export function placesOf(draft: SpecDraft): Place[] {
  const dims = Math.max(draft.shape.length, draft.entries.length);
  return [...Array(dims).keys(), "unreduced", "reduced"];
}

/** Whether the spec names an axis anywhere. */
export function isUsed(draft: SpecDraft, name: string): boolean {
  return placesOf(draft).some((place) => axesAt(draft, place).includes(name));
}

export function sizeOf(draft: SpecDraft, name: string): number {
  return draft.axes.find((a) => a.name === name)?.size ?? 1;
}

/** Parts that a dimension is split into. */
export function partsOf(draft: SpecDraft, dim: number): number {
  return entryAt(draft, dim).axes.reduce((n, name) => n * sizeOf(draft, name), 1);
}

export function positions(axes: readonly MeshAxis[]): number {
  return axes.reduce((n, a) => n * a.size, 1);
}

// ── Edits ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Puts an axis at a place, before its `index`-th axis, or after all of them. */
export function put(draft: SpecDraft, name: string, place: Place, index = Number.POSITIVE_INFINITY): SpecDraft {
  const axes = [...axesAt(draft, place)];
  axes.splice(index, 0, name);
  return withAxes(draft, place, axes);
}

export function take(draft: SpecDraft, { place, index }: Seat): SpecDraft {
  return withAxes(
    draft,
    place,
    axesAt(draft, place).filter((_, i) => i !== index),
  );
}

/** Moves an axis; within one place, `index` counts as before the move. */
export function move(draft: SpecDraft, from: Seat, place: Place, index = Number.POSITIVE_INFINITY): SpecDraft {
  const name = axesAt(draft, from.place)[from.index];
  if (name === undefined) return draft;
  const shifted = from.place === place && from.index < index ? index - 1 : index;
  return put(take(draft, from), name, place, shifted);
}

/** Empties a place; an entry beyond the last dimension is removed. */
export function clear(draft: SpecDraft, place: Place): SpecDraft {
  if (typeof place === "number" && place >= draft.shape.length)
    return { ...draft, entries: draft.entries.slice(0, place) };
  return withAxes(draft, place, []);
}

/** Leaves a dimension to the compiler; a second call undoes that. */
export function unconstrain(draft: SpecDraft, dim: number): SpecDraft {
  return withEntry(draft, dim, { axes: [], unconstrained: !entryAt(draft, dim).unconstrained });
}

function withAxes(draft: SpecDraft, place: Place, axes: readonly string[]): SpecDraft {
  return typeof place === "number"
    ? withEntry(draft, place, { axes, unconstrained: false })
    : { ...draft, [place]: axes };
}

function withEntry(draft: SpecDraft, dim: number, entry: SpecEntry): SpecDraft {
  const count = Math.max(draft.entries.length, dim + 1);
  return { ...draft, entries: Array.from({ length: count }, (_, d) => (d === dim ? entry : entryAt(draft, d))) };
}

/** The array with another shape; the spec stays, except for entries that say nothing. */
export function reshape(draft: SpecDraft, shape: readonly number[]): SpecDraft {
  const said = draft.entries.findLastIndex((e) => e.axes.length > 0 || e.unconstrained) + 1;
  return { ...draft, shape, entries: draft.entries.slice(0, Math.max(said, shape.length)) };
}

/** The mesh with one axis changed. The spec follows a new name. */
export function changeAxis(draft: SpecDraft, index: number, change: Partial<MeshAxis>): SpecDraft {
  const old = draft.axes[index];
  if (!old) return draft;
  const axes = draft.axes.map((a, i) => (i === index ? { ...a, ...change } : a));
  const rename = (name: string) => (name === old.name ? (change.name ?? name) : name);
  return {
    ...draft,
    axes,
    entries: draft.entries.map((e) => ({ ...e, axes: e.axes.map(rename) })),
    unreduced: draft.unreduced.map(rename),
    reduced: draft.reduced.map(rename),
  };
}

/** The mesh with one axis more, of size 2 and a name of its own. */
export function addAxis(draft: SpecDraft): SpecDraft {
  const taken = new Set(draft.axes.map((a) => a.name));
  const name = [..."xyzwuvabcdefgh"].find((n) => !taken.has(n)) ?? `axis${draft.axes.length}`;
  const type = draft.axes.at(-1)?.type ?? "Explicit";
  return { ...draft, axes: [...draft.axes, { name, size: 2, type }] };
}

export function dropAxis(draft: SpecDraft, index: number): SpecDraft {
  return { ...draft, axes: draft.axes.filter((_, i) => i !== index) };
}

// ── Text ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A string as Python's `repr` writes it. */
export function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return mark + text.replaceAll("\\", "\\\\").replaceAll(mark, `\\${mark}`) + mark;
}

/** A tuple as Python writes it. */
export function tupleText(items: readonly string[]): string {
  return `(${items.join(", ")}${items.length === 1 ? "," : ""})`;
}

export function setText(names: readonly string[]): string {
  return `{${names.map(quoted).join(", ")}}`;
}

/** An entry in Python; `unconstrained` is how the caller's text calls that. */
export function entryText(entry: SpecEntry, unconstrained: string): string {
  if (entry.unconstrained) return unconstrained;
  const names = entry.axes.map(quoted);
  return names.length === 0 ? "None" : names.length === 1 ? (names[0] ?? "") : tupleText(names);
}

/** The spec as one writes it: `P('y', P.UNCONSTRAINED, unreduced={'x'})`. */
export function specCode(draft: Pick<SpecDraft, "entries" | "unreduced" | "reduced">): string {
  const parts = draft.entries.map((e) => entryText(e, "P.UNCONSTRAINED"));
  if (draft.unreduced.length > 0) parts.push(`unreduced=${setText(draft.unreduced)}`);
  if (draft.reduced.length > 0) parts.push(`reduced=${setText(draft.reduced)}`);
  return `P(${parts.join(", ")})`;
}

const ENTRY = /^(?:None|(?:(?:jax\.)?(?:sharding\.)?(?:P|PartitionSpec)\.)?(UNCONSTRAINED)|('.*'|".*")|\((.*)\))$/;
const PART = /(?:'[^']*'|"[^"]*"|\([^()]*\)|\{[^{}]*\}|[^,(){}'"])+/g;

/** Parses a spec; null if the text is not one. Names need not be those of a mesh. */
export function readSpec(text: string): Pick<SpecDraft, "entries" | "unreduced" | "reduced"> | null {
  const inside = /^(?:(?:jax\.)?(?:sharding\.)?(?:P|PartitionSpec))\s*\((.*)\)$/s.exec(text.trim());
  const parts = split(inside?.[1] ?? text);
  if (!parts || (!inside && parts.length === 0)) return null;
  const entries: SpecEntry[] = [];
  const states = { unreduced: [] as string[], reduced: [] as string[] };
  for (const part of parts) {
    const state = /^(unreduced|reduced)\s*=\s*\{(.*)\}$/.exec(part);
    if (state) {
      const found = names(state[2] ?? "");
      if (!found) return null;
      states[state[1] as "unreduced" | "reduced"] = [...new Set(found)];
      continue;
    }
    const entry = ENTRY.exec(part);
    const found = entry && names(entry[2] ?? entry[3] ?? "");
    if (!entry || !found) return null;
    entries.push({ axes: found, unconstrained: entry[1] !== undefined });
  }
  return { entries, ...states };
}

/** Splits at the commas outside brackets; null where brackets or quotes do not match. */
function split(text: string): string[] | null {
  if (/[^,\s]/.test(text.replace(PART, ""))) return null;
  return (text.match(PART) ?? []).map((p) => p.trim()).filter((p) => p !== "");
}

function names(text: string): string[] | null {
  const parts = split(text)?.map((p) => /^(?:'([^'\\]*)'|"([^"\\]*)")$/.exec(p));
  return parts?.every((p) => p !== null) ? parts.map((p) => p?.[1] ?? p?.[2] ?? "") : null;
}

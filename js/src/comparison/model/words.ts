/** What a comparison's table says beside types and specs. */

import { ARRAYS, type Column, VALUES } from "../../core/columns.gen";
import type { Compared, Fix, HloCollective, Layout, Row, Scope } from "../../core/document.gen";
import { bytes } from "../../core/format";
import type { PlacementModel } from "../../core/placement";
import type { Badge } from "../../core/text";
import { capital, coordinates, count, sliceText, some } from "../../core/text";
import type { ComparisonModel, Tally } from "./comparison";
import { comesAfter, type Filter, type RowLine } from "./lines";

/** The columns of the table, with the heads and notes that they have for these programs. */
export function columnsOf({ doc }: ComparisonModel): readonly Column[] {
  if (doc.of === "arrays") return ARRAYS;
  const from = doc.compiled_from;
  return VALUES.map((column) => {
    if (column.key !== "concrete") return column;
    const known = from === "Auto" || from === "Explicit";
    return {
      ...column,
      head: known ? `${column.head} from ${from}` : column.head,
      note: from ? column.note : "not known",
    };
  });
}

/** `layer(x, w1, w2, scale)`. */
export function titleOf(model: ComparisonModel): string {
  const { doc } = model;
  if (doc.of === "arrays") return doc.name || "arrays";
  const [first] = model.rows;
  return `${doc.name || "f"}(${first?.primitive === "arguments" ? parameters(first) : ""})`;
}

/** The function's parameters, each once: of `params['w']` and `params['b']` the name `params`. */
export function parameters(row: Row): string {
  return some([...new Set(row.values.map((v) => v.name.match(/^[^[.]+/)?.[0] ?? "·"))], 6);
}

/** What is said beside placements that inspections changed. */
export const INSPECTED =
  "Read from the program with sharding inspections, which has other collectives here: the compiled program may never " +
  "compute this value, or may place it elsewhere.";

/** What a row is about: the parameters, the results, the array, or the user's line; empty where that is not known. */
export function subject(row: Row): string {
  if (row.primitive === "arguments" || row.primitive === "outputs") return parameters(row);
  return row.primitive === "array" ? (row.values[0]?.name ?? "") : (row.source?.text ?? "");
}

/** `news`: rows that the last choice of a fix changed. */
export function badgesOf(model: ComparisonModel, news = 0): Badge[] {
  const { used } = model;
  const tally = model.tally();
  const badges = tallyBadges({ ...tally, errors: tally.errors - used });
  if (used > 0) {
    const text = used === 1 ? "fix used" : "fixes used";
    badges.unshift({ tone: "ok", strong: String(used), text, to: "errors" });
  }
  if (news > 0) {
    const text = news === 1 ? "row changed" : "rows changed";
    badges.push({ tone: "ok", strong: String(news), text, to: "news" });
  }
  const same = model.rows.some((r) => r.values.some((v) => v.agreement === "same"));
  return badges.length === 0 && same ? [{ tone: "ok", strong: "✓", text: "all the same" }] : badges;
}

/** Beside the answer: how much of it follows from fixes that are not in the file. */
export function alsoOf({ rows, fixed }: ComparisonModel): string {
  const below = rows.slice(fixed + 1).filter(({ primitive }) => primitive !== "outputs").length;
  return below > 0 ? `${count(below, "row")} below ${below === 1 ? "goes" : "go"} on with a fix` : "";
}

/** What of some rows is worth a look. */
export function tallyBadges({ errors, differs, inserted, replications }: Tally): Badge[] {
  const badge = (to: Filter, tone: Badge["tone"], n: number, one: string, many: string): Badge[] =>
    n > 0 ? [{ tone, strong: String(n), text: n === 1 ? one : many, to }] : [];
  return [
    ...badge("errors", "error", errors, "type error", "type errors"),
    ...badge("differs", "warn", differs, "placement differs", "placements differ"),
    ...badge("collectives", "plain", inserted, "collective inserted", "collectives inserted"),
    ...badge("replications", "warn", replications, "replication", "replications"),
  ];
}

/** Where a value is, in the notation of its type, `f32[16@data,32]`; the sharding's own text where no type says it. */
export function typed({ auto, explicit, shape }: Compared, { text, dims, unreduced, reduced }: Layout): string {
  const [prefix = "", rest] = (auto || explicit?.text || "").split("[");
  const plain = dims !== null && unreduced.length + reduced.length === 0 && dims.length === shape.length;
  if (rest === undefined || !plain || dims.some((d) => d.unconstrained || d.cut)) return text;
  const over = (axes: readonly string[]) =>
    axes.length > 1 ? `@(${axes.join(",")})` : axes.length > 0 ? `@${axes[0]}` : "";
  return `${prefix}[${dims.map(({ axes }, d) => `${shape[d]}${over(axes)}`).join(",")}]`;
}

/** What a scope is, beside its name: `named_scope`, `loop ×12`; empty where the name says it. */
export function kindOf({ kind, name, times }: Scope): string {
  const word = kind === "region" ? "shard_map" : kind;
  if (word === name) return "";
  return kind === "loop" ? (times === null ? "loop, times not known" : `loop ×${times}`) : word;
}

/** `lines 3 to 7`; how many lines where they are of several files, or of none. */
export function rangeOf(model: ComparisonModel, lines: readonly RowLine[]): string {
  const sources = lines.map(({ row }) => model.row(row)?.source);
  const numbers = sources.flatMap((source) => (source && source.file === sources[0]?.file ? [source.line] : []));
  if (numbers.length < lines.length) return count(lines.length, "line");
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return low === high ? `line ${low}` : `lines ${low} to ${high}`;
}

/** `in attention › scan`. */
export function trailText(model: ComparisonModel, trail: readonly number[]): string {
  const names = trail.flatMap((e) => model.doc.scopes[e]?.name ?? []);
  return names.length > 0 ? `in ${names.join(" › ")}` : "";
}

/** Why a collective is there. */
export function purpose(row: Row, op: HloCollective): string {
  const where = row.source ? ` at line ${row.source.line}` : "";
  const what = `the ${row.primitive}${where}`;
  const does = op.by_user
    ? `is written in ${what}`
    : comesAfter(op)
      ? `finishes ${what}: its sum is split over ${op.axes.join(", ") || "these groups"}`
      : op.semantics.cuts === "received"
        ? `gathers ${row.primitive === "outputs" ? "a result" : `an operand of ${what}`}`
        : `moves an operand of ${what}`;
  return [
    `${does}${op.recomputed ? ", recomputed in the backward pass" : op.backward ? ", in the backward pass" : ""}.`,
    op.remark && `${capital(op.remark)}.`,
  ]
    .filter((s) => s !== "")
    .join(" ");
}

/** `12 times`, `in a loop, times not known`; empty for once. */
export function timesText(op: HloCollective): string {
  return op.times === null ? "times not known" : op.times === 1 ? "" : `×${op.times}`;
}

/** `w is gathered whole over model, 1 MiB per device`. */
export function remarkText(row: Row): string {
  if (row.remark === "") return "";
  return row.wasted_bytes > 0 ? `${row.remark}: ${bytes(row.wasted_bytes)} per device.` : `${row.remark}.`;
}

/** What a fix makes the devices do: `all-reduce over y · 2 KiB/device`. */
export function costOf({ communication, bytes_per_device: sent }: Fix): string {
  if (communication === "none") return "no communication";
  if (communication === "") return "communication not known";
  return sent > 0 ? `${communication} · ${bytes(sent)}/device` : communication;
}

/** A name in a narrow place. Of a long path into a pytree: its last keys, as many as fit in `most` characters. */
export function shortName(name: string, most = 14): string {
  if (name.length <= most) return name;
  const keys = name.match(/[^[\].'"]+/g) ?? [name];
  let tail = keys.pop() ?? name;
  for (let key = keys.pop(); key !== undefined && key.length + tail.length + 2 <= most; key = keys.pop())
    tail = `${key}/${tail}`;
  return `…${tail.slice(-(most - 1))}`;
}

/** The part of a fix's code that is not in the user's line, as a range of characters. */
export function changed(code: string, source: string): readonly [number, number] {
  const named = code.search(/(out_sharding|in_shardings|out_specs)=/);
  if (named >= 0) return [named, closing(code, named)];
  let start = 0;
  while (start < code.length && code[start] === source[start]) start++;
  // A name that only begins the same is a different name.
  while (start > 0 && start < code.length && /\w\w/.test(code.slice(start - 1, start + 1))) start--;
  let end = code.length;
  for (let at = source.length; end > start && at > start && code[end - 1] === source[at - 1]; at--) end--;
  // What is opened in it is closed in it.
  while (end < code.length && depthOf(code.slice(start, end)) > 0) end++;
  return [start, end];
}

/** Brackets that are open at the end of a piece of code. */
function depthOf(code: string): number {
  return [...code].reduce((depth, c) => depth + ("([{".includes(c) ? 1 : ")]}".includes(c) ? -1 : 0), 0);
}

/** One past the end of the argument that begins at a place: its own brackets are closed. */
function closing(code: string, from: number): number {
  let depth = 0;
  for (let i = from; i < code.length; i++) {
    const c = code[i] ?? "";
    if ("([{".includes(c)) depth++;
    else if (")]}".includes(c) && --depth < 0) return i;
    else if (c === "," && depth === 0) return i;
  }
  return code.length;
}

/** Axes along which devices hold the same data, with how many do: `×2` in the colour of each. */
export function copiesOf(placement: PlacementModel): { axis: number; size: number }[] {
  return placement.axes.flatMap((a, axis) =>
    placement.link(axis) === "replicated" || placement.link(axis) === "reduced" ? [{ axis, size: a.size }] : [],
  );
}

/** A small picture in words: `4 × 2 tiles, 2 copies of each`. */
export function pictureText(placement: PlacementModel): string {
  const grid = placement.grid.filter((n) => n > 1);
  const tiles = grid.length === 0 ? "whole on every device" : `${grid.join(" × ")} tiles`;
  const partial = placement.doc.unreduced.length > 0 ? `, partial sums over ${placement.doc.unreduced.join(", ")}` : "";
  const { copies } = placement;
  return `${tiles}${copies > 1 && grid.length > 0 ? `, ${count(copies, "copy", "copies")} of each` : ""}${partial}`;
}

/** What the tooltip of a tile says: slice, size, devices. */
export function tileText(placement: PlacementModel, name: string, tile: number): readonly [string, string, string] {
  const holders = placement.holders(tile);
  const noun = placement.mesh.abstract ? "position" : "device";
  const ids = some(
    holders.map((p) => placement.ids[p] ?? 0),
    8,
  );
  const [first] = holders;
  const at = holders.length === 1 && first !== undefined ? ` at ${coordinates(placement, first)}` : "";
  return [
    `${name.slice(0, 60) || "value"}${sliceText(placement, tile)}`,
    `${placement.tileShape(tile).join("×") || "scalar"} · ${bytes(placement.tileBytes(tile))}`,
    holders.length === 0 ? "on no device" : `${noun}${holders.length === 1 ? "" : "s"} ${ids}${at}`,
  ];
}

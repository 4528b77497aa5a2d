/** Two searches for a sharding: what became of the best, and each candidate that differs. */
import { headOf } from "../../core/columns";
import { CANDIDATES, SEARCH_DIFFERENCES } from "../../core/columns.gen";
import type { CandidateChange, CandidateFigures, CandidateSide, SearchDiff, SearchSide } from "../../core/document.gen";
import { bytes, bytesColumn, duration, type Format, secondsColumn, times } from "../../core/format";
import { clauses, count } from "../../core/text";
import { type Diff, named, type Order, type Row, signed, type Total } from "./diff";

/** What is measured of a side: seconds of a step, or bytes of memory where these are asked for. */
interface Measure {
  readonly timed: boolean;
  of(figures: CandidateFigures | null): number;
  readonly write: Format;
}

export function searchDiff(doc: SearchDiff, order: Order): Diff {
  const timed = order !== "bytes";
  const of = (figures: CandidateFigures | null) => (figures ? (timed ? figures.time_s : figures.bytes_per_device) : 0);
  const sizes = doc.changes.flatMap((change) => figuresOf(change).map(of));
  const [time, memory] = [headOf(CANDIDATES, "time"), headOf(CANDIDATES, "memory")];
  const measure = { timed, of, write: (timed ? secondsColumn : bytesColumn)(sizes) };
  const rows = doc.changes.map((change, index) => rowOf(change, index, measure));
  const [before, after] = [doc.before, doc.after].map((s) => `${count(s.chips, "chip")} of ${s.target}`);
  return {
    name: named(doc.before.name, doc.after.name),
    about: clauses(["before and after", named(before ?? "", after ?? "")], ", "),
    mesh: null,
    sides: ["before", "after"],
    verdict: doc.verdict,
    also: "",
    totals: totalsOf(doc),
    rows: timed ? rows : bySize(rows),
    same: [],
    sameText: clauses([doc.same > 0 ? count(doc.same, "unchanged candidate") : "", doc.also], "; "),
    heads: { op: headOf(SEARCH_DIFFERENCES, "name"), source: timed ? memory : time, difference: timed ? time : memory },
    words: false,
    orders: ["time", "bytes"],
    lines: [],
  };
}

/** In the document's order, by time, the first ones are in both searches. */
function bySize(rows: readonly Row[]): Row[] {
  const apart = ({ before, after }: Row) => (before && after ? Math.abs(after.size - before.size) : -1);
  return [...rows].sort((a, b) => apart(b) - apart(a) || a.index - b.index);
}

/** Those that are compared: what was compiled, where each side that there is was; otherwise estimates. */
function figuresOf({ before, after }: CandidateChange): [CandidateFigures | null, CandidateFigures | null] {
  const compiled = isCompiled(before, after);
  const of = (side: CandidateSide | null) => side && (compiled ? side.compiled : side.estimated);
  return [of(before), of(after)];
}

function isCompiled(...sides: readonly (CandidateSide | null)[]): boolean {
  return sides.every((side) => !side || side.compiled);
}

function rowOf(change: CandidateChange, index: number, { timed, of, write }: Measure): Row {
  const [before, after] = figuresOf(change);
  const side = (figures: CandidateFigures | null) =>
    figures && { text: write(of(figures)), note: "", size: of(figures) };
  const other = [before, after].flatMap((f) => (f ? [timed ? bytes(f.bytes_per_device) : duration(f.time_s)] : []));
  const fits = [change.before, change.after].flatMap((s) => (s ? [FITS[String(s.fits) as keyof typeof FITS]] : []));
  const compiled = isCompiled(change.before, change.after);
  const [faster] = before && after && after.time_s > 0 ? [before.time_s / after.time_s] : [0];
  return {
    index,
    change: !before ? "added" : !after ? "gone" : "changed",
    name: change.name,
    axes: [],
    over: "",
    code: several(other),
    note: clauses([several(fits), compiled ? "compiled" : "estimated"], " · "),
    before: side(before),
    after: side(after),
    difference: before && after ? signed(of(after) - of(before), write) : "",
    lines: [null, null],
    why: [
      ...(faster > 0 ? [`A step is ${ratio(faster)}.`] : []),
      `Each chip sends ${several([before, after].flatMap((f) => (f ? [bytes(f.sent)] : [])))} in a step.`,
      ...(compiled ? [] : aloneOf(change)),
    ],
  };
}

const FITS = { true: "fits", false: "does not fit", null: "may fit" } as const;

/** Both, or one where they are the same. */
function several(texts: readonly string[]): string {
  return [...new Set(texts)].join(" → ");
}

function ratio(faster: number): string {
  if (Math.abs(faster - 1) < 0.005) return "as fast as before";
  return faster > 1 ? `${times(faster)} faster` : `${times(1 / faster)} slower`;
}

/** What one side alone was compiled to: it is not compared with an estimate. */
function aloneOf({ before, after }: CandidateChange): string[] {
  return ([[before, "before"] as const, [after, "after"] as const] as const).flatMap(([side, which]) =>
    side?.compiled
      ? [`Compiled ${which} alone: ${duration(side.compiled.time_s)}, ${bytes(side.compiled.bytes_per_device)}.`]
      : [],
  );
}

/** The best of each; without a difference where they are known in two ways. */
function totalsOf({ before, after }: SearchDiff): Total[] {
  const alike = before.basis === after.basis;
  const total = (title: string, of: (side: SearchSide) => number, write: Format): Total => ({
    title,
    difference: alike ? signed(of(after) - of(before), write) : "",
    sides: ([[before, "before"] as const, [after, "after"] as const] as const).map(([side, label]) => ({
      label,
      text: alike ? write(of(side)) : `${write(of(side))}, ${side.basis}`,
      parts: [{ axes: [], size: of(side) }],
    })),
  });
  const which = before.any_fits && after.any_fits ? "the best" : "the best, or the least where none fits";
  return [
    total(`a step of ${which}`, (side) => side.time_s, duration),
    total("its memory on each chip", (side) => side.bytes_per_device, bytes),
  ];
}

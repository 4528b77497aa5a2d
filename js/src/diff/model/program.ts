/** Two programs: collectives by line and mesh axes. */
import type { DiffRow, DiffSide, ProgramDiff } from "../../core/document.gen";
import { bytes, bytesColumn, duration, type Format, percents, secondsColumn } from "../../core/format";
import type { MeshModel } from "../../core/mesh";
import { capital, clauses, count, some } from "../../core/text";
import {
  type Diff,
  lineText,
  named,
  ORDERS,
  type Order,
  type Part,
  type Row,
  type Side,
  signed,
  type Total,
} from "./diff";

/** What is measured of a side: seconds, or bytes where these are asked for or no time is known. */
interface Measure {
  readonly timed: boolean;
  of(side: DiffSide | null): number;
  readonly write: Format;
}

export function programDiff(doc: ProgramDiff, mesh: MeshModel, order: Order): Diff {
  const timed = doc.interconnect !== "" && order !== "bytes";
  const of = (side: DiffSide | null) => (side ? (timed ? side.seconds : side.bytes_per_device) : 0);
  const sizes = doc.rows.flatMap(({ before, after }) => [of(before), of(after)]);
  const measure = { timed, of, write: (timed ? secondsColumn : bytesColumn)(sizes) };
  const rows = sorted(doc, order, of).map((index) => rowOf(doc, index, mesh, measure));
  const orders = doc.interconnect === "" ? ORDERS.filter((one) => one !== "time") : ORDERS;
  return {
    name: named(doc.before.name, doc.after.name) || "program",
    about: clauses([doc.of, named(doc.before.target, doc.after.target)], ", "),
    mesh,
    sides: doc.of.split(" and ") as [string, string],
    verdict: doc.verdict,
    also: doc.also,
    totals: totalsOf(doc, mesh, measure),
    rows: rows.filter((row) => row.change !== "same"),
    same: rows.filter((row) => row.change === "same"),
    sameText: sameText(doc, measure),
    heads: timed ? {} : { difference: "sent a call" },
    words: false,
    orders,
    lines: doc.lines,
  };
}

function sorted({ rows }: ProgramDiff, order: Order, of: Measure["of"]): number[] {
  const key = (row: DiffRow): number | string => {
    if (order === "line") return (row.after ?? row.before)?.source?.line ?? Number.MAX_SAFE_INTEGER;
    return order === "axis" ? row.over : -Math.abs(of(row.after) - of(row.before));
  };
  const keys = rows.map(key);
  return [...rows.keys()].sort((a, b) => {
    const [x, y] = [keys[a] ?? 0, keys[b] ?? 0];
    return x === y ? a - b : x < y ? -1 : 1;
  });
}

function rowOf(doc: ProgramDiff, index: number, mesh: MeshModel, measure: Measure): Row {
  const row = doc.rows[index] as DiffRow;
  const { before, after, op } = row;
  const side = after ?? before;
  const lines = [before?.source ?? null, after?.source ?? null] as const;
  const whose =
    doc.of === "before and after" ? (side?.by_user ? "by you" : "by the compiler") : side?.by_user ? "yours" : "";
  const several = new Set(doc.rows.flatMap((r) => r.after?.source?.file ?? [])).size > 1;
  const where = lineText(...lines);
  const file = several ? (side?.source?.file ?? "") : "";
  // What differs in bytes alone is written as bytes.
  const apart = measure.of(after) - measure.of(before);
  const [by, write] = apart === 0 && measure.timed ? [bytesOf(after) - bytesOf(before), bytes] : [apart, measure.write];
  return {
    index,
    change: row.change,
    name: op,
    axes: row.axes.map((name) => mesh.axisOf(name)),
    over: row.axes.length > 0 ? "" : row.over,
    code: side?.source?.text ?? "",
    note: clauses([file, where, row.phase === "other" ? "" : row.phase, whose], " · "),
    before: sideOf(before, measure),
    after: sideOf(after, measure),
    difference: signed(by, write),
    lines,
    why: whyOf(row, doc),
  };
}

function bytesOf(side: DiffSide | null): number {
  return side?.bytes_per_device ?? 0;
}

function sideOf(side: DiffSide | null, { of, write }: Measure): Side | null {
  if (!side) return null;
  return { text: `${side.at_least ? "≥ " : ""}${write(of(side))}`, note: `×${side.runs}`, size: of(side) };
}

function whyOf({ before, after }: DiffRow, { interconnect, why }: ProgramDiff): string[] {
  const side = after ?? before;
  if (!side) return [];
  const runs = side.runs === 1 ? "once a call" : `${side.runs} times a call`;
  const time = interconnect ? `: ${duration(side.seconds)} (estimate on ${interconnect})` : "";
  return [
    ...(why ? [`Why: ${why}.`] : []),
    ...(side.remark ? [`It ${side.remark}.`] : []),
    ...(side.advice ? [`${capital(side.advice)}.`] : []),
    `Each device sends ${bytes(side.bytes_per_device)} a call, ${runs}${time}.`,
    `${side.arithmetic}${side.collectives.length > 1 ? `, the largest of ${side.collectives.length}` : ""}.`,
  ];
}

function totalsOf(doc: ProgramDiff, mesh: MeshModel, { timed, of }: Measure): Total[] {
  const names = doc.of.split(" and ");
  const [old, now] = (["before", "after"] as const).map((which) =>
    doc.rows.flatMap((row) => (row[which] ? [{ row, side: row[which] as DiffSide }] : [])),
  ) as [Sided[], Sided[]];
  const sum = (all: readonly Sided[], by: (side: DiffSide) => number) => all.reduce((n, { side }) => n + by(side), 0);
  const write = timed ? duration : bytes;
  const total = (title: string, figures: readonly [number, number], say: Format, parts = false): Total => ({
    title,
    difference: signed(figures[1] - figures[0], say),
    sides: [old, now].map((all, k) => {
      const size = figures[k] ?? 0;
      return { label: names[k] ?? "", text: say(size), parts: parts ? partsOf(all, mesh, of) : [{ axes: [], size }] };
    }),
  });
  const { before, after } = doc;
  const runs = total("collectives run a call", [sum(old, runsOf), sum(now, runsOf)], String);
  const known = before.memory >= 0 && after.memory >= 0;
  return [
    total(timed ? "in collectives a call" : "sent by each device a call", [sum(old, of), sum(now, of)], write, true),
    ...(doc.of === "lowered and compiled" ? [shareOf(now, of)] : []),
    ...(known ? [total("memory on each device", [before.memory, after.memory], bytes)] : []),
    runs,
  ];
}

interface Sided {
  readonly row: DiffRow;
  readonly side: DiffSide;
}

function runsOf(side: DiffSide): number {
  return side.runs;
}

/** How much of it the program asks for itself. */
function shareOf(now: readonly Sided[], of: Measure["of"]): Total {
  const figure = (own: boolean) =>
    now.filter(({ side }) => side.by_user === own).reduce((n, { side }) => n + of(side), 0);
  const [yours, added] = [figure(true), figure(false)];
  const whole = yours + added || 1;
  const share = percents([yours / whole, added / whole]);
  return {
    title: "asked for by you, added by the compiler",
    difference: "",
    sides: [
      { label: "yours", text: share(yours / whole), parts: [{ axes: [], size: yours }] },
      { label: "added", text: share(added / whole), parts: [{ axes: [], size: added }] },
    ],
  };
}

/** What each set of mesh axes has of a total, in the order of the mesh. */
function partsOf(all: readonly Sided[], mesh: MeshModel, of: Measure["of"]): Part[] {
  const parts = new Map<string, Part>();
  for (const { row, side } of all) {
    const axes = row.axes.map((name) => mesh.axisOf(name));
    const key = axes.join();
    parts.set(key, { axes, size: (parts.get(key)?.size ?? 0) + of(side) });
  }
  return [...parts.values()].sort((a, b) => (a.axes[0] ?? 99) - (b.axes[0] ?? 99) || a.axes.length - b.axes.length);
}

function sameText(doc: ProgramDiff, { of, timed }: Measure): string {
  const rows = doc.rows.filter((row) => row.change === "same");
  if (rows.length === 0) return "";
  const lines = new Set(rows.flatMap(({ after }) => after?.source?.line ?? []));
  const total = rows.reduce((n, row) => n + of(row.after), 0);
  const where =
    lines.size > 0
      ? `: ${lines.size > 1 ? "lines" : "line"} ${some(
          [...lines].sort((a, b) => a - b),
          6,
        )}`
      : "";
  return `${count(rows.length, "unchanged place")}${where}; ${(timed ? duration : bytes)(total)}`;
}

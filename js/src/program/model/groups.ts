/** The lines of the table of collectives: equal ones together, sorted and filtered. */

import { type Figures, figuresOf } from "../../core/columns";
import { COLLECTIVES } from "../../core/columns.gen";
import type { HloCollective } from "../../core/document.gen";
import type { ProgramModel } from "./program";

/** What the table can be sorted by: estimated time, the module's schedule, or a column. */
export type Sort = (typeof COLLECTIVES)[number]["key"] | "order";
export const SORTS: readonly Sort[] = [...COLLECTIVES.map(({ key }) => key), "order"];

export interface Listed {
  sort: Sort;
  /** A mesh axis that the groups go over; null for all. */
  axis: string | null;
  search: string;
  interconnect: number;
}

/** Equal collectives: one operation over the same axes, caused by the same line. */
export interface Group {
  /** Index of the one that stands for all: the longest. */
  at: number;
  /** Indices, in the module's order. */
  members: readonly number[];
}

/** What the collectives of a group come to in a call. */
export interface GroupTotal {
  seconds: number;
  /** Runs in a call; null where some are not known. */
  runs: number | null;
  /** Least and most bytes that a device sends each time. */
  bytes: readonly [number, number];
}

export function groupTotal(model: ProgramModel, { members }: Group, interconnect: number): GroupTotal {
  const all = members.flatMap((i) => model.collectives[i] ?? []);
  const sent = all.map((c) => c.bytes_per_device);
  return {
    seconds: all.reduce((sum, c) => sum + model.seconds(c, interconnect), 0),
    runs: all.some((c) => c.times === null) ? null : all.reduce((sum, c) => sum + (c.times ?? 0), 0),
    bytes: [Math.min(...sent), Math.max(...sent)],
  };
}

/** How the numbers of groups are written, column by column. */
export function totalFigures(totals: readonly GroupTotal[]): Figures<typeof COLLECTIVES> {
  return figuresOf(
    COLLECTIVES,
    totals.map(({ bytes, seconds }) => ({ sent: bytes, time: seconds })),
  );
}

/** The groups that the table lists. */
export function groupsOf(model: ProgramModel, listed: Listed): Group[] {
  const groups = new Map<string, number[]>();
  for (const i of rowsOf(model, { ...listed, sort: "order" })) {
    const c = model.collectives[i];
    if (!c) continue;
    const over = c.irregular ? c.groups_text : c.axes.join("\n");
    const line = c.source ? `${c.source.file}:${c.source.line}` : c.op;
    const key = [c.kind, over, line].join("\t");
    groups.set(key, [...(groups.get(key) ?? []), i]);
  }
  const seconds = (i: number) => {
    const c = model.collectives[i];
    return c ? model.seconds(c, listed.interconnect) : 0;
  };
  const all = [...groups.values()].map(
    (members): Group => ({
      at: members.reduce((best, i) => (seconds(i) > seconds(best) ? i : best)),
      members,
    }),
  );
  const totals = new Map(all.map((g) => [g, groupTotal(model, g, listed.interconnect)]));
  const key = (g: Group): number | string => {
    const t = totals.get(g);
    if (listed.sort === "time") return -(t?.seconds ?? 0);
    if (listed.sort === "runs") return t?.runs == null ? Number.NEGATIVE_INFINITY : -t.runs;
    if (listed.sort === "sent") return -(t?.bytes[1] ?? 0);
    return keyOf(model, model.collectives[g.at], listed.sort, listed.interconnect);
  };
  return sorted(all, key, (g) => g.members[0] ?? 0);
}

/** Sorted by a key; equal ones in their order. */
function sorted<T>(all: readonly T[], keyOfOne: (one: T) => number | string, order: (one: T) => number): T[] {
  const keys = new Map(all.map((one) => [one, keyOfOne(one)]));
  return [...all].sort((a, b) => {
    const [x, y] = [keys.get(a) ?? 0, keys.get(b) ?? 0];
    if (x === y) return order(a) - order(b);
    return x < y ? -1 : 1;
  });
}

/** Indices of the collectives that are looked for. */
export function rowsOf(model: ProgramModel, { sort, axis, search, interconnect }: Listed): number[] {
  const wanted = search.trim().toLowerCase();
  const rows = [...model.collectives.keys()].filter((i) => {
    const c = model.collectives[i];
    if (!c || (axis !== null && !c.axes.includes(axis) && !c.within.includes(axis))) return false;
    return wanted === "" || searched(model, c).includes(wanted);
  });
  return sorted(
    rows,
    (i) => keyOf(model, model.collectives[i], sort, interconnect),
    (i) => i,
  );
}

/** Numbers that are better large come first: the longest, the most bytes, the most runs. */
function keyOf(model: ProgramModel, c: HloCollective | undefined, sort: Sort, interconnect: number): number | string {
  if (!c) return 0;
  switch (sort) {
    case "time":
      return -model.seconds(c, interconnect);
    case "op":
      return c.kind;
    case "axes":
      return c.irregular ? "~" : c.axes.map((a) => String(model.mesh.axisOf(a)).padStart(2, "0")).join();
    case "sent":
      return -c.bytes_per_device;
    case "runs":
      return c.times === null ? Number.NEGATIVE_INFINITY : -c.times;
    case "source":
      return c.source ? `${c.source.file} ${String(c.source.line).padStart(6, "0")}` : "~";
    default:
      return 0;
  }
}

function searched(model: ProgramModel, c: HloCollective): string {
  const { source } = c;
  const words = [
    c.kind,
    ...c.axes,
    c.op,
    c.name,
    c.remark,
    c.module,
    ...model.trail(c).map((nest) => nest.name),
    ...c.shapes,
  ];
  return [...words, source?.text ?? "", source?.function ?? "", source ? `line ${source.line}` : ""]
    .join(" ")
    .toLowerCase();
}

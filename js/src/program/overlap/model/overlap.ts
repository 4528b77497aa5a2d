/** How much of a program waits for collectives, as the picture reads it: transfers by line, times by axis, lanes. */
import type { Interval, LineWork, MeasuredLine, Overlap, Source, Transfer } from "../../../core/document.gen";
import { duration, type Format, secondsBeside, times } from "../../../core/format";
import { MeshModel } from "../../../core/mesh";
import { items } from "../../../core/table";
import { type Badge, capital, clauses, some } from "../../../core/text";
import { decodeDocument } from "../../../core/wire";

export function decodeOverlap(wire: unknown): Overlap {
  const doc = decodeDocument(wire, "overlap", (d) =>
    Array.isArray(d.transfers) && Array.isArray(d.lines) ? null : "it has no schedule",
  );
  return { ...doc, intervals: items(doc.intervals) as readonly Interval[] };
}

/** The collectives of one kind, over the same axes, that belong to one line and pass. */
export interface Row {
  kind: string;
  axes: readonly string[];
  source: Source | null;
  backward: boolean;
  /** Indices in `Overlap.transfers`. */
  members: readonly number[];
  seconds: number;
  exposed: number;
  /** How often they run; null where that is not known. */
  runs: number | null;
  asynchronous: boolean;
  /** What computes between a `-start` and its `-done`. */
  between: readonly string[];
  /** What permutations are together beside which the product of the line is computed; empty for others. */
  ring: string;
  /** The argument of the function that they move; empty where it is a computed value. */
  operand: string;
  /** What was measured of them; null where that is not known. */
  measured: MeasuredLine | null;
}

export class OverlapModel {
  readonly mesh: MeshModel;
  /** The most exposed first. */
  readonly rows: readonly Row[];
  /** What is waited for by axes, the most first. */
  readonly waits: readonly { axes: readonly string[]; seconds: number }[];
  /** The mesh axes that something is sent over, in their order; empty text for irregular groups. */
  readonly lanes: readonly string[];
  /** The whole call as it is scheduled, in seconds. */
  readonly now: number;
  /** How times of the lines are written: in one unit, in the table as in the sentence. */
  readonly times: Format;

  constructor(readonly doc: Overlap) {
    this.mesh = new MeshModel(doc.mesh);
    this.now = doc.compute + doc.exposed;
    this.rows = rowsOf(doc);
    this.times = secondsBeside(this.rows.flatMap((row) => [row.seconds, row.exposed]));
    const waits = new Map<string, { axes: readonly string[]; seconds: number }>();
    for (const { axes, exposed } of doc.transfers) {
      const known = waits.get(axes.join(" "))?.seconds ?? 0;
      if (exposed > 0) waits.set(axes.join(" "), { axes, seconds: known + exposed });
    }
    this.waits = [...waits.values()].sort((a, b) => b.seconds - a.seconds);
    const used = new Set(doc.transfers.flatMap(lanesOf));
    this.lanes = [...doc.mesh.axes.map((a) => a.name), ""].filter((name) => used.has(name));
  }
}

/** The lanes that a transfer is drawn in. */
export function lanesOf({ axes }: Pick<Transfer, "axes">): readonly string[] {
  return axes.length > 0 ? axes : [""];
}

function rowsOf({ transfers, measured }: Overlap): Row[] {
  const ran = new Map(measured?.lines.map((line) => [keyOf(line), line]));
  const found = new Map<string, { of: Transfer; members: number[] }>();
  transfers.forEach((of, k) => {
    const key = keyOf(of);
    const row = found.get(key) ?? { of, members: [] };
    row.members.push(k);
    found.set(key, row);
  });
  const rows = [...found.values()].map(({ of: { kind, axes, source, backward }, members }): Row => {
    const all = members.flatMap((k) => transfers[k] ?? []);
    const sum = (of: (t: Transfer) => number) => all.reduce((n, t) => n + of(t), 0);
    return {
      kind,
      axes,
      source,
      backward,
      members,
      seconds: sum((t) => t.seconds),
      exposed: sum((t) => t.exposed),
      runs: all.some((t) => t.times === null) ? null : sum((t) => t.times ?? 0),
      asynchronous: all.some((t) => t.asynchronous),
      between: [...new Set(all.flatMap((t) => t.between))],
      ...ringOf(all),
      measured: ran.get(keyOf({ kind, axes, source, backward })) ?? null,
    };
  });
  return rows.sort((a, b) => b.exposed - a.exposed || b.seconds - a.seconds);
}

/** What all transfers of a line are steps of, and what they move. */
function ringOf(all: readonly Transfer[]): Pick<Row, "ring" | "operand"> {
  const [ring = "", ...others] = new Set(all.map((t) => t.ring ?? ""));
  const [operand = "", ...more] = new Set(all.flatMap((t) => t.operand || []));
  return { ring: others.length > 0 ? "" : ring, operand: more.length > 0 ? "" : operand };
}

/** What the collectives of a line have in common. */
function keyOf({ kind, axes, source, backward }: Pick<Transfer, "kind" | "axes" | "source" | "backward">): string {
  return JSON.stringify([kind, axes, source, backward]);
}

/** The line, the pass and how often, in few words. */
export function whereOf({ source, backward, runs, ring, operand }: Row): string {
  const beside = ring ? `${operand && `of ${operand}, `}in a ring, beside this dot` : "";
  const times = runs === null ? "in a loop" : runs === 1 ? "" : `×${runs}`;
  return clauses([beside, source ? `line ${source.line}` : "line not known", backward ? "backward" : "", times], " · ");
}

/** What hides it, in few words. */
export function besideOf(row: Row): string {
  if (!row.asynchronous) return "nothing: XLA runs it at once";
  return some(row.between, 2) || "nothing: needed at once";
}

export function sentenceOf({ times }: OverlapModel, row: Row): string {
  const { kind, axes, seconds, exposed, asynchronous, between, measured, ring } = row;
  const over = axes.length > 0 ? ` over ${axes.join(" and ")}` : "";
  const all = Math.abs(exposed - seconds) < 0.001 * seconds;
  const waited = exposed === 0 ? "none of it is exposed" : all ? "all of it exposed" : `${times(exposed)} exposed`;
  const hides = !asynchronous
    ? "XLA runs it at once, and nothing beside it"
    : `beside it: ${some(between, 3) || "nothing, it is needed at once"}`;
  const ran = measured
    ? ` Measured: ${duration(measured.seconds)}, ${duration(measured.exposed)} of it with nothing computed.`
    : "";
  return `${ring || kind}${over}, ${whereOf(row)}: takes ${times(seconds)}, ${waited}; ${hides}.${ran}`;
}

/** What would limit it, and the chip's ridges, in a sentence. */
export function boundText({ doc }: OverlapModel): string {
  if (!doc.bound) return "";
  const by = { compute: "compute", memory: "memory bandwidth", links: "its links" }[doc.bound];
  return `If everything overlapped, ${doc.name || "it"} would be bound by ${by}.`;
}

/** Floating-point operations a second of a line, and for each byte. */
export function pointOf({ flops, bytes, seconds }: LineWork) {
  return { intensity: bytes > 0 ? flops / bytes : Number.POSITIVE_INFINITY, rate: seconds > 0 ? flops / seconds : 0 };
}

/** What would be gained. */
export function overlapBadges({ doc, now }: OverlapModel): Badge[] {
  const ratio = doc.overlapped > 0 ? now / doc.overlapped : 1;
  return [{ strong: times(ratio), text: "faster if all overlapped", tone: "plain" }];
}

/** What would limit it, and how the times are estimated. */
export function basisOf(model: OverlapModel): string {
  const { doc } = model;
  const { measured: m } = doc;
  const ran = m
    ? `Measured on ${m.on}: ${duration(m.waiting)} a call waits for other devices, ${duration(m.idle)} has no event.`
    : "";
  return clauses([ran, boundText(model), `${capital(doc.formula)}.`, doc.note], " ");
}

/** A search for a sharding: its candidates with what they take, in the order that is asked for, and the answer in words. */
import type { Candidate, Figures, Search } from "../../core/document.gen";
import { bytes, duration } from "../../core/format";
import { items } from "../../core/table";
import { count } from "../../core/text";
import { decodeDocument } from "../../core/wire";

export function decodeSearch(wire: unknown): Search {
  const doc = decodeDocument(
    wire,
    "search",
    (search) => (Array.isArray(search.specs) && search.candidates ? null : "it has no candidates"),
    true,
  );
  return { ...doc, candidates: items(doc.candidates) as Candidate[], leaves: items(doc.leaves) as Search["leaves"] };
}

/** Seconds of collectives over an axis. */
export interface Part {
  readonly axis: number;
  readonly seconds: number;
}

/** A candidate with what follows from its figures. */
export interface Row {
  /** Its place in the document. */
  readonly index: number;
  readonly candidate: Candidate;
  readonly title: string;
  readonly figures: Figures;
  readonly compiled: boolean;
  readonly now: boolean;
  /** Seconds of a step by the rule. */
  readonly time: number;
  readonly bytes: number;
  readonly exposed: readonly Part[];
  readonly hidden: readonly Part[];
}

export type Order = "time" | "memory";

/** Axes of plans; those of the user's own mesh come before them. */
const AXES = ["data", "fsdp", "expert", "seq", "tensor"];

export class SearchModel {
  readonly rows: readonly Row[];
  /** Mesh axes of all candidates, by their inks. */
  readonly axes: readonly string[];
  readonly limit: number | null;

  constructor(readonly doc: Search) {
    const own = doc.candidates[doc.now_index]?.axes.map((a) => a.name) ?? [];
    const used = new Set(doc.candidates.flatMap((c) => c.axes.map((a) => a.name)));
    this.axes = [...own, ...AXES.filter((name) => used.has(name) && !own.includes(name))];
    this.limit = doc.chip?.bytes ?? null;
    this.rows = doc.candidates.map((candidate, index) => this.#row(candidate, index));
  }

  #row(candidate: Candidate, index: number): Row {
    const figures = candidate.compiled ?? candidate.estimated;
    return {
      index,
      candidate,
      title: candidate.rule ? `${candidate.name}, ${candidate.rule}` : candidate.name,
      figures,
      compiled: candidate.compiled !== null,
      now: index === this.doc.now_index,
      time: timeOf(figures),
      bytes: figures.bytes_per_device,
      exposed: this.#parts(figures, false),
      hidden: this.#parts(figures, true),
    };
  }

  #parts({ sent }: Figures, hidden: boolean): Part[] {
    const sums = new Map<number, number>();
    for (const s of sent) {
      const axis = this.axes.indexOf(s.axes[0] ?? "");
      if (s.hidden === hidden) sums.set(axis, (sums.get(axis) ?? 0) + s.seconds);
    }
    return [...sums].map(([axis, seconds]) => ({ axis, seconds }));
  }

  get now(): Row | null {
    return this.rows[this.doc.now_index] ?? null;
  }

  /** A compiled one that fits comes before those that are estimated. */
  get best(): Row | null {
    const fitting = this.rows.filter((r) => r.candidate.fits !== false);
    return fitting.find((r) => r.compiled && r.candidate.fits) ?? fitting[0] ?? null;
  }

  /** The rows of the table: what fits first. */
  listed(order: Order, fitting: boolean): readonly Row[] {
    const rows = this.rows.filter((r) => !fitting || r.candidate.fits !== false || r.now);
    return order === "time" ? rows : [...rows].sort((a, b) => a.bytes - b.bytes);
  }

  /** Whether two candidates are known in the same way, so that their ratio means something. */
  ratio(row: Row): number | null {
    const { now } = this;
    return now && now !== row && now.compiled === row.compiled && row.time > 0 ? now.time / row.time : null;
  }
}

function timeOf({ compute_s, hidden_s, exposed_s }: Figures): number {
  return Math.max(compute_s, hidden_s) + exposed_s;
}

/** The answer: what stands out, and the rest of the sentence. */
export function answerOf(model: SearchModel): readonly [strong: string, rest: string] {
  const { best, now, rows } = model;
  if (!best) {
    const [least] = [...rows].sort((a, b) => a.bytes - b.bytes);
    return [`None of ${rows.length} fits:`, least ? `the least takes ${memoryOf(model, least)}` : ""];
  }
  const ratio = model.ratio(best);
  const step = `${duration(best.time)} a step, ${memoryOf(model, best)}`;
  if (best === now && rows.length > 1) return ["Nothing found is faster than now:", `${best.title}, ${step}`];
  if (ratio === null) return [`${best.title}:`, step];
  const faster = ratio >= 1 ? `${ratio.toFixed(2)}× faster than now,` : `${(1 / ratio).toFixed(2)}× slower than now,`;
  return [`${best.title}: ${faster}`, memoryOf(model, best)];
}

function memoryOf(model: SearchModel, row: Row): string {
  return model.limit === null ? bytes(row.bytes) : `${bytes(row.bytes)} of ${bytes(model.limit)}`;
}

/** Compared with what, and how the figures are known. */
export function factsOf({ best, now }: SearchModel): string {
  if (!best) return "";
  if (!now || now === best) return basisOf(best);
  const known = now.compiled === best.compiled ? `both ${basisOf(best)}` : basisOf(best);
  return `${duration(best.time)} a step, now ${duration(now.time)}; ${known}`;
}

/** What was searched for, on what: `train_step on 16 chips of TPU v5e`. */
export function subjectOf({ doc }: SearchModel): string {
  return `${doc.name} on ${count(doc.chips, "chip")} of ${doc.target}`;
}

export function basisOf(row: Row): string {
  return row.candidate.failure ? "did not compile" : row.compiled ? "compiled" : "estimated";
}

/** A candidate in a sentence, for its tooltip and a screen reader. */
export function sentenceOf(model: SearchModel, row: Row): string {
  const { compute_s, exposed_s, hidden_s } = row.figures;
  const fits = { true: "fits", false: "does not fit", null: "may fit" }[String(row.candidate.fits)];
  const parts = `compute ${duration(compute_s)}, ${duration(exposed_s)} exposed, ${duration(hidden_s)} hidden`;
  const own = row.now ? "now: " : "";
  return `${own}${row.title}: ${duration(row.time)} a step (${parts}), ${memoryOf(model, row)}, ${fits}; ${basisOf(row)}`;
}

/** What is said of all of them together. */
export function notesOf({ doc, rows }: SearchModel): readonly string[] {
  const compiled = rows.filter((r) => r.compiled).length;
  const rank =
    doc.correlation !== null
      ? `Estimate against compiler, ${count(compiled, "candidate")}: rank correlation of communication ${doc.correlation.toFixed(2)}.`
      : compiled > 0
        ? "Estimate against compiler: too few compiled to compare."
        : "";
  const ended = { "": "", interrupted: "Stopped: what is known stays.", time: "The time limit was reached." }[
    doc.ended
  ];
  return [rank, ended, ...doc.notes].filter(Boolean);
}

/** The specs of a candidate, each with the leaves that have it; those of the optimizer's state repeat the parameters'. */
export function specsOf({ doc, now }: SearchModel, row: Row): readonly { paths: string; spec: string; now: string }[] {
  const lines = new Map<string, { paths: string[]; spec: string; now: string }>();
  doc.leaves.forEach(({ path, shape }, leaf) => {
    const spec = doc.specs[row.candidate.specs[leaf] ?? -1] ?? "";
    const own = (now && doc.specs[now.candidate.specs[leaf] ?? -1]) ?? "";
    if (shape.length === 0 || (spec === "P()" && (own === "" || own === "P()"))) return;
    const short = path.replace(/^.*?([A-Za-z_]\w*)\W*(?:\['?kernel'?\]|\.kernel)?(?:\.value)?\W*$/, "$1");
    const key = `${spec} ${own}`;
    const line = lines.get(key) ?? { paths: [], spec, now: own };
    if (!line.paths.includes(short)) line.paths.push(short);
    lines.set(key, line);
  });
  return [...lines.values()].map((line) => ({ ...line, paths: line.paths.join(", ") }));
}

/** A search for a sharding: its candidates with what they take, in the order that is asked for, and the answer in words. */
import type { Candidate, Figures, Search } from "../../core/document.gen";
import { bytes, duration, times } from "../../core/format";
import { items } from "../../core/table";
import { clauses, count } from "../../core/text";
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
  /** Whether it is compiled now. */
  readonly compiling: boolean;
  /** Whether the reader asked for it to be compiled next. */
  readonly next: boolean;
  readonly now: boolean;
  /** Its place among those that may fit and are known as the best is; null for the others, and for now. */
  readonly rank: number | null;
  /** Seconds of a step by the rule. */
  readonly time: number;
  readonly bytes: number;
  readonly exposed: readonly Part[];
  readonly hidden: readonly Part[];
}

export const ORDERS = ["time", "memory", "front"] as const;
/** What they are sorted by; of the front, time: nothing that is known in the same way is faster and smaller. */
export type Order = (typeof ORDERS)[number];

/** What Python is doing: nothing more to do, on its way, or stopped with more to do. */
export type Running = "" | "running" | "stopped" | "failed";

/** Axes of plans; those of the user's own mesh come before them. */
const AXES = ["data", "fsdp", "expert", "seq", "tensor"];

/** What an estimate of memory is multiplied with before it is said to fit, without experts and with them. */
const MARGIN = [2, 3] as const;
/** What a chip's memory is multiplied with before an estimate is said not to fit. */
const SURELY = 1.2;

export class SearchModel {
  readonly rows: readonly Row[];
  /** Mesh axes of all candidates, by their inks. */
  readonly axes: readonly string[];
  readonly limit: number | null;

  /**
   * @param doc the search
   * @param less bytes of memory that a chip would have: what if it had less; null for those that it has
   * @param next title of the candidate that the reader asked for to be compiled
   */
  constructor(
    readonly doc: Search,
    readonly less: number | null = null,
    next = "",
  ) {
    const own = doc.candidates[doc.now_index]?.axes.map((a) => a.name) ?? [];
    const used = new Set(doc.candidates.flatMap((c) => c.axes.map((a) => a.name)));
    this.axes = [...own, ...AXES.filter((name) => used.has(name) && !own.includes(name))];
    this.limit = less ?? doc.chip?.bytes ?? null;
    const rows = doc.candidates.map((candidate, index) => this.#row(candidate, index, next));
    const compiled = rows.some((row) => row.compiled && !row.now);
    let rank = 0;
    this.rows = rows.map((row) => {
      const ranked = !row.now && row.compiled === compiled && row.candidate.fits !== false;
      return ranked ? { ...row, rank: ++rank } : row;
    });
    this.best = this.#best();
  }

  #row(known: Candidate, index: number, next: string): Row {
    const figures = known.compiled ?? known.estimated;
    const candidate = this.less === null ? known : { ...known, fits: this.#fits(known) };
    const title = candidate.rule ? `${candidate.name}, ${candidate.rule}` : candidate.name;
    return {
      index,
      candidate,
      title,
      figures,
      compiled: candidate.compiled !== null,
      compiling: index === this.doc.compiling,
      next: title === next && index !== this.doc.compiling && candidate.compiled === null,
      now: index === this.doc.now_index,
      rank: null,
      time: timeOf(figures),
      bytes: figures.bytes_per_device,
      exposed: this.#parts(figures, false),
      hidden: this.#parts(figures, true),
    };
  }

  /** Whether a candidate fits in less memory, by the rule of Python. */
  #fits({ compiled, estimated, fits }: Candidate): boolean | null {
    const limit = this.less ?? 0;
    if (fits === false) return false;
    if (compiled) return compiled.bytes_per_device <= limit;
    const size = estimated.bytes_per_device;
    if (estimated.arguments > limit || size > SURELY * limit) return false;
    const margin = MARGIN[this.doc.groups.some((group) => group.role === "expert") ? 1 : 0];
    return fits && margin * size <= limit ? true : null;
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

  /** A compiled one that fits comes before those that are estimated; now alone only before those that take more. */
  readonly best: Row | null;

  #best(): Row | null {
    const fitting = this.rows.filter((r) => r.candidate.fits !== false);
    const [known, second] = fitting.filter((r) => r.compiled && r.candidate.fits);
    if (known?.now && !second) return fitting.find((r) => this.#takes(r) < this.#takes(known)) ?? known;
    return known ?? fitting[0] ?? null;
  }

  /** Seconds that the one that computes least computes, of those that may fit: no communication makes it faster. */
  get compute(): number | null {
    const fitting = this.rows.filter((r) => r.candidate.fits !== false);
    return fitting.length > 0 ? Math.min(...fitting.map((r) => r.figures.compute_s)) : null;
  }

  /** What candidates are ordered by, as estimated. */
  #takes({ candidate: { estimated } }: Row): number {
    const [kind, over] = this.doc.objective.split(":");
    if (kind === "memory") return estimated.bytes_per_device;
    if (kind === "time") return timeOf(estimated);
    return estimated.sent.reduce((sum, s) => sum + (!over || s.axes.includes(over) ? s.bytes : 0), 0);
  }

  /** The rows of the table: what fits first. */
  listed(order: Order, fitting: boolean): readonly Row[] {
    const rows = this.rows.filter((r) => !fitting || r.candidate.fits !== false || r.now);
    if (order === "front") return rows.filter((r) => this.front.has(r) || r.now);
    return order === "time" ? rows : [...rows].sort((a, b) => a.bytes - b.bytes);
  }

  /** Those that fit of which none that is known in the same way is faster and takes no more memory. */
  get front(): ReadonlySet<Row> {
    const found = new Set<Row>();
    for (const compiled of [true, false]) {
      let best = Number.POSITIVE_INFINITY;
      const alike = this.rows.filter((r) => r.compiled === compiled && r.candidate.fits !== false);
      for (const row of alike.sort((a, b) => a.bytes - b.bytes || a.time - b.time)) {
        if (row.time < best) found.add(row);
        best = Math.min(best, row.time);
      }
    }
    return found;
  }

  /** Whether two candidates are known in the same way, so that their ratio means something. */
  ratio(row: Row): number | null {
    const { now } = this;
    return now && now !== row && now.compiled === row.compiled && row.time > 0 ? now.time / row.time : null;
  }
}

export function timeOf({ compute_s, hidden_s, exposed_s }: Figures): number {
  return Math.max(compute_s, hidden_s) + exposed_s;
}

/** The answer: what stands out, and the rest of the sentence. */
export function answerOf(model: SearchModel): readonly [strong: string, rest: string] {
  const { doc, rows } = model;
  const [strong, rest] = answer(model);
  if (model.less !== null) return [`If a chip had ${bytes(model.less)}, ${strong.replace(/^N/, "n")}`, rest];
  return [rows.length < doc.planned ? `${EARLY[doc.ended]} ${strong}` : strong, rest];
}

/** What is said where not all are known. */
const EARLY = { "": "So far", interrupted: "Stopped early:", time: "Out of time:" } as const;

function answer(model: SearchModel): readonly [strong: string, rest: string] {
  const { best, now, rows } = model;
  if (!best) {
    const [least] = [...rows].sort((a, b) => a.bytes - b.bytes);
    const over = least && model.limit !== null ? `, ${bytes(least.bytes - model.limit)} too much` : "";
    return [`None of ${rows.length} fits:`, least ? `the least takes ${memoryOf(model, least)}${over}` : ""];
  }
  const ratio = model.ratio(best);
  const step = `${duration(best.time)} a step, ${memoryOf(model, best)}`;
  if (best === now && rows.length > 1) return ["Nothing found is faster than now:", `${best.title}, ${step}`];
  if (ratio === null) return [`${best.title}:`, step];
  const apart = times(ratio < 1 ? 1 / ratio : ratio);
  const faster = apart === times(1) ? "as fast as now," : `${apart} ${ratio < 1 ? "slower" : "faster"} than now,`;
  return [`${best.title}: ${faster}`, memoryOf(model, best)];
}

function memoryOf(model: SearchModel, row: Row): string {
  return model.limit === null ? bytes(row.bytes) : `${bytes(row.bytes)} of ${bytes(model.limit)}`;
}

/** Compared with what, and how the figures are known. */
export function factsOf(model: SearchModel): string {
  const { best, now } = model;
  if (!best) return leastOf(model);
  if (!now || now === best) return basisOf(best);
  // Known in two ways, they are not to be compared.
  if (now.compiled !== best.compiled)
    return `${duration(best.time)} a step, ${basisOf(best)}; now ${duration(now.time)}, ${basisOf(now)}`;
  return `${duration(best.time)} a step, now ${duration(now.time)}; both ${basisOf(best)}`;
}

/** What was searched for, on what: `train_step on 16 chips of TPU v5e`, `train_step on 8 CPU devices`. */
export function subjectOf({ doc }: SearchModel): string {
  return `${doc.name} on ${devicesOf(doc)}`;
}

/** How many devices of what: the names of those that are there say so. */
export function devicesOf({ chips, target }: Search): string {
  return /^\d/.test(target) ? target : `${count(chips, "chip")} of ${target}`;
}

/** A candidate as Python. */
export function codeOf({ doc }: SearchModel, { candidate }: Row): string {
  return candidate.lines.map((k) => doc.code_lines[k] ?? "").join("\n");
}

/** What the least of those that do not fit consists of. */
function leastOf({ rows }: SearchModel): string {
  const [least] = [...rows].sort((a, b) => a.bytes - b.bytes);
  if (!least) return "";
  const held = least.figures.arguments;
  return `${least.title}: arguments ${bytes(held)}, ${bytes(least.bytes - held)} alive beside them`;
}

/** What would do where none fits: another program, more chips. */
function insteadOf({ doc, less }: SearchModel): string {
  if (less !== null) return "";
  const on = doc.fits_on;
  const chips = on ? `As estimated, ${on.name} fits on ${count(on.chips, "chip")}, ${on.target}.` : "";
  return clauses([doc.shortfall?.words ?? "", chips], " ");
}

/** Bytes that a chip sends in a step, by axis: what is exposed and what is hidden. */
export function sentOf(model: SearchModel, row: Row): readonly { axis: number; bytes: number; hidden: boolean }[] {
  const sums = new Map<string, { axis: number; bytes: number; hidden: boolean }>();
  for (const { axes, bytes, hidden } of row.figures.sent) {
    const axis = model.axes.indexOf(axes[0] ?? "");
    const known = sums.get(`${axis} ${hidden}`) ?? { axis, bytes: 0, hidden };
    sums.set(`${axis} ${hidden}`, { ...known, bytes: known.bytes + bytes });
  }
  return [...sums.values()].sort((a, b) => Number(a.hidden) - Number(b.hidden) || a.axis - b.axis);
}

/** `16, 64 chips: 608, 331 ms`. */
function scalingOf({ doc }: SearchModel): string {
  const rows = doc.scaling;
  if (rows.length < 2) return "";
  const batches = new Set(rows.map((row) => row.batch)).size > 1;
  const each = rows.map(({ chips, batch, name, time_s }) => {
    const what = `${count(chips, "chip")}${batches ? `, batch ${batch}` : ""}`;
    return `${what}: ${name ? `${name}, ${duration(time_s)}` : "none fits"}`;
  });
  return `Best estimates: ${each.join("; ")}.`;
}

/** How its figures are known. `seconds`: how long it is compiled already. */
export function basisOf(row: Row, seconds = 0): string {
  if (row.compiling) return seconds < 1 ? "compiling …" : `${Math.floor(seconds)} s so far`;
  if (row.next) return "next";
  return row.candidate.failure ? "did not compile" : row.compiled ? "compiled" : "estimated";
}

/** A candidate in a sentence, for its tooltip and a screen reader. */
export function sentenceOf(model: SearchModel, row: Row): string {
  const { compute_s, exposed_s, hidden_s } = row.figures;
  const missing = model.limit === null ? 0 : row.bytes - model.limit;
  const over = missing > 0 ? `does not fit, ${bytes(missing)} too much` : "does not fit";
  const fits = { true: "fits", false: over, null: "may fit" }[String(row.candidate.fits)];
  const parts = `compute ${duration(compute_s)}, ${duration(exposed_s)} exposed, ${duration(hidden_s)} hidden`;
  const own = row.now ? "now: " : "";
  return `${own}${row.title}: ${duration(row.time)} a step (${parts}), ${memoryOf(model, row)}, ${fits}; ${basisOf(row)}`;
}

/** What a candidate takes, in few words: its time by parts, its memory. */
export function partsOf(model: SearchModel, row: Row): readonly string[] {
  const { compute_s, exposed_s, hidden_s } = row.figures;
  return [
    `${duration(row.time)} a step, ${basisOf(row)}`,
    `compute ${duration(compute_s)}, exposed ${duration(exposed_s)}, hidden ${duration(hidden_s)}`,
    memoryOf(model, row),
  ];
}

/** A square for each of those to compile: what became of it. */
export function squaresOf({ doc, rows }: SearchModel): readonly ("done" | "failed" | "half" | "")[] {
  const done = rows.filter((row) => row.compiled).map(() => "done" as const);
  const failed = rows.filter((row) => row.candidate.failure).map(() => "failed" as const);
  const half = rows.filter((row) => row.compiling).map(() => "half" as const);
  const known = [...done, ...failed, ...half];
  return [...known, ...Array<"">(Math.max(0, doc.wanted - known.length)).fill("")];
}

/** What is said of all of them together. */
export function notesOf(model: SearchModel): readonly string[] {
  const { doc, rows } = model;
  const compiled = rows.filter((r) => r.compiled).length;
  const rank =
    doc.correlation !== null
      ? `Estimate against compiler, ${count(compiled, "candidate")}: rank correlation of communication ${doc.correlation.toFixed(2)}.`
      : compiled > 0
        ? "Estimate against compiler: too few compiled to compare."
        : "";
  const ended = { "": "", interrupted: "Stopped", time: "Out of time" }[doc.ended];
  return [insteadOf(model), rank, ended && `${ended} ${knownOf(model)}.`, scalingOf(model), ...doc.notes].filter(
    Boolean,
  );
}

/** How far it came: the others of those that were to be compiled are known by their estimate. */
function knownOf({ doc, rows }: SearchModel): string {
  if (rows.length < doc.planned) return `after ${rows.length} of ${doc.planned} were estimated`;
  const compiled = rows.filter((r) => r.compiled).length;
  if (compiled >= doc.wanted) return "after all were known";
  return `after ${compiled} of ${doc.wanted} were compiled: ${doc.wanted - compiled} are known by their estimate only`;
}

interface SpecLine {
  readonly paths: string;
  /** Of the first. */
  readonly shape: string;
  readonly spec: string;
  readonly now: string;
}

/** The specs of a candidate, each with the leaves that have it; those of the optimizer's state repeat the parameters'. */
export function specsOf({ doc, now }: SearchModel, row: Row): readonly SpecLine[] {
  const lines = new Map<string, Omit<SpecLine, "paths"> & { paths: string[] }>();
  doc.leaves.forEach(({ path, shape }, leaf) => {
    const spec = doc.specs[row.candidate.specs[leaf] ?? -1] ?? "";
    const own = (now && doc.specs[now.candidate.specs[leaf] ?? -1]) ?? "";
    if (shape.length === 0 || (spec === "P()" && (own === "" || own === "P()"))) return;
    const short = path.replace(/^.*?([A-Za-z_]\w*)\W*(?:\['?kernel'?\]|\.kernel)?(?:\.value)?\W*$/, "$1");
    const key = `${spec} ${own}`;
    const line = lines.get(key) ?? { paths: [], shape: `[${shape.join(",")}]`, spec, now: own };
    if (!line.paths.includes(short)) line.paths.push(short);
    lines.set(key, line);
  });
  return [...lines.values()].map((line) => ({ ...line, paths: line.paths.join(", ") }));
}

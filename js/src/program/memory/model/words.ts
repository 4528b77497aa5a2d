/** What is said of memory: how much, of what kind, how sure that is. */
import type { Buffer, MemoryLoop } from "../../../core/document.gen";
import { bytes, percent } from "../../../core/format";
import type { Badge } from "../../../core/text";
import { count } from "../../../core/text";
import type { MemoryModel, Row } from "./memory";

const NAMES: Readonly<Record<Buffer["kind"], string>> = {
  argument: "arguments",
  constant: "constants of the program",
  output: "outputs",
  kept: "kept for the backward pass",
  temporary: "temporaries",
  collective: "buffers of collectives",
};

/** The kinds that there are, with their bytes at a step, the highest in the stack first. */
export function legendOf(model: MemoryModel, step: number): { kind: Buffer["kind"]; name: string; bytes: number }[] {
  return model
    .kinds(step)
    .map(({ kind, bytes }) => ({ kind, name: NAMES[kind], bytes }))
    .reverse();
}

export function memoryBadges(model: MemoryModel, limit: number | null): Badge[] {
  const peak: Badge = { strong: bytes(model.peakBytes), text: "peak per device", tone: "plain", to: "peak" };
  const aside: Badge = { strong: bytes(model.allocated), text: "allocated", tone: "plain" };
  const needed = Math.max(model.peakBytes, model.doc.compiler ? model.allocated : 0);
  if (limit === null) return [peak, aside];
  const room: Badge =
    needed > limit
      ? { strong: bytes(needed - limit), text: `too much for ${bytes(limit)}`, tone: "warn" }
      : { strong: bytes(limit - needed), text: `free of ${bytes(limit)}`, tone: "ok" };
  return [peak, aside, room];
}

/** The peak, and whether it fits: the first sentence of the page. */
export function memoryVerdict(model: MemoryModel, limit: number | null): string {
  const work = model.workAt(model.peak);
  const at = work ? `, at line ${work.line.source.line}` : "";
  const needed = Math.max(model.peakBytes, model.doc.compiler ? model.allocated : 0);
  if (limit === null) return `The peak is ${bytes(model.peakBytes)} on each device${at}`;
  const whole = `the peak is ${bytes(model.peakBytes)} of ${bytes(limit)} on each device${at}`;
  return `${needed > limit ? "Does not fit" : "Fits"}: ${whole}`;
}

/** What dominates at a step, in one sentence. */
export function dominates(model: MemoryModel, step: number): string {
  const total = model.total[step] ?? 0;
  const most = legendOf(model, step).reduce((a, b) => (b.bytes > a.bytes ? b : a));
  const row = model.rows(step).find((r) => r.buffer.kind === most.kind);
  if (!row || total === 0) return "Nothing is alive here.";
  const share = `${bytes(most.bytes)} of ${bytes(total)} (${percent(most.bytes / total)})`;
  const line = row.buffer.source ? `, line ${row.buffer.source.line}` : "";
  const many = row.count > 1 ? ` ×${row.count}` : "";
  const kind = most.kind === "kept" ? "what is kept for the backward pass takes" : `${most.name} take`;
  const where = step === model.peak ? "At the peak" : `At instruction ${step + 1}`;
  const part =
    row.bytes > 0.95 * most.bytes ? "nearly all of it" : row.bytes > 0.5 * most.bytes ? "most of it" : "the largest";
  return `${where}, ${kind} ${share}, ${part} ${namesOf(row.buffer)[0]}${many} (${bytes(row.bytes)}${line}).`;
}

/** The place of a step in words: `instruction 274 of 446, line 11, backward, inside a loop of 12`. */
export function placeText(model: MemoryModel, step: number): string {
  const work = model.workAt(step);
  const loop = model.loopAt(step);
  const line = work ? `, line ${work.line.source.line}${work.backward ? ", backward" : ""}` : "";
  const inside = loop ? `, inside a loop of ${loop.times ?? "unknown length"}` : "";
  return `instruction ${step + 1} of ${model.steps}${line}${inside}`;
}

/** What a screen reader says of a step. */
export function stepSentence(model: MemoryModel, step: number, limit: number | null): string {
  const of = limit === null ? "" : ` of ${bytes(limit)}`;
  const what = step === model.peak ? "Peak " : "";
  const largest = model
    .rows(step)
    .slice(0, 3)
    .map((r) => `${namesOf(r.buffer)[0]} ${bytes(r.bytes)}`)
    .join(", ");
  return `${what}${bytes(model.total[step] ?? 0)}${of} at ${placeText(model, step)}. Largest: ${largest || "nothing"}.`;
}

/** How far the picture is from the compiler's own figure, and what it is read from. */
export function basisText(model: MemoryModel): string {
  const { doc, compilers } = model;
  const basis = doc.basis === "assignment" ? "the compiler's assignment of buffers" : "the schedule's text";
  if (!compilers) return `Read from ${basis}. The compiler gives no figure of its own.`;
  const off = 100 * (model.peakBytes / compilers - 1);
  const theirs = doc.compiler?.peak === compilers ? "the compiler's own peak" : "what the compiler allocates";
  const exact = Math.abs(off) < 0.005;
  const beside = exact ? "equal to" : `${off > 0 ? "+" : "−"}${Math.abs(off).toFixed(2)} % against`;
  const gaps =
    doc.gaps > compilers / 1000
      ? ` ${bytes(doc.gaps)} of that hold nothing at the peak: gaps between temporaries.`
      : "";
  const onChip =
    doc.compiler && doc.compiler.peak > model.allocated
      ? ` Its own peak, ${bytes(doc.compiler.peak)}, counts memory on the chip (VMEM) or on the host as well.`
      : "";
  const left = Math.abs(model.peakBytes + doc.gaps - compilers);
  const unexplained =
    doc.basis === "text" && left > EXACT * compilers
      ? ` ${bytes(left)} are not explained: which buffers share memory is not in the text.`
      : "";
  return `Read from ${basis}: ${beside} ${theirs}, ${bytes(compilers)}.${gaps}${unexplained}${onChip}`;
}

/** The share of the compiler's figure up to which a peak that is read from a text is not remarked on, as in Python. */
const EXACT = 0.03;

/** The least bytes of a constant that is pointed out, as in Python. */
const FLAGGED = 2 ** 20;

const shortened = (name: string) => (name.length > 32 ? `${name.slice(0, 31)}…` : name);

/** Large constants, and what to do about them; empty for none. */
export function constantsText(model: MemoryModel): string {
  const large = model.constants.filter((b) => b.bytes >= FLAGGED);
  if (large.length === 0) return "";
  const named = large
    .slice(0, 3)
    .map((b) => `${shortened(b.name)} (${bytes(b.bytes)}${b.source ? `, line ${b.source.line}` : ""})`)
    .join(", ");
  const [are, them, given] =
    large.length > 1 ? ["are constants", "them", "arguments"] : ["is a constant", "it", "an argument"];
  const more = large.length > 3 ? ` and ${large.length - 3} more` : "";
  return (
    `${named}${more} ${are} of the program: every device holds all of ${them}, however the function's own array is ` +
    `split. If the function closes over ${them}, give ${them} as ${given}.`
  );
}

/** Why the program was not compiled, and by how much it is over the limit; null where it was. */
export function failureText(model: MemoryModel, limit: number | null): string | null {
  if (!model.doc.failure) return null;
  const over = limit === null ? 0 : Math.max(model.peakBytes, model.allocated) - limit;
  const more = over > 0 ? `, ${bytes(over)} more than ${bytes(limit ?? 0)}` : "";
  return `XLA did not compile it: it needs ${bytes(Math.max(model.peakBytes, model.allocated))}${more}. This is the schedule that it had made.`;
}

export function loopText({ name, backward, times }: MemoryLoop): string {
  return `${name}${backward ? ", backward" : ""}, ${times === null ? "times unknown" : count(times, "time")}`;
}

/** What a row of the table is, beside its name. */
export function rowText({ buffer, count: n }: Row): string {
  const { kind, donated, taken_by, backward, loop } = buffer;
  const words: Readonly<Record<Buffer["kind"], string>> = {
    argument: donated ? `argument, donated${taken_by ? `: ${taken_by} is put there` : ""}` : "argument",
    constant: "constant",
    output: "output",
    kept: "kept",
    temporary: backward ? "temporary, backward" : "temporary",
    collective: "of a collective",
  };
  return [words[kind], n > 1 ? `×${n}` : "", loop >= 0 ? "in each iteration" : ""].filter((w) => w !== "").join(", ");
}

/** What a buffer is called, and what is said below: the user's name and the type; without one the type, then the instruction. */
export function namesOf({ kind, name, type, instruction }: Buffer): readonly [string, string] {
  return kind === "argument" || kind === "constant" || instruction ? [name, type] : [type, name];
}

/** Which mesh axes split a buffer; empty where that is not known. */
export function cutText({ axes }: Buffer): string {
  if (axes === null) return "";
  return axes.length > 0 ? `split over ${axes.join(", ")}` : "not split";
}

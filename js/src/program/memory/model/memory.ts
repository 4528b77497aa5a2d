/** Memory over a compiled program as the picture reads it: bytes by kind at each step, what is alive, the user's lines. */
import type { Buffer, Memory, MemoryLoop, Source } from "../../../core/document.gen";
import { unpack } from "../../../core/ints";
import { MeshModel } from "../../../core/mesh";
import { items } from "../../../core/table";
import { decodeDocument } from "../../../core/wire";

/** Kinds of bytes, in the order that they are stacked in. */
export const KINDS = [
  "argument",
  "constant",
  "output",
  "kept",
  "temporary",
  "collective",
] as const satisfies Buffer["kind"][];

export function decodeMemory(wire: unknown): Memory {
  const doc = decodeDocument(wire, "memory", (d) =>
    typeof d.steps !== "number" || !Array.isArray(d.loops) || !Array.isArray(d.chips) ? "it has no schedule" : null,
  );
  return { ...doc, buffers: items(doc.buffers) as readonly Buffer[] };
}

/** Buffers that are one line of the table: of one name, type, kind and source line. */
export interface Row {
  key: string;
  buffer: Buffer;
  count: number;
  bytes: number;
  born: number;
  dies: number;
}

/** A line of the user's, and the steps that work on it. */
export interface WorkedLine {
  source: Source;
  /** Index in `Memory.lines`. */
  at: number;
  forward: readonly number[];
  backward: readonly number[];
}

export class MemoryModel {
  readonly mesh: MeshModel;
  /** Bytes of each kind at each step, in the order of `KINDS`. */
  readonly byKind: readonly Float64Array[];
  readonly total: Float64Array;
  /** The first step at which most is alive. */
  readonly peak: number;
  /** Bytes of arguments that results are written over; 0 for none. */
  readonly donated: number;
  readonly lines: readonly WorkedLine[];
  /** What is in the program itself, the largest first. */
  readonly constants: readonly Buffer[];
  readonly #byBytes: readonly { buffer: Buffer; key: string }[];
  /** First and last step of each of these: what every move of the pointer looks through. */
  readonly #lives: readonly [born: Int32Array, dies: Int32Array];
  readonly #present: ReadonlySet<Buffer["kind"]>;
  #last: { step: number; rows: readonly Row[] } | null = null;
  readonly #work: Int32Array;

  /** `axes`: by name of an instruction that is a collective, the mesh axes that it is over. */
  constructor(
    readonly doc: Memory,
    private readonly axes: ReadonlyMap<string, readonly string[]> = new Map(),
  ) {
    const { steps, buffers } = doc;
    this.mesh = new MeshModel(doc.mesh);
    this.byKind = KINDS.map((kind) => over(steps, buffers, (b) => b.kind === kind));
    this.total = over(steps, buffers, () => true);
    this.peak = this.peakIn(0, steps - 1);
    this.donated = buffers.reduce((sum, b) => sum + (b.donated ? b.bytes : 0), 0);
    this.#present = new Set(buffers.filter((b) => b.bytes > 0).map((b) => b.kind));
    this.#byBytes = [...buffers].sort((a, b) => b.bytes - a.bytes).map((buffer) => ({ buffer, key: keyOf(buffer) }));
    this.#lives = [
      Int32Array.from(this.#byBytes, ({ buffer }) => buffer.born),
      Int32Array.from(this.#byBytes, ({ buffer }) => buffer.dies),
    ];
    this.constants = this.#byBytes.map(({ buffer }) => buffer).filter((b) => b.kind === "constant");
    this.#work = unpack(doc.work);
    this.lines = linesOf(doc, this.#work);
  }

  /** The kinds that there are, with their bytes at a step, in the order of `KINDS`. */
  kinds(step: number): { kind: Buffer["kind"]; bytes: number }[] {
    const all = KINDS.map((kind, k) => ({ kind, bytes: this.byKind[k]?.[step] ?? 0 }));
    return all.filter(({ kind }) => this.#present.has(kind));
  }

  get steps(): number {
    return this.doc.steps;
  }

  get peakBytes(): number {
    return this.total[this.peak] ?? 0;
  }

  /** What the compiler allocates, with the constants, which it does not report; the peak where it does not say. */
  get allocated(): number {
    const c = this.doc.compiler;
    if (!c) return this.peakBytes;
    const constants = this.constants.reduce((sum, b) => sum + b.bytes, 0);
    return c.arguments + constants + c.outputs + c.temporaries - c.aliased;
  }

  /**
   * The compiler's own figure: its peak, or what it sets aside; null where it gives none. A peak above what it sets aside
   * counts memory on the chip too (VMEM of a TPU), which is no part of this.
   */
  get compilers(): number | null {
    return this.doc.compiler && Math.min(this.doc.compiler.peak || this.allocated, this.allocated);
  }

  /** The first step of a stretch at which most is alive. */
  peakIn(first: number, last: number): number {
    let best = Math.max(0, first);
    for (let s = best; s <= last && s < this.steps; s++) if ((this.total[s] ?? 0) > (this.total[best] ?? 0)) best = s;
    return best;
  }

  /** What is alive at a step, the largest first. */
  alive(step: number): readonly Buffer[] {
    return this.#at(step).map(({ buffer }) => buffer);
  }

  #at(step: number) {
    const [born, dies] = this.#lives;
    return this.#byBytes.filter((_, k) => (born[k] ?? 0) <= step && step <= (dies[k] ?? 0));
  }

  /** The same as rows of the table. */
  rows(step: number): readonly Row[] {
    // The table and several sentences ask for those of one step.
    if (this.#last?.step !== step) this.#last = { step, rows: this.#rowsAt(step) };
    return this.#last.rows;
  }

  #rowsAt(step: number): readonly Row[] {
    const found = new Map<string, Row>();
    for (const { buffer: b, key } of this.#at(step)) {
      const row = found.get(key);
      if (!row) found.set(key, { key, buffer: b, count: 1, bytes: b.bytes, born: b.born, dies: b.dies });
      else {
        row.count++;
        row.bytes += b.bytes;
        row.born = Math.min(row.born, b.born);
        row.dies = Math.max(row.dies, b.dies);
      }
    }
    return [...found.values()].sort((a, b) => b.bytes - a.bytes);
  }

  /** The line that a step works on, and whether in the backward pass; null for none. */
  workAt(step: number): { line: WorkedLine; backward: boolean } | null {
    const value = (this.#work[step] ?? 0) - 1;
    const line = value < 0 ? undefined : this.lines.find((l) => l.at === value >> 1);
    return line ? { line, backward: (value & 1) === 1 } : null;
  }

  /** Index of the mesh axis whose ink a collective's buffer has; -1 where its groups are of none. */
  inkOf(buffer: Buffer): number {
    const [first] = this.axes.get(buffer.instruction || buffer.name) ?? [];
    return first === undefined ? -1 : this.mesh.axisOf(first);
  }

  /** The innermost loop that a step stands in. */
  loopAt(step: number): MemoryLoop | null {
    const around = this.doc.loops.filter((l) => l.first <= step && step <= l.last);
    return around.reduce<MemoryLoop | null>((a, b) => (a && a.last - a.first < b.last - b.first ? a : b), null);
  }
}

function keyOf({ kind, name, type, backward, source }: Buffer): string {
  return JSON.stringify([kind, name, type, backward, source?.line ?? 0]);
}

function over(steps: number, buffers: readonly Buffer[], counts: (b: Buffer) => boolean): Float64Array {
  const held = new Float64Array(steps + 1);
  for (const b of buffers) {
    if (!counts(b)) continue;
    held[b.born] = (held[b.born] ?? 0) + b.bytes;
    held[b.dies + 1] = (held[b.dies + 1] ?? 0) - b.bytes;
  }
  for (let s = 1; s < steps; s++) held[s] = (held[s] ?? 0) + (held[s - 1] ?? 0);
  return held.subarray(0, steps);
}

function linesOf(doc: Memory, work: Int32Array): WorkedLine[] {
  const steps = doc.lines.map(() => [[], []] as [number[], number[]]);
  work.forEach((value, step) => {
    if (value > 0) steps[(value - 1) >> 1]?.[((value - 1) & 1) as 0 | 1].push(step);
  });
  return doc.lines.map((source, at) => ({ source, at, forward: steps[at]?.[0] ?? [], backward: steps[at]?.[1] ?? [] }));
}

/** Answers that are moved into place: the order of tasks, and the threshold that cuts a list into chunks. */
import { bytes } from "../../core/format";
import { KINDS } from "../../pipeline/scene/public";

/** A task of a pipeline, as `1B3` says it: stage, kind, microbatch. */
export interface Task {
  text: string;
  kind: number;
  microbatch: number;
  /** Time that it takes: a backward task two, others one. */
  long: number;
}

/** A task; null if the text is not one. */
export function taskOf(text: string): Task | null {
  const [, letter = "", microbatch] = /^\d+([FBIW])(\d+)$/.exec(text) ?? [];
  if (microbatch === undefined) return null;
  return { text, kind: KINDS.indexOf(letter), microbatch: Number(microbatch), long: letter === "B" ? 2 : 1 };
}

/** The order that a text gives; what it leaves out follows in its own. */
export function orderOf(text: string, options: readonly string[]): string[] {
  const given = text.split(/[\s,]+/).filter((one) => options.includes(one));
  return [...given, ...options.filter((one) => !given.includes(one))];
}

/** The order with one item at another place. */
export function movedTo(order: readonly string[], from: number, to: number): string[] {
  const rest = order.filter((_, i) => i !== from);
  const at = Math.max(0, Math.min(rest.length, to));
  return [...rest.slice(0, at), ...order.slice(from, from + 1), ...rest.slice(at)];
}

/** The threshold that a text gives: a number of bytes, `6 MiB`; null if the text is neither. */
export function thresholdOf(text: string): number | null {
  const [, digits, unit = "B"] = /^\s*(\d+(?:\.\d+)?)\s*([KMGT]?i?B)?\s*$/i.exec(text) ?? [];
  if (digits === undefined) return null;
  const power = 1 + "KMGT".indexOf(unit[0]?.toUpperCase() ?? "");
  return Math.max(1, Math.round(Number(digits) * (/i/i.test(unit) ? 1024 : 1000) ** power));
}

/** A threshold as Python reads it: with a unit where that is exact. */
export function thresholdText(threshold: number): string {
  const text = bytes(threshold);
  return thresholdOf(text) === threshold ? text : String(threshold);
}

/** Thresholds at which chunks change: what neighbours come to together, from the least on. */
export function thresholdsOf(sizes: readonly number[]): number[] {
  const found = new Set<number>();
  sizes.forEach((_, first) => {
    let sum = 0;
    for (const size of sizes.slice(first)) {
      sum += size;
      found.add(Math.max(1, sum));
    }
  });
  return [...found].sort((a, b) => a - b);
}

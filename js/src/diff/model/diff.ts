/** What differs, in the form in which every kind of it is drawn: totals, rows with two sides, lines of code. */
import type { DIFFERENCES } from "../../core/columns.gen";
import type { DiffLine, Source } from "../../core/document.gen";
import type { MeshModel } from "../../core/mesh";

export type Change = "added" | "gone" | "changed" | "same";

export const ORDERS = ["time", "bytes", "line", "axis"] as const;
export type Order = (typeof ORDERS)[number];

/** One side of a row. */
export interface Side {
  readonly text: string;
  /** Below it, lighter. */
  readonly note: string;
  /** How long its bar is; 0 where there is none. */
  readonly size: number;
}

export interface Row {
  /** Its place in the document. */
  readonly index: number;
  readonly change: Change;
  /** What it is: a collective, a value, an operation. */
  readonly name: string;
  /** Mesh axes by index. */
  readonly axes: readonly number[];
  /** In place of axes. */
  readonly over: string;
  /** The user's code. */
  readonly code: string;
  readonly note: string;
  readonly before: Side | null;
  readonly after: Side | null;
  readonly difference: string;
  readonly lines: readonly [before: Source | null, after: Source | null];
  /** What is to be said of it: how its figures come about, what may avoid it. */
  readonly why: readonly string[];
}

/** A part of a total, over mesh axes. */
export interface Part {
  readonly axes: readonly number[];
  readonly size: number;
}

export interface Total {
  readonly title: string;
  readonly difference: string;
  readonly sides: readonly { readonly label: string; readonly text: string; readonly parts: readonly Part[] }[];
}

export interface Diff {
  readonly name: string;
  /** What is compared, in a few words. */
  readonly about: string;
  readonly mesh: MeshModel | null;
  readonly sides: readonly [before: string, after: string];
  readonly verdict: string;
  readonly also: string;
  readonly totals: readonly Total[];
  /** What differs, in the order that is asked for. */
  readonly rows: readonly Row[];
  /** What does not. */
  readonly same: readonly Row[];
  /** How much that is. */
  readonly sameText: string;
  /** Heads that are not those of programs. */
  readonly heads: { readonly [key in (typeof DIFFERENCES)[number]["key"]]?: string };
  /** Whether sides are words, without bars. */
  readonly words: boolean;
  /** The orders that there are to choose from. */
  readonly orders: readonly Order[];
  readonly lines: readonly DiffLine[];
}

/** `line 41, was 40`; `line 49 before`. */
export function lineText(before: Source | null, after: Source | null): string {
  const source = after ?? before;
  if (!source) return "line not known";
  if (!after) return `line ${source.line} before`;
  return before && before.line !== after.line ? `line ${after.line}, was ${before.line}` : `line ${after.line}`;
}

/** A name of both sides, or both names. */
export function named(before: string, after: string): string {
  return before === after ? after : `${before} → ${after}`;
}

/** `+12.3 ms`, with a minus sign that is as wide. */
export function signed(value: number, write: (value: number) => string): string {
  return value === 0 ? "0" : `${value < 0 ? "−" : "+"}${write(Math.abs(value))}`;
}

/** A row in a sentence, for a screen reader. */
export function sentenceOf(row: Row, [before, after]: readonly [string, string], mesh: MeshModel | null): string {
  const over = row.axes.map((a) => mesh?.axes[a]?.name).join(", ") || row.over;
  const side = (name: string, of: Side | null) => `${name} ${of ? `${of.text} ${of.note}`.trim() : "none"}`;
  const what = `${row.change}: ${row.name}${over && ` over ${over}`}`;
  return [what, row.code, row.note, side(before, row.before), side(after, row.after)].filter(Boolean).join(", ");
}

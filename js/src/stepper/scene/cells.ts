/** Cells of blocks in a group's picture: sizes of digits, widths of cells, what part of a block is shown. */

import type { Variable } from "../../core/document.gen";
import { fitName, textWidth } from "../../draw/measure";
import { permutes, tells } from "../model/semantics";
import { type Ask, stripped } from "./ask";
import type { Face } from "./contents";
import { LEAST_WHOLE } from "./stage";

/** Sizes of digits, and extra widths of cells, the best first. */
export const FONTS = [11.5, 11, 10.5] as const;
export const GROWTH = [24, 17, 10, 6, 3, 0] as const;
/** Most columns of a block, or of each of its chunks, the best first. */
export const FEWER = [64, 16, 12, 8, 6, 4, 3, 2, 1];
/** Room for a whole array beside the tiles. */
export const WHOLE = 24 + LEAST_WHOLE;

/** Most columns of a block of so many, and what is left for a whole array: it gives way before half of the columns do. */
export function fewerBeside(natural: number): readonly (readonly [columns: number, beside: number])[] {
  const all = FEWER.filter((columns, i) => i === 0 || columns < natural);
  const half = all.filter((columns) => 2 * columns >= natural);
  const ways = (some: readonly number[]) => [WHOLE, 0].flatMap((beside) => some.map((n) => [n, beside] as const));
  return [...ways(half), ...all.slice(half.length).flatMap((columns) => ways([columns]))];
}

/** What says whose copy it is. */
export const TAG = { w: 20, h: 16 } as const;
/** Width of a copy without numbers. */
export const SWATCH = 22;

/** Width of a cell with room for the widest number, or for several with a dash between them. */
export function cellOf({ format }: Pick<Ask, "format">, font: number, tight = false, n = 1): number {
  const width = textWidth("0".repeat(n * (format?.width ?? 2) + n - 1), font, true);
  return tight ? Math.ceil(width + 6) : format ? Math.max(20, Math.ceil(width + 8)) : 22;
}

/** The name of a result with a space after it; none where it has only the expression that made it. */
export function resultName({ name }: Variable): string {
  return /^\w+$/.test(name) && name !== "result" ? `${fitName(name, 60, 11)} ` : "";
}

/** Rows by rank. */
export function rowIndex(members: readonly (readonly number[])[]): (rank: number) => number | null {
  const index = new Map(members.flatMap((ranks, i) => (ranks.length === 1 ? [[ranks[0] ?? 0, i] as const] : [])));
  return (rank) => index.get(rank) ?? null;
}

/** The transfers of a permutation; for a broadcast, the one to the receiver that is drawn. */
export function permuted({ trace, plan, c, receiver }: Pick<Ask, "trace" | "plan" | "c" | "receiver">) {
  const all = trace.played(plan).rounds[0] ?? [];
  if (!tells(c)) return all;
  const here = all.filter((t) => t.destination === receiver);
  return here.length > 0 ? here : all.slice(0, 1);
}

/** Whether a member of a permutation receives nothing: beside it is said that it has zeros. */
export function unsent({ plan, c, group }: Pick<Ask, "plan" | "c" | "group">): boolean {
  return permutes(c) && (plan.rounds[0] ?? []).flatMap((move) => move.pairs).length < group.length;
}

/** `columns 0–7 of 64`, in short `2 × 4 of 8 × 8`: of what has no room. */
export function shownPart(ask: Ask, face: Face): string {
  const parts: string[] = [];
  // Beside a sum in a narrow picture there is no room for two clauses, in a very narrow one not for one.
  const short = ask.width < (face.rows < face.of[0] ? 560 : 400);
  if (short && face.columns < face.of[1] && !stripped(ask))
    return `${face.rows} × ${face.columns} of ${face.of.join(" × ")}`;
  if (face.rows < face.of[0]) parts.push(firstOf("row", face.rows, face.of[0]));
  if (face.columns < face.of[1]) {
    const n = stripped(ask) ? ask.plan.n : 1;
    parts.push(firstOf("column", face.columns / n, face.of[1] / n) + (n > 1 ? " of each chunk" : ""));
  }
  return parts.join("; ");
}

/** `columns 0–7 of 64`. */
export function firstOf(noun: string, some: number, all: number): string {
  return `${noun}${some > 1 ? `s 0–${some - 1}` : " 0"} of ${all}`;
}

/** What a collective is about to show: its blocks, its picked group, how its numbers are written. */

import { chunkOf } from "../../collective/model/chunks";
import { FOLDED_ROWS, UNFOLDED } from "../../collective/model/plan";
import type { Collective, Plan, Step, Variable } from "../../core/document.gen";
import { product } from "../../core/mesh";
import type { NumberFormat } from "../../core/numbers";
import { exchanges, gathers, reducesAll, scatters } from "../model/semantics";
import { reduces, type TraceModel } from "../model/trace";
import { type Face, faceOf, once, partOf, stripOf } from "./contents";
import type { Motion, Stage } from "./stage";

export interface Ask {
  trace: TraceModel;
  step: Step;
  c: Collective;
  plan: Plan;
  motion: Motion;
  /** What is sent, and what is received. */
  input: Variable;
  output: Variable;
  format: NumberFormat | null;
  group: readonly number[];
  /** Rank of the receiver that is drawn. */
  receiver: number;
  width: number;
  /** Most height that there is. */
  room: number;
  /** Least size of tiles: what steps in which every device works alone need. */
  least: Size;
  /** Whether the group is drawn as if there were no other. */
  alone: boolean;
  /** Where the tiles of all other steps stand, which this one keeps if it can. */
  home: Stage | null;
  /** Whether the program has collectives along both axes of its mesh: then nothing stands between rows of tiles. */
  mixed: boolean;
}

/** Left edges of the columns and top edges of the rows of a stage that shows all of a mesh of two axes, and its tiles. */
export function gridOf({ tiles }: Stage) {
  const ends = (of: (tile: Stage["tiles"][number]) => number) => [...new Set(tiles.map(of))].sort((a, b) => a - b);
  const [x, y] = [ends(({ box }) => box.x), ends(({ box }) => box.y)];
  const { w, h } = tiles[0]?.box ?? { w: 0, h: 0 };
  return { x, y, w, h, gap: (x[1] ?? 0) - (x[0] ?? 0) - w, pitch: (y[1] ?? 0) - (y[0] ?? 0) };
}

/** The groups of a collective; its own alone where the others are drawn elsewhere. */
export function groupsOf({ trace, c, group, alone }: Pick<Ask, "trace" | "c" | "group" | "alone">) {
  return alone ? [group] : trace.groups(c);
}

export interface Size {
  w: number;
  h: number;
}

/** Whether a tile shows a block as chunks side by side. */
export function stripped({ c, motion }: Ask): boolean {
  return c.semantics.cuts !== "none" && motion !== "permute" && (motion !== "gather" || !reducesAll(c));
}

/** Lanes beside a ring for what goes round its ends: one for each direction. */
export function wraps(plan: Plan): number {
  return plan.algorithm === "ring" || plan.n < 3 ? 1 : 2;
}

/** Most height of a picture that stands alone, with its line. */
export const ROOM = 508;

/** Which of n chunks an element of a variable belongs to: of what is sent, or of what is received. */
export function chunkIn(
  trace: TraceModel,
  c: Collective,
  n: number,
  v: Variable,
  sent: boolean,
): (element: number) => number {
  const axis = sent && !gathers(c) ? c.split_axis : c.concat_axis;
  return chunkOf(v.shape, trace.corner(v)?.shape ?? v.shape, axis, n);
}

/** The variable whose chunks a tile shows, before and after. */
export function stripVariable({ c, input, output, motion }: Ask, after: boolean): Variable {
  if (gathers(c) || (exchanges(c) && motion !== "gather")) return output;
  return after && !scatters(c) ? output : input;
}

/** What a tile shows, with at most so many rows and columns; of a strip, of all chunks together. */
export function tileFace(ask: Ask, most: readonly [number, number], after = false): Face {
  if (stripped(ask)) {
    const v = stripVariable(ask, after);
    const { trace, c, plan } = ask;
    const columns = Math.max(1, Math.floor(most[1] / plan.n));
    const sent = v === ask.input;
    const key = [v.id, sent, gathers(c), c.split_axis, c.concat_axis, plan.n, most[0], columns].join();
    return once(STRIPS, trace, key, () =>
      stripOf(trace, v, chunkIn(trace, c, plan.n, v, sent), plan.n, [most[0], columns]),
    );
  }
  return faceOf(ask.trace, after ? ask.output : ask.input, most) ?? NOTHING;
}

/** Strips, which layouts ask for again and again. */
const STRIPS = new WeakMap<TraceModel, Map<string, Face>>();

/** What a tile holds in the end, with at most so many rows and columns. */
export function lastOf(ask: Ask, most: readonly [number, number]): { v: Variable; face: Face } {
  return { v: stripped(ask) ? stripVariable(ask, true) : ask.output, face: tileFace(ask, most, true) };
}

/** Chunks side by side that a tile has; 1 where it shows a block as it is. */
export function chunksOf(ask: Ask): number {
  return stripped(ask) ? ask.plan.n : 1;
}

/** What the member of a rank sends to the receiver: a chunk of its strip, or its block. */
export function pieceFace(ask: Ask, face: Face, rank = 0): Face {
  const { c, plan, receiver } = ask;
  return stripped(ask) ? partOf(face, plan.n, [gathers(c) ? rank : receiver]) : face;
}

/** What is said of chunks that have no element. */
export function emptyChunks(ask: Ask): string {
  const { c, plan, input } = ask;
  const none = plan.n - product(input.shape);
  return none > 0 && stripped(ask) && reducesAll(c) ? `${none} of ${plan.n} chunks have no element` : "";
}

/** Whether terms are added up. */
export function adds({ c }: Pick<Ask, "c">): boolean {
  return reduces(c);
}

/** From a tag to the middle of the sign behind it: `+`, or the name of another operation. */
export function signRoom({ c }: Pick<Ask, "c">): number {
  return c.semantics.combines === "sum" ? 13 : 17;
}

const NOTHING: Face = { rows: 1, columns: 1, elements: [-1], of: [1, 1] };

/** Ranks of a group that have a row of their own, and those that are folded into one. */
export function rowsOf(n: number, receiver: number, most = UNFOLDED): readonly (readonly number[])[] {
  if (n <= most) return Array.from({ length: n }, (_, r) => [r]);
  const first = Array.from({ length: FOLDED_ROWS - 2 }, (_, r) => r);
  if (receiver >= first.length && receiver < n - 1) first[first.length - 1] = receiver;
  const own = new Set([...first, n - 1]);
  const folded = Array.from({ length: n }, (_, r) => r).filter((r) => !own.has(r));
  return [...first.map((r) => [r]), folded, [n - 1]];
}

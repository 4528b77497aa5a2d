/** Algorithms of collectives, played: what every rank holds after each round, and what is in flight in it. */
import type { Move, Plan } from "../../core/document.gen";

/** What one rank sends another in a round. */
export interface Transfer {
  source: number;
  destination: number;
  /** Chunk numbers; where chunks have an origin, the ranks that they go to. */
  chunks: readonly number[];
  /** The rank that the chunks started on, where they have an origin; else 0. */
  origin: number;
  op: Move["op"];
}

/** Whose parts a chunk holds: the ranks that were combined into it, in order; empty for a missing chunk. */
export type Parts = readonly number[];

/** What a rank holds: the parts of each chunk. Where chunks have an origin, chunk c of rank r is what r got from rank c. */
export type ChunksOfRanks = readonly (readonly Parts[])[];

/** An algorithm from its beginning to its end. */
export interface Played {
  /** The transfers of each round. */
  rounds: readonly (readonly Transfer[])[];
  /** What every rank holds before the first round, and after each. A row of one is a block that is not split. */
  states: readonly ChunksOfRanks[];
}

/** The transfers of a round. */
export function transfers(plan: Plan, round: number): Transfer[] {
  const { n } = plan;
  const all = ranks(n);
  const out: Transfer[] = [];
  for (const move of plan.rounds[round] ?? []) {
    if (move.peer === "pairs") {
      for (const [source, destination] of move.pairs)
        out.push({ source, destination, chunks: [0], origin: 0, op: move.op });
      continue;
    }
    const at = (r: number, d: number) => (move.peer === "exchange" ? r ^ d : (((r + d) % n) + n) % n);
    for (let source = 0; source < n; source++) {
      out.push({
        source,
        destination: at(source, move.by),
        chunks: move.count >= n ? all : Array.from({ length: move.count }, (_, i) => at(source, move.first + i)),
        origin: addressed(plan) ? at(source, move.origin) : 0,
        op: move.op,
      });
    }
  }
  return out;
}

/** Whether a plan is small enough to be played: rounds of many ranks have too many transfers. Its meaning always is. */
export function playable({ n, rounds }: Plan): boolean {
  return rounds.length <= 1 || n * n * rounds.length <= MOST;
}

/** How long the parts of a collective take at single speed, in milliseconds. */
export interface Times {
  rounds: number;
  /** Of a round of flights. */
  round: number;
  /** Terms that are then added one after another, the receiver's own first; 1 where nothing is added. */
  terms: number;
  /** Of adding a term. */
  beat: number;
  /** How long the result stands before the step is over. */
  settle: number;
}

/** Members of a group that are drawn one by one; in a larger group the middle is folded into one row. */
export const UNFOLDED = 16;
export const FOLDED_ROWS = 8;

/** The times of a plan, in a group of so many members. */
export function timesOf(plan: Plan | null, members: number, adds: boolean): Times {
  if (plan && plan.algorithm !== "meaning")
    return { rounds: plan.rounds.length, round: 700, terms: 1, beat: 0, settle: 500 };
  const terms = adds ? Math.max(1, members > UNFOLDED ? FOLDED_ROWS : members) : 1;
  const beat = members <= 4 ? 400 : members <= 8 ? 220 : 120;
  return { rounds: 1, round: 1200, terms, beat, settle: 600 };
}

export function lasting({ rounds, round, terms, beat, settle }: Times): number {
  return rounds * round + (terms - 1) * beat + settle;
}

/** Plays a plan. */
export function play(plan: Plan): Played {
  const { n } = plan;
  const { starts, cuts } = plan.semantics;
  const rounds = plan.rounds.map((_, round) => transfers(plan, round));
  const direct = cuts === "none" && !addressed(plan);
  const uncut = direct || rounds.flat().every((t) => t.chunks.length === n);
  const [own, whole] = [ranks(n).map((r) => [r]), starts === "whole"];
  const source = starts === "source" ? (rounds[0]?.[0]?.source ?? 0) : -1;
  // In a permutation the sent block and the received one are different things: nothing has been received yet.
  let now: Parts[][] = own.map((mine, r) =>
    uncut ? [whole || r === source ? mine : NONE] : own.map((_, c) => (whole || c === r ? mine : NONE)),
  );
  const states: ChunksOfRanks[] = [now];
  for (const round of rounds) {
    const next = now.map((row) => [...row]);
    const added = new Map<Parts[], Map<number, Parts[]>>();
    for (const t of round) {
      const row = next[t.destination];
      if (!row) continue;
      for (const chunk of uncut ? [0] : t.chunks) {
        if (addressed(plan)) {
          // Passed on until it reaches its destination.
          if (chunk === t.destination) row[t.origin] = own[t.origin] ?? NONE;
          continue;
        }
        const sent = (starts === "nothing" ? own[t.source] : now[t.source]?.[chunk]) ?? NONE;
        if (t.op === "copy") row[chunk] = sent;
        else {
          const sums = added.get(row) ?? new Map<number, Parts[]>();
          sums.set(chunk, [...(sums.get(chunk) ?? []), sent]);
          added.set(row, sums);
        }
      }
    }
    for (const [row, sums] of added) {
      for (const [chunk, sent] of sums)
        row[chunk] = [...new Set([...(row[chunk] ?? NONE), ...sent.flat()])].sort((a, b) => a - b);
    }
    now = next;
    states.push(now);
  }
  return { rounds, states };
}

const NONE: Parts = [];
/** Chunks of all ranks in all rounds that are played at most. */
const MOST = 2 ** 20;

/** Whether chunks are told apart by the rank that they started on. */
function addressed({ semantics }: Plan): boolean {
  return semantics.by_origin;
}

function ranks(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}

/** Algorithms of collectives, played: what every rank holds after each round, and what is in flight in it. */
import type { Move, Plan } from "./document.gen";

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

/** Whose parts a chunk holds: the ranks that were combined into it, in order; empty for a chunk that is not there. */
export type Parts = readonly number[];

/** What a rank holds: the parts of each chunk. Where chunks have an origin, chunk c of rank r is what r got from rank c. */
export type Held = readonly (readonly Parts[])[];

/** An algorithm from its beginning to its end. */
export interface Played {
  /** The transfers of each round. */
  rounds: readonly (readonly Transfer[])[];
  /** What every rank holds before the first round, and after each. A row of one is a block that is not cut. */
  states: readonly Held[];
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

/** Whether a plan is small enough to be played: groups of many ranks have too many transfers to draw. */
export function playable({ n, rounds }: Plan): boolean {
  return n * n * Math.max(1, rounds.length) <= MOST && (rounds.length !== 1 || n <= 256);
}

/** Milliseconds that so many rounds take when they are played at single speed. */
export function playTime(rounds: number): number {
  return rounds <= 1 ? 850 : rounds * 500 + 150;
}

/** Plays a plan. */
export function play(plan: Plan): Played {
  const { n } = plan;
  const { starts, cuts } = plan.semantics;
  const rounds = plan.rounds.map((_, round) => transfers(plan, round));
  const direct = cuts === "none" && !addressed(plan);
  const uncut = direct || rounds.flat().every((t) => t.chunks.length === n);
  const [own, whole] = [ranks(n).map((r) => [r]), starts === "whole"];
  const told = starts === "source" ? (rounds[0]?.[0]?.source ?? 0) : -1;
  // In a permutation the sent block and the received one are different things: nothing has been received yet.
  let now: Parts[][] = own.map((mine, r) =>
    uncut ? [whole || r === told ? mine : NONE] : own.map((_, c) => (whole || c === r ? mine : NONE)),
  );
  const states: Held[] = [now];
  for (const round of rounds) {
    const next = now.map((row) => [...row]);
    const added = new Map<Parts[], Map<number, Parts[]>>();
    for (const t of round) {
      const row = next[t.destination];
      if (!row) continue;
      for (const chunk of uncut ? [0] : t.chunks) {
        if (addressed(plan)) {
          // Passed on until it is where it goes.
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

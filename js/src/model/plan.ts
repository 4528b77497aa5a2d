/** Algorithms of collectives, played: what every rank holds after each round, and what is in flight in it. */
import type { Move, Plan } from "./document.gen";

/** What one rank sends another in a round. */
export interface Transfer {
  source: number;
  destination: number;
  /** Chunk numbers; with all_to_all the ranks that the chunks go to. */
  chunks: readonly number[];
  /** The rank that the chunks started on, for all_to_all; else 0. */
  origin: number;
  op: Move["op"];
}

/** The transfers of a round. */
export function transfers(plan: Plan, round: number): Transfer[] {
  const { n } = plan;
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
        chunks: Array.from({ length: move.count }, (_, i) => at(source, move.first + i)),
        origin: plan.kind === "all_to_all" ? at(source, move.origin) : 0,
        op: move.op,
      });
    }
  }
  return out;
}

/** Whose parts a chunk holds: the ranks that were combined into it, in order; empty for a chunk that is not there. */
export type Parts = readonly number[];

/** What a rank holds: the parts of each chunk. With all_to_all, chunk c of rank r is what r got from rank c. */
export type Held = readonly (readonly Parts[])[];

/** What every rank holds before the first round, and after each. */
export function play(plan: Plan): Held[] {
  const { n, kind } = plan;
  const ranks = Array.from({ length: n }, (_, i) => i);
  const direct = plan.rounds.some((round) => round.some((move) => move.peer === "pairs"));
  const whole = WHOLE.includes(kind);
  // In a permutation the sent block and the received one are different things: nothing has been received yet.
  let now: Parts[][] = ranks.map((r) => (direct ? [[]] : ranks.map((c) => (whole || c === r ? [r] : []))));
  const out: Held[] = [now];
  for (let round = 0; round < plan.rounds.length; round++) {
    const next = now.map((chunks) => [...chunks]);
    for (const t of transfers(plan, round)) {
      const row = next[t.destination];
      for (const chunk of row ? t.chunks : []) {
        if (kind === "all_to_all") {
          // Passed on until it is where it goes.
          if (chunk === t.destination && row) row[t.origin] = [t.origin];
          continue;
        }
        const sent = direct ? [t.source] : (now[t.source]?.[chunk] ?? []);
        if (row) row[chunk] = t.op === "add" ? merge(row[chunk] ?? [], sent) : sent;
      }
    }
    now = next;
    out.push(now);
  }
  return out;
}

/** Kinds that start with a whole block of every rank's own, in n chunks. */
const WHOLE = ["psum", "pmax", "pmin", "reduce_scatter"];

function merge(a: Parts, b: Parts): Parts {
  return [...new Set([...a, ...b])].sort((x, y) => x - y);
}

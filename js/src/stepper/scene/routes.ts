/**
 * Paths of copies from row to row that never meet: right out of the row, along a lane, and into the row where they go.
 *
 * All copies are on the same third of their way at once. On the first and the last each is alone in its row; on the
 * middle one, copies of one lane keep their order: of two, the upper one goes to the upper row.
 */
import type { Transfer } from "../../collective/model/plan";

export interface Route {
  transfer: Transfer;
  /** Rows where it leaves and arrives. */
  from: number;
  to: number;
  lane: number;
}

/** The routes of a round's transfers between rows that are drawn. */
export function routesOf(round: readonly Transfer[], row: (rank: number) => number | null): Route[] {
  const moves = round.flatMap((transfer) => {
    const [from, to] = [row(transfer.source), row(transfer.destination)];
    return from === null || to === null || from === to ? [] : [{ transfer, from, to }];
  });
  // The shortest ways have the nearest lanes; those that go round the outer ones.
  moves.sort(
    (a, b) => Math.abs(a.to - a.from) - Math.abs(b.to - b.from) || a.to - a.from - (b.to - b.from) || a.from - b.from,
  );
  const lanes: Route[][] = [];
  for (const move of moves) {
    const fits = (others: readonly Route[]) =>
      others.every((o) => Math.sign(o.from - move.from) * Math.sign(o.to - move.to) > 0);
    let lane = lanes.findIndex(fits);
    if (lane < 0) lane = lanes.push([]) - 1;
    lanes[lane]?.push({ ...move, lane });
  }
  return lanes.flat();
}

/** Transfers between the same two ranks are one copy, with its chunks in their order. */
export function joined(round: readonly Transfer[]): Transfer[] {
  const pairs = new Map<string, Transfer>();
  for (const t of round) {
    const key = `${t.source} ${t.destination}`;
    const known = pairs.get(key);
    pairs.set(key, {
      ...t,
      ...known,
      chunks: [...new Set([...(known?.chunks ?? []), ...t.chunks])].sort((a, b) => a - b),
    });
  }
  return [...pairs.values()];
}

/** Lanes that the rounds need at most. */
export function lanesOf(rounds: readonly (readonly Transfer[])[], row: (rank: number) => number | null): number {
  return rounds.reduce((most, round) => routesOf(round, row).reduce((n, r) => Math.max(n, r.lane + 1), most), 0);
}

/** What the time of a call went into, on one device. */

/** Ticks: computing, in a collective after the last arrival, and before it; what compute hides is compute. */
export interface TicksSpent {
  compute: number;
  moving: number;
  waiting: number;
}

/** An event: when it began and ended, and when a collective's last member came; null for compute. */
export type Took = readonly [start: number, end: number, came: number | null];

/** Adds up events that are sorted by their start. */
export function spentOf(events: readonly Took[]): TicksSpent {
  const covered: [number, number][] = [];
  for (const [start, end, came] of events) {
    if (came !== null) continue;
    const last = covered.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else covered.push([start, end]);
  }
  const spent = { compute: covered.reduce((sum, [a, b]) => sum + b - a, 0), moving: 0, waiting: 0 };
  let first = 0;
  for (const [start, end, came] of events) {
    if (came === null) continue;
    while (first < covered.length && (covered[first]?.[1] ?? 0) <= start) first++;
    const bare = (from: number, to: number) => {
      let left = to - from;
      for (let k = first; k < covered.length && (covered[k]?.[0] ?? 0) < to; k++)
        left -= Math.max(0, Math.min(to, covered[k]?.[1] ?? 0) - Math.max(from, covered[k]?.[0] ?? 0));
      return left;
    };
    spent.waiting += bare(start, came);
    spent.moving += bare(came, end);
  }
  return spent;
}

/** When the loops of a call ran. */

export interface Loop {
  /** Ticks from the beginning of the call. */
  from: number;
  to: number;
  /** Where each iteration begins. */
  starts: readonly number[];
}

/** An event: when it ran, and the iteration of the outermost loop that it is in; -1 outside of loops. */
export type Step = readonly [start: number, end: number, iteration: number];

/** The outermost loops, one after another: one ends where an event is outside of loops, or iterations start again. */
export function loopsOf(events: Iterable<Step>): Loop[] {
  const out: { from: number; to: number; starts: number[] }[] = [];
  let before = -1;
  for (const [start, end, at] of events) {
    const open = out.at(-1);
    if (at >= 0 && (before < 0 || at < before || !open)) out.push({ from: start, to: end, starts: [start] });
    else if (at >= 0 && open) {
      open.to = Math.max(open.to, end);
      if (at > before) open.starts.push(start);
    }
    before = at;
  }
  return out.filter((loop) => loop.starts.length > 1);
}

/** Where the chart of memory stands, and where a step is on it: the lines and lifetimes below share its x. */

export interface MemoryLayout {
  width: number;
  height: number;
  /** Where the plot begins, and how wide it is. */
  left: number;
  span: number;
  top: number;
  /** Height of the plot. */
  plot: number;
  steps: number;
}

export const WIDE = 860;
export const NARROW = 560;
/** What stands beside the plot: a legend, code, names. */
const GUTTERS = { wide: 300, middle: 214, narrow: 46 } as const;
const TOP = 16;
const PLOT = 156;
/** Below the plot: brackets of loops, and their names. */
const BELOW = 26;

export function layoutOf(steps: number, width: number): MemoryLayout {
  const kind = width >= WIDE - 34 ? "wide" : width >= NARROW - 34 ? "middle" : "narrow";
  const left = GUTTERS[kind];
  return { width, height: TOP + PLOT + BELOW, left, span: Math.max(40, width - left), top: TOP, plot: PLOT, steps };
}

/** The left edge of a step. */
export function xOf({ left, span, steps }: MemoryLayout, step: number): number {
  return left + (step / Math.max(1, steps)) * span;
}

export function stepAt({ left, span, steps }: MemoryLayout, x: number): number {
  return Math.max(0, Math.min(steps - 1, Math.floor(((x - left) / span) * steps)));
}

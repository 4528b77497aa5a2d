/** Where the rings and the charts of two algorithms stand: side by side if there is room, else one below another. */
import type { Box } from "../../draw/marks";

export type Chart = "traffic" | "sizes";

export interface AlgorithmsLayout {
  width: number;
  height: number;
  /** For each algorithm. */
  panels: readonly [Box, Box];
  /** Bytes over time, and time over size; null where the other one stands. */
  traffic: Box | null;
  sizes: Box | null;
}

const PANEL = 242;
const CHART = 196;
/** Of rings and of the one chart that a narrow card shows. */
const LOW = [206, 157] as const;
const MIDDLE = [230, 182] as const;
const GAP = 20;
/** Over a chart its title, under it the numbers of its axis; at its left those of the other. */
const HEAD = 20;
const FOOT = 22;
const LEFT = 52;
/** Of one of two rings that stand under one another, and of their chart. */
const RING = [170, 146] as const;
/** Below these widths charts stand under one another, and are as low as they are read; at last rings do. */
const TWO = 568;
const SMALL = 520;
const TINY = 386;

/** `one`: the chart that a narrow card shows; both without. */
export function layoutAlgorithms(width: number, one: Chart | null = null): AlgorithmsLayout {
  const half = (width - GAP) / 2;
  const beside = width >= TWO;
  const single = beside ? null : one;
  const under = single !== null && width < TINY;
  const [high, chartHigh] = single ? (under ? RING : width < SMALL ? LOW : MIDDLE) : [PANEL, CHART];
  const [x, y, w] = under ? [0, high + 10, width] : [half + GAP, 0, half];
  const panels = [
    { x: 0, y: 0, w, h: high },
    { x, y, w, h: high },
  ] as const;
  const chart = (x: number, y: number, w: number): Box => ({
    x: x + LEFT,
    y: y + HEAD,
    w: w - LEFT - 10,
    h: chartHigh - HEAD - FOOT,
  });
  const top = y + high + 10;
  const below = top + (single ? 0 : chartHigh + 8);
  return {
    width,
    height: beside ? top + chartHigh : below + chartHigh,
    panels,
    traffic: single === "sizes" ? null : chart(0, top, beside ? half : width),
    sizes: single === "traffic" ? null : beside ? chart(half + GAP, top, half) : chart(0, below, width),
  };
}

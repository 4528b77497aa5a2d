/** Where the rings and the charts of two algorithms stand: side by side if there is room, else one below another. */
import type { Box } from "../../draw/marks";

export interface AlgorithmsLayout {
  width: number;
  height: number;
  /** For each algorithm. */
  panels: readonly [Box, Box];
  /** Bytes over time, and time over size. */
  traffic: Box;
  sizes: Box;
}

const PANEL = 252;
const CHART = 204;
const GAP = 20;
/** Over a chart its title, under it the numbers of its axis; at its left those of the other. */
const HEAD = 20;
const FOOT = 22;
const LEFT = 52;
/** Below this width charts stand under one another. */
const TWO = 620;

export function layoutAlgorithms(width: number): AlgorithmsLayout {
  const half = (width - GAP) / 2;
  const panels = [
    { x: 0, y: 0, w: half, h: PANEL },
    { x: half + GAP, y: 0, w: half, h: PANEL },
  ] as const;
  const chart = (x: number, y: number, w: number): Box => ({
    x: x + LEFT,
    y: y + HEAD,
    w: w - LEFT - 10,
    h: CHART - HEAD - FOOT,
  });
  const top = PANEL + 10;
  const beside = width >= TWO;
  return {
    width,
    height: top + CHART * (beside ? 1 : 2) + (beside ? 0 : 8),
    panels,
    traffic: chart(0, top, beside ? half : width),
    sizes: beside ? chart(half + GAP, top, half) : chart(0, top + CHART + 8, width),
  };
}

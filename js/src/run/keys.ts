/** Keys of the whole card, as its foot lists them. */
import { cardKeys } from "../card/keys";
import type { RunState } from "./state";

export const KEYS = [
  ["← →", "event"],
  ["n", "next wait"],
  ["+ −", "zoom"],
  ["↑ ↓", "device"],
  ["[ ]", "call"],
  ["a", "all calls"],
  ["Esc", "deselect"],
] as const;

export const runKeys = cardKeys((state: RunState, target) => {
  return {
    n: () => state.nextWait(),
    "+": () => state.zoom(0.5),
    "=": () => state.zoom(0.5),
    "-": () => state.zoom(2),
    "[": () => state.show((state.chart()?.call ?? 0) - 1),
    "]": () => state.show((state.chart()?.call ?? 0) + 1),
    a: () => state.overview(!state.now.all),
    Escape: () => state.release(),
    ...(target.matches(".chart") && {
      ArrowLeft: () => state.step(-1),
      ArrowRight: () => state.step(1),
      ArrowUp: () => state.lane(-1),
      ArrowDown: () => state.lane(1),
      Home: () => state.edge(false),
      End: () => state.edge(true),
    }),
  };
});

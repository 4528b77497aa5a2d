/** Keys of the whole card, as its foot lists them. */
import { cardKeys } from "../card/keys";
import type { RunState } from "./state";

export const KEYS: readonly (readonly [string, string])[] = [
  ["← →", "event"],
  ["↑ ↓", "device"],
  ["n", "next wait"],
  ["+ −", "zoom"],
  ["[ ]", "call"],
  ["a", "all calls"],
  ["Esc", "deselect"],
];

/** Listens on the frame; returns a function that stops listening. */
export function runKeys(state: RunState, frame: HTMLElement): () => void {
  return cardKeys(frame, (key, target) => {
    const chart: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => state.step(-1),
      ArrowRight: () => state.step(1),
      ArrowUp: () => state.lane(-1),
      ArrowDown: () => state.lane(1),
      Home: () => state.edge(false),
      End: () => state.edge(true),
    };
    const whole: Readonly<Record<string, () => void>> = {
      n: () => state.nextWait(),
      "+": () => state.zoom(0.5),
      "=": () => state.zoom(0.5),
      "-": () => state.zoom(2),
      "[": () => state.show((state.chart()?.call ?? 0) - 1),
      "]": () => state.show((state.chart()?.call ?? 0) + 1),
      a: () => state.overview(!state.now.all),
      Escape: () => state.release(),
    };
    return (target.matches(".chart") ? chart[key] : undefined) ?? whole[key];
  });
}

/** Keys of the whole card, as its foot lists them. */
import { copyText } from "../card/copy";
import { cardKeys } from "../card/keys";
import type { SearchState } from "./state";

export const KEYS = [
  ["↑ ↓", "candidate"],
  ["c", "copy the code"],
  ["f", "only what may fit"],
  ["s", "time or memory"],
] as const;

export const searchKeys = cardKeys((state: SearchState) => ({
  ArrowUp: () => state.move(-1),
  ArrowDown: () => state.move(1),
  PageUp: () => state.move(-10),
  PageDown: () => state.move(10),
  Home: () => state.move(Number.MIN_SAFE_INTEGER),
  End: () => state.move(Number.MAX_SAFE_INTEGER),
  c: () => copyCode(state),
  f: () => state.set({ fitting: !state.now.fitting }),
  s: () => state.set({ order: state.now.order === "time" ? "memory" : "time" }),
}));

export function copyCode(state: SearchState): void {
  const shown = state.shown();
  const code = shown?.model.rows[shown.selected]?.candidate.code;
  if (code) copyText(code, (said) => state.set({ said }));
}

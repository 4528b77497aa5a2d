/** Keys of the whole card, as its foot lists them. */
import { copyText } from "../card/copy";
import { cardKeys } from "../card/keys";
import { codeOf } from "./model/search";
import type { SearchState } from "./state";

export const KEYS = [
  ["↑ ↓", "candidate"],
  ["Enter", "open"],
  ["k", "compile it next"],
  ["c", "copy the code"],
  ["f", "only what may fit"],
  ["s", "time, memory, front"],
  ["Esc", "stop"],
] as const;

export const searchKeys = cardKeys((state: SearchState) => ({
  ArrowUp: () => state.move(-1),
  ArrowDown: () => state.move(1),
  PageUp: () => state.move(-10),
  PageDown: () => state.move(10),
  Home: () => state.move(Number.MIN_SAFE_INTEGER),
  End: () => state.move(Number.MAX_SAFE_INTEGER),
  Enter: () => state.ask("open"),
  Escape: () => (state.now.running === "running" ? state.ask("stop") : state.set({ opened: null })),
  c: () => copyCode(state),
  f: () => state.set({ fitting: !state.now.fitting }),
  k: () => state.ask("compile"),
  s: () => state.sort(),
}));

export function copyCode(state: SearchState): void {
  const shown = state.shown();
  const row = shown?.model.rows[shown.selected];
  const code = shown && row ? codeOf(shown.model, row) : "";
  if (code) copyText(code, (said) => state.set({ said }));
}

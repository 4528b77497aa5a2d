/** Keys of the whole card, as its foot lists them. */
import { cardKeys } from "../card/keys";
import type { DiffState } from "./state";

export const KEYS = [
  ["↑ ↓", "row"],
  ["s", "order"],
  ["u", "unchanged"],
] as const;

export const diffKeys = cardKeys((state: DiffState) => ({
  ArrowUp: () => state.move(-1),
  ArrowDown: () => state.move(1),
  PageUp: () => state.move(-7),
  PageDown: () => state.move(7),
  Home: () => state.move(Number.MIN_SAFE_INTEGER),
  End: () => state.move(Number.MAX_SAFE_INTEGER),
  s: () => {
    const orders = state.shown()?.diff.orders ?? [];
    const next = orders[(orders.indexOf(state.now.sort) + 1) % orders.length];
    if (next) state.sort(next);
  },
  ",": () => state.move(-1),
  ".": () => state.move(1),
  n: () => state.next(),
  u: () => state.set({ unfolded: !state.now.unfolded }),
}));

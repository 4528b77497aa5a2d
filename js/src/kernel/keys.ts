/** Keys of the whole card, as its foot lists them. */
import { cardKeys } from "../card/keys";
import type { KernelState } from "./state";

export const KEYS = [
  ["Space", "play"],
  ["↑ ↓", "event"],
  ["n", "next fault"],
  ["← →", "device"],
  [", .", "step"],
  ["o", "order"],
  ["Esc", "deselect"],
] as const;

export const kernelKeys = cardKeys((state: KernelState) => ({
  " ": () => state.toggle(),
  ",": () => state.back(),
  ".": () => state.forward(),
  ArrowUp: () => state.event(-1),
  ArrowDown: () => state.event(1),
  ArrowLeft: () => state.turn(-1),
  ArrowRight: () => state.turn(1),
  Home: () => state.jump(0),
  End: () => state.jump(Number.MAX_SAFE_INTEGER),
  n: () => state.next(1),
  o: () => state.plain(!state.now.plain),
  Escape: () => state.set({ block: null }),
}));

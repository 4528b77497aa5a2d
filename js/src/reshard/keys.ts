/** Keys of the whole card, as its foot lists them. */
import { cardKeys } from "../card/keys";
import type { ReshardState } from "./state";

export const KEYS = [
  [", .", "chunk"],
  ["← →", "device"],
  ["p", "peak"],
  ["↑ ↓", "array"],
  ["f", "flows"],
  ["[ ]", "another way"],
  ["Space", "play"],
  ["Esc", "deselect"],
] as const;
export const PAIRS = [["← →", "device"]] as const;

export const reshardKeys = cardKeys((state: ReshardState, target, _find, key) => {
  // The list of arrays scrolls by its own keys.
  if (target.closest(".arrays") && /^( |Home|End|Arrow.*|Page.*)$/.test(key)) return {};
  return {
    ArrowLeft: () => state.move(-1),
    ArrowRight: () => state.move(1),
    ArrowUp: () => state.step(-1),
    ArrowDown: () => state.step(1),
    ",": () => state.back(),
    ".": () => state.forward(),
    PageUp: () => state.step(-10),
    PageDown: () => state.step(10),
    Home: () => state.jump(0),
    End: () => state.jump(Number.MAX_SAFE_INTEGER),
    p: () => state.toPeak(),
    f: () => state.turn("flows"),
    "[": () => state.other(-1),
    "]": () => state.other(1),
    " ": () => state.toggle(),
    Escape: () => state.look(null),
  };
});

/** Keys of the whole card, as its foot lists them. */
import { cardKeys } from "../card/keys";
import type { ReshardState } from "./state";

export const KEYS = [
  ["← →", "groups"],
  [", .", "chunks"],
  ["Space", "play"],
  ["p", "peak"],
] as const;

/** Listens on the frame; returns what ends it. */
export function reshardKeys(state: ReshardState, frame: HTMLElement): () => void {
  const acts: Readonly<Record<string, () => void>> = {
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
    " ": () => state.toggle(),
    Escape: () => state.look(null),
  };
  // The list of arrays scrolls by its own keys.
  return cardKeys(frame, (key, target) =>
    target.closest(".arrays") && /^( |Home|End|Arrow.*|Page.*)$/.test(key) ? undefined : acts[key],
  );
}

/** Keys of the whole card, as its foot lists them. */
import { cardKeys } from "../card/keys";
import type { MpmdState } from "./state";

export const KEYS = [
  ["← →", "group"],
  ["Esc", "deselect"],
] as const;

export const mpmdKeys = cardKeys((state: MpmdState) => ({
  ArrowLeft: () => state.move(-1),
  ArrowRight: () => state.move(1),
  Home: () => state.look(0),
  End: () => state.look((state.now.model?.folds.length ?? 1) - 1),
  Escape: () => state.look(null),
}));

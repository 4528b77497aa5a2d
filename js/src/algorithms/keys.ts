/** Keys of the whole card, as its foot lists them. */
import { cardKeys } from "../card/keys";
import type { AlgorithmsState } from "./state";

export const KEYS = [
  ["Space", "play"],
  [", .", "round"],
] as const;

export const algorithmsKeys = cardKeys((state: AlgorithmsState) => ({
  " ": () => state.toggle(),
  ",": () => state.hop(-1),
  ".": () => state.hop(1),
  Home: () => state.seek(0),
  End: () => state.seek(1),
}));

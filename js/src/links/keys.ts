/** Keys of the whole card, as its foot lists them. */
import { cardKeys } from "../card/keys";
import type { LinksState } from "./state";

export const KEYS = [
  ["← →", "order"],
  ["a", "one axis, or all"],
  ["[ ]", "plane"],
] as const;

export const linksKeys = cardKeys((state: LinksState) => ({
  ArrowLeft: () => state.select(state.now.order - 1),
  ArrowRight: () => state.select(state.now.order + 1),
  a: () => state.alone(),
  "[": () => state.turn(-1),
  "]": () => state.turn(1),
}));

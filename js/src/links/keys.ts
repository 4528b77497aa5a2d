/** Keys of the whole card, as its foot lists them. */
import { cardKeys } from "../card/keys";
import type { LinksState } from "./state";

export const KEYS = [
  ["← →", "order"],
  ["a", "one row, or all"],
  ["[ ]", "plane"],
] as const;

export const linksKeys = cardKeys((state: LinksState) => ({
  ArrowLeft: () => state.select(state.now.order - 1),
  ArrowRight: () => state.select(state.now.order + 1),
  a: () => state.board.alone(),
  "[": () => state.board.turn(-1),
  "]": () => state.board.turn(1),
}));

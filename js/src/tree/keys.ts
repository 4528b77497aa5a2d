/** Keys of the whole card, as its help lists them. */
import { cardKeys, lineKeys, searchKeys } from "../card/keys";
import type { ModelState } from "./state";

export const KEYS = [
  ["n", "next to look at"],
  ["Enter", "draw the array"],
  ["w", "what if"],
  ["↑ ↓", "move"],
  ["← →", "fold, unfold"],
  ["e", "try a spec"],
  ["/", "filter"],
  ["s", "sort"],
] as const;

export const modelKeys = cardKeys((state: ModelState, target, find) => {
  if (target.matches("textarea")) return { Escape: () => find(".tree")?.focus() };
  return (
    searchKeys(target, state, () => find(".tree")) ?? {
      "/": () => find("input[type=search]")?.focus(),
      s: () => find("select")?.focus(),
      w: () => find("textarea")?.focus(),
      n: () => state.walk(1),
      N: () => state.walk(-1),
      ...(target.matches(".tree") && {
        ...lineKeys(state),
        ArrowLeft: () => state.left(),
        ArrowRight: () => state.right(),
        Enter: () => state.enter(),
        e: () => state.enter("leaf"),
      }),
    }
  );
});

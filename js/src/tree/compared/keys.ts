/** Keys of trees side by side, as the card's foot lists them. */
import { cardKeys, lineKeys, searchKeys } from "../../card/keys";
import type { ComparedState } from "./state";

export const KEYS = [
  ["↑ ↓", "move"],
  ["/", "filter"],
  ["d", "only what differs"],
  ["s", "sort"],
] as const;

export const comparedKeys = cardKeys((state: ComparedState, target, find) => {
  return (
    searchKeys(target, state, () => find(".grid")) ?? {
      "/": () => find("input[type=search]")?.focus(),
      s: () => find("select")?.focus(),
      d: () => state.list({ differs: !state.now.differs }),
      ...(target.matches(".grid") && lineKeys(state)),
    }
  );
});

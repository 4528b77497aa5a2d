/** Keys of the whole card, as its foot lists them. */
import { cardKeys, lineKeys, searchKeys } from "../card/keys";
import type { InspectorState } from "./state";

export const KEYS = [
  ["n", "next to look at"],
  ["↑ ↓", "move"],
  ["c", "changed"],
  ["Enter", "open"],
  ["/", "search"],
] as const;

export const inspectorKeys = cardKeys((state: InspectorState, target, find) => {
  return (
    searchKeys(target, state, () => find(".names")) ?? {
      "/": () => find("input[type=search]")?.focus(),
      n: () => state.walk().go(1),
      c: () => state.list({ filter: state.now.filter === "changed" ? "all" : "changed" }),
      ...(target.matches(".names") && { ...lineKeys(state), Enter: () => state.toggle() }),
    }
  );
});

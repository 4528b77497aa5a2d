/** Keys of the whole card, as its help lists them. */
import { cardKeys, isSearch, lineKeys } from "../card/keys";
import type { ModelState } from "./state";

export const KEYS: readonly (readonly [string, string])[] = [
  ["↑ ↓", "move"],
  ["← →", "fold, unfold"],
  ["Enter", "draw the array"],
  ["e", "try a spec"],
  ["/", "filter"],
  ["s", "sort"],
  ["w", "what if"],
];

/** Listens on the frame; returns a function that stops listening. */
export function modelKeys(state: ModelState, frame: HTMLElement): () => void {
  const find = (selector: string) => frame.shadowRoot?.querySelector<HTMLElement>(selector);
  return cardKeys(frame, (key, target) => {
    // The array below the table has keys of its own.
    if (target.getRootNode() !== frame.shadowRoot) return undefined;
    if (target.matches("textarea")) return key === "Escape" ? () => find(".tree")?.focus() : undefined;
    if (isSearch(target)) return key === "Escape" ? () => state.list({ search: "" }) : () => find(".tree")?.focus();
    const inTree: Readonly<Record<string, () => void>> = {
      ...lineKeys(state),
      ArrowLeft: () => state.left(),
      ArrowRight: () => state.right(),
      Enter: () => state.enter(),
      e: () => state.enter("leaf"),
    };
    const whole: Readonly<Record<string, () => void>> = {
      "/": () => find("input[type=search]")?.focus(),
      s: () => find("select")?.focus(),
      w: () => find("textarea")?.focus(),
    };
    return (target.matches(".tree") ? inTree[key] : undefined) ?? whole[key];
  });
}

/** Keys of trees side by side, as the card's foot lists them. */
import { cardKeys, isSearch, lineKeys } from "../../card/keys";
import type { ComparedState } from "./state";

export const KEYS: readonly (readonly [string, string])[] = [
  ["↑ ↓", "move"],
  ["/", "filter"],
  ["s", "sort"],
  ["d", "only what differs"],
];

/** Listens on the frame; returns a function that stops listening. */
export function comparedKeys(state: ComparedState, frame: HTMLElement): () => void {
  const find = (selector: string) => frame.shadowRoot?.querySelector<HTMLElement>(selector);
  return cardKeys(frame, (key, target) => {
    if (isSearch(target)) return key === "Escape" ? () => state.list({ search: "" }) : () => find(".grid")?.focus();
    const whole: Readonly<Record<string, () => void>> = {
      "/": () => find("input[type=search]")?.focus(),
      s: () => find("select")?.focus(),
      d: () => state.list({ differs: !state.now.differs }),
    };
    return (target.matches(".grid") ? lineKeys(state)[key] : undefined) ?? whole[key];
  });
}

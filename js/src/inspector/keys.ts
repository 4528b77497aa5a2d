/** Keys of the whole card, as its foot lists them. */
import { cardKeys, isSearch, lineKeys } from "../card/keys";
import type { InspectorState } from "./state";

export const KEYS: readonly (readonly [string, string])[] = [
  ["↑ ↓", "move"],
  ["Enter", "open"],
  ["c", "changed"],
  ["/", "filter"],
];

/** Listens on the frame; returns a function that stops listening. */
export function inspectorKeys(state: InspectorState, frame: HTMLElement): () => void {
  const find = (selector: string) => frame.shadowRoot?.querySelector<HTMLElement>(selector);
  return cardKeys(frame, (key, target) => {
    // The view that is open has keys of its own.
    if (target.getRootNode() !== frame.shadowRoot) return undefined;
    if (isSearch(target)) return key === "Escape" ? () => state.list({ search: "" }) : () => find(".names")?.focus();
    const inList: Readonly<Record<string, () => void>> = {
      ...lineKeys(state),
      Enter: () => state.toggle(),
    };
    const whole: Readonly<Record<string, () => void>> = {
      "/": () => find("input[type=search]")?.focus(),
      c: () => state.list({ filter: state.now.filter === "changed" ? "all" : "changed" }),
    };
    return (target.matches(".names") ? inList[key] : undefined) ?? whole[key];
  });
}

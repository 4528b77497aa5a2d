/** Keys of the whole stepper, as its help lists them. */
import type { StepperState } from "./state";

/** Listens on the frame; returns what ends it. */
export function stepperKeys(state: StepperState, frame: HTMLElement): () => void {
  const find = (selector: string) => frame.shadowRoot?.querySelector<HTMLElement>(selector);
  const listen = (event: KeyboardEvent) => {
    const target = event.composedPath()[0];
    // A button takes Space, the scrubber its own keys, a select letters.
    const own = target instanceof HTMLElement ? OWN[target.tagName] : undefined;
    if (event.ctrlKey || event.metaKey || event.altKey || own?.test(event.key)) return;
    const last = (state.now.trace?.steps.length ?? 1) - 1;
    const act: Readonly<Record<string, () => void>> = {
      " ": () => state.toggle(),
      ",": () => state.back(),
      ".": () => state.forward(),
      Home: () => state.jump(0),
      End: () => state.jump(last),
      "[": () => state.jumpToCollective(-1),
      "]": () => state.jumpToCollective(1),
      a: () => state.nextAlgorithm(),
      "/": () => find("input[type=search]")?.focus(),
      g: () => find("[role=listbox]")?.focus(),
      "?": () => state.set({ help: !state.now.help }),
      ...(state.now.help ? { Escape: () => state.set({ help: false }) } : {}),
    };
    const go = act[event.key];
    if (!go) return;
    event.preventDefault();
    event.stopPropagation();
    go();
  };
  frame.addEventListener("keydown", listen);
  return () => frame.removeEventListener("keydown", listen);
}

/** Keys that an element keeps. */
const OWN: Readonly<Record<string, RegExp>> = {
  BUTTON: /^( |Enter)$/,
  SUMMARY: /^( |Enter)$/,
  INPUT: /^( |Home|End)$/,
  SELECT: /^([^,.[\]?/]|Home|End|Enter)$/,
};

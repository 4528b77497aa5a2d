/** Keys of the whole stepper, as its help lists them. */
import { cardKeys } from "../card/keys";
import type { StepperState } from "./state";

/** Listens on the frame; returns a function that stops listening. */
export function stepperKeys(state: StepperState, frame: HTMLElement): () => void {
  const find = (selector: string) => frame.shadowRoot?.querySelector<HTMLElement>(selector);
  return cardKeys(frame, (key) => {
    const last = (state.now.trace?.steps.length ?? 1) - 1;
    const space = state.space();
    const act: Readonly<Record<string, () => void>> = {
      " ": () => state.toggle(),
      ",": () => state.back(),
      ".": () => state.forward(),
      Home: () => state.jump(0),
      End: () => state.jump(last),
      "[": () => state.jumpToCollective(-1),
      "]": () => state.jumpToCollective(1),
      i: () => state.into(),
      o: () => state.over(),
      u: () => state.out(),
      a: () => state.nextAlgorithm(),
      "/": () => find("input[type=search]")?.focus(),
      g: () => find("[role=listbox]")?.focus(),
      "?": () => state.toggleHelp(),
      ...(space ? { ArrowLeft: () => space.trail(-1), ArrowRight: () => space.trail(1) } : {}),
      ...(state.now.help || state.now.device !== null
        ? { Escape: () => state.set({ help: false, device: null }) }
        : {}),
    };
    return act[key];
  });
}

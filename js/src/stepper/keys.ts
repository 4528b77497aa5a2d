/** Keys of the whole stepper, as its foot lists them. */
import type { KeyWords } from "../card/Foot";
import { cardKeys } from "../card/keys";
import type { StepperState } from "./state";

/** What the foot lists; all of them open above it. */
export const FIRST_KEYS: KeyWords = [
  ["Space", "play"],
  [", .", "step"],
  ["n", "next collective"],
];

export const stepperKeys = cardKeys((state: StepperState, _target, find) => {
  const last = (state.now.trace?.steps.length ?? 1) - 1;
  const space = state.space();
  return {
    " ": () => state.toggle(),
    ",": () => state.back(),
    ".": () => state.forward(),
    Home: () => state.jump(0),
    End: () => state.jump(last),
    "/": () => find("input[type=search]")?.focus(),
    g: () => find("[role=listbox]")?.focus(),
    ...Object.fromEntries([..."[]niouas"].map((key) => [key, () => state.use((parts) => parts.act(key))])),
    ...(space ? { ArrowLeft: () => space.trail(-1), ArrowRight: () => space.trail(1) } : {}),
    ...(state.now.device !== null ? { Escape: () => state.set({ device: null }) } : {}),
  };
});

/** Keys of the whole stepper: Space plays, `,` and `.` step, Home and End go to the ends. */
import type { StepperState } from "./state";

/** Listens on the frame; returns what ends it. */
export function stepperKeys(state: StepperState, frame: HTMLElement): () => void {
  const listen = (event: KeyboardEvent) => {
    const target = event.composedPath()[0];
    // A button takes Space, and the scrubber its own keys.
    const own = target instanceof HTMLElement && ["BUTTON", "INPUT", "SELECT", "SUMMARY"].includes(target.tagName);
    if (event.ctrlKey || event.metaKey || event.altKey || (own && event.key !== "," && event.key !== ".")) return;
    const last = (state.now.trace?.steps.length ?? 1) - 1;
    const act: Readonly<Record<string, () => void>> = {
      " ": () => state.toggle(),
      ",": () => state.back(),
      ".": () => state.forward(),
      Home: () => state.jump(0),
      End: () => state.jump(last),
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

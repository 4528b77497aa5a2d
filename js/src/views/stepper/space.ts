/** The space-time view as the stepper knows it: a bundle of its own, loaded when it is first opened. */
import type { Mark } from "../../scene/scene";
import type { StepView } from "../../scene/stepper/view";

export interface SpacePage {
  /** Renders the picture into an element, its canvas included: a tree of its own, of the bundle's own Preact. */
  draw(host: Element): void;
  /** The canvas: its size, its marks, and what they follow from. */
  picture(view: StepView): {
    size: { width: number; height: number };
    inputs: readonly unknown[];
    marks: () => readonly Mark[];
  } | null;
  /** Follows the block of the next device, or of the one before. */
  trail(by: number): void;
}

/** What the bundle is: it makes the view for one stepper, in its shadow root. */
export interface SpaceModule<State> {
  default(state: State, root: ShadowRoot): SpacePage;
}

/** What few readers open, as the stepper knows it: a bundle of its own, loaded when it is first needed. */
import type { Theme } from "../draw/paint/theme";
import type { Rules, StepView } from "./scene/view";

/** Renders into an element: a tree of its own, of the bundle's own Preact. */
export type Draw = (host: Element) => void;

export interface Parts {
  /** Space-time, its canvas included. */
  space: Draw;
  /** The keys. */
  help: Draw;
  /** What is said of a block that is pointed at. */
  tip: Draw;
  /** Why the program stops. */
  trouble: Draw;
  /** Paints space-time where it has changed; returns whether it did. */
  paint(view: StepView, theme: Theme): boolean;
  /** Where elements came from. */
  rules: Rules;
  /** Follows in space-time the block of the next device, or of the one before. */
  trail(by: number): void;
}

/** What the bundle is: it makes the parts of one stepper, in its shadow root. */
export interface PartsModule<State> {
  default(state: State, root: ShadowRoot): Parts;
}

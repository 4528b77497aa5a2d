/** What few readers open, as the stepper knows it: a bundle of its own, loaded when it is first needed. */
import type { Theme } from "../draw/paint/theme";
import type { Transfer } from "./model/futures";
import type { TraceModel } from "./model/trace";
import type { Hit, Rules, StepView } from "./scene/view";

/** A rail: its classes, and where it is. */
export interface RailOf {
  look: string;
  style: Readonly<Record<string, string>>;
}

/** Which transfers have rails in a row, and where it is. */
export interface RailsOf {
  transfers: readonly Transfer[];
  /** Where a step stands among the rows; steps themselves where nothing is given. */
  place?: (step: number) => number;
  from: number;
  to: number;
  x: number;
}

/** Renders into an element: a tree of its own, of the bundle's own Preact. */
export type Draw = (host: Element) => void;

export interface Parts {
  /** Space-time, its canvas included. */
  space: Draw;
  /** What a step sends, by which links, and how long that takes. */
  bill: Draw;
  /** What leaves steps out of the list. */
  filters: Draw;
  /** What follows the picture on paper: the source and all steps. */
  paper: Draw;
  /** Over the picture: the way through its groups, and what is said of a block that is pointed at. */
  over: Draw;
  /** Names that are watched, with what the device that is looked at holds of them now. */
  watched: Draw;
  /** The change that the program is shown with. */
  changed: Draw;
  /** Why the program stops. */
  trouble: Draw;
  /** Transfers under way, in a row of a list and along the scrubber. */
  railsOf(trace: TraceModel, of: RailsOf): readonly RailOf[];
  lengthsOf(trace: TraceModel): readonly RailOf[];
  /** Paints space-time where it has changed; returns whether it did. */
  paint(view: StepView, theme: Theme): boolean;
  /** Where elements came from. */
  rules: Rules;
  /** What a point of the picture is on. */
  hitAt(view: StepView, x: number, y: number): Hit | null;
  /** What a screen reader says of the device that is looked at, or of a block of it. */
  label(): string;
  /** All keys, with what they do. */
  keys: Draw;
  /** Does what a key does that goes from step to step by what a step is. */
  act(key: string): void;
  /** The device and block that a key goes to; null for any other key. */
  goes(key: string): { device: number | null; slot?: number | null } | null;
  /** Follows in space-time the block of the next device, or of the one before. */
  trail(by: number): void;
}

/** What the bundle is: it makes the parts of one stepper, in its shadow root. */
export interface PartsModule<State> {
  default(state: State, root: ShadowRoot): Parts;
}

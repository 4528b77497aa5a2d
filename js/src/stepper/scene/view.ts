/** A step at a moment, as plain data: what it shows anyway, and how far what moves has come. */
import type { ChunksOfRanks } from "../../collective/model/plan";
import { isDark, type Scheme } from "../../core/color";
import type { Collective, Plan, Variable } from "../../core/document.gen";
import { product } from "../../core/mesh";
import { deviceBox } from "../../draw/grid";
import type { Box, Mark } from "../../draw/marks";
import { type Flow, flowAt, type Moment } from "../model/timeline";
import type { Face } from "./contents";
import type { Rounds, StepperLayout } from "./layout";
import type { Setting } from "./setting";
import { type Stage, smallBox, type Tile } from "./stage";

/** A device of the picture, one of the step's blocks, an element of that. */
export interface Hit {
  /** Mesh position. */
  device: number;
  /** Index among the step's blocks: those before, those after, those watched. */
  slot: number | null;
  /** Number of the element in the corner that travelled. */
  cell: number | null;
  /** Where the block is that was pointed at: one that moves is drawn twice. */
  box?: Box;
}

/** A block as it is drawn at a moment. */
export interface Drawn {
  device: number;
  v: Variable;
  box: Box;
  face: Face;
}

/** A copy: what it covers, its halo included, and how it is drawn. */
export interface Flight {
  /** Mesh positions. */
  source: number;
  destination: number;
  box: Box;
  marks: readonly Mark[];
}

/** What is drawn and said of what is pointed at, and how elements were made: in a bundle of its own. */
export interface Rules extends Rounds {
  /** What is pointed at, wherever it is: `hit.ts`. */
  litMarks(view: StepView, lit: Hit): Mark[];
  /** The whole array beside the tiles: `whole.ts`. */
  wholeMarks(view: StepView): Mark[];
  /** Copies on their way: `flights.ts`. */
  flightsOf(view: Moving): readonly Flight[];
  /** The other groups: in a small map of the mesh, or in small at their places: `mapmarks.ts`. */
  mapMarks(view: StepView): Mark[];
  /** A block in chunks, in a tile, and what of it is read: `strips.ts`. */
  stripMarks(view: Moving, p: number, box: Box, face: Face): Mark[];
  readingMarks(view: Moving, tile: Tile): Mark[];
  barMarks(view: Moving, tile: Tile): Mark[];
  /** `=` between neighbours whose blocks are equal: `equals.ts`. */
  equalMarks(view: StepView): Mark[];
  /** The transfer that rests on its way while this step runs: `transit.ts`. */
  resting(view: StepView): Moving | null;
  /** What is under way after a step, in words. */
  transitText(trace: Setting["trace"], at: number): readonly [string, string];
  /** Ways of copies: `ways.ts`. */
  wayMarks(view: Moving): Mark[];
  fromText(view: StepView, v: Variable, device: number, cell: number | null): string;
  /** What happens, with the element that is worked out. */
  said(view: StepView): string;
  /** The running sum under the picture, or what happens: `line.ts`. */
  lineMarks(view: StepView): Mark[];
}

export interface StepperOptions {
  scheme: Scheme;
  algorithm: Plan["algorithm"];
  /** The device that is looked at. */
  device: number | null;
  /** What is pointed at. */
  lit?: Hit | null;
  /** By which it is said where an element came from; null where they are not loaded. */
  rules?: Rules | null;
  /** Copies are where they leave or where they arrive, and nowhere between. */
  still: boolean;
}

export interface StepView extends Setting {
  layout: StepperLayout;
  moment: Moment;
  options: StepperOptions;
  flow: Flow;
  finished: boolean;
  /** What every rank holds now; none where nothing goes in rounds. */
  held: ChunksOfRanks | undefined;
  /** Mesh positions whose terms are in the result now. */
  summed: readonly number[];
  /** The element that is worked out; null for none. */
  element: number | null;
  /** How a partial sum is drawn. */
  hatch: "plain" | "dim";
}

/** A step whose blocks move. */
export interface Moving extends StepView {
  collective: Collective;
  plan: Plan;
  input: Variable;
  output: Variable;
  stage: Stage & { face: Face; piece: Face; after: { v: Variable; face: Face } };
}

export function stepView(layout: StepperLayout, moment: Moment, options: StepperOptions): StepView {
  const setting = layout.setting(moment.step, options.algorithm, options.device, options.rules ?? null);
  const { trace, step, plan, played, order } = setting;
  // What rests on its way is seen there, with motion or without.
  const still = options.still && !(moment.phase >= 1 && trace.end(step) === "start");
  const phase = trace.progress(step, options.algorithm, moment.phase);
  const flow = flowAt(trace.times(step, options.algorithm), phase, still);
  return {
    layout,
    moment,
    options,
    flow,
    finished: plan === null || flow.finished,
    held: played?.states[flow.arrived],
    summed: order.slice(0, flow.added).flatMap((lane) => lane.members),
    element: elementOf(setting, options.lit?.cell ?? -1),
    hatch: isDark(options.scheme) ? "dim" : "plain",
    // First, it would be copied some forty times as slowly by V8.
    ...setting,
  };
}

/** What is pointed at, else the second element, because the first is too often zero. */
function elementOf({ stage, trace, input, adds }: Setting, pointed: number): number | null {
  const { piece, face, reading, tiles } = stage;
  const v = reading ? tiles[0]?.places[0]?.v : input;
  const corner = v && trace.corner(v);
  const shown = reading ? face : (piece ?? face);
  if (!corner || !shown || !(adds || reading)) return null;
  const all = shown.elements.filter((i) => i >= 0);
  if (all.includes(pointed) && pointed < product(corner.shape)) return pointed;
  return all[Math.min(1, all.length - 1)] ?? null;
}

/** Where a device is drawn, in full or in small; null where it is not. */
export function boxOf({ trace: { mesh }, stage, seats }: Setting, p: number): Box | null {
  return seats.get(p) ?? smallBox(stage, p) ?? (stage.map && deviceBox(mesh, stage.map, p));
}

export function moves(view: StepView): view is Moving {
  return view.stage.motion !== "none";
}

/** Views of the groups that hold their addition, or whose copies go round: one, or all at once; none for a local step. */
export function groupViews(view: StepView): readonly Moving[] {
  if (!moves(view)) return [];
  const { collective, stage, trace, layout, moment, options, receiver } = view;
  if (!stage.open) return [view];
  const rank = Math.max(0, stage.group.indexOf(receiver));
  return trace.groups(collective).map((group) => {
    const device = group[rank] ?? null;
    return group === stage.group ? view : (stepView(layout, moment, { ...options, device }) as Moving);
  });
}

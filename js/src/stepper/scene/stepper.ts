/** A step of a trace on the mesh: every device's blocks, groups, lanes, and what is in flight. */

import { axisToken, type Mark } from "../../draw/marks";
import type { Moment } from "../model/timeline";
import { additionMarks } from "./addition";
import { StepperLayout } from "./layout";
import { unsentMarks } from "./permuted";
import { combinesMarks } from "./sign";
import { isSlim } from "./stage";
import { groundMarks, insideMarks, tileMarks } from "./tiles";
import { type Flight, groupViews, type Moving, moves, type StepperOptions, type StepView, stepView } from "./view";

export { StepperLayout, type StepperOptions };

/** A moment in its layers: what stands still below, what flies, what is drawn over it. */
export interface Frame {
  under: readonly Mark[];
  flights: readonly Flight[];
  over: readonly Mark[];
}

export function frameOf(view: StepView): Frame {
  const { stage, options } = view;
  const groups = groupViews(view);
  const flights = groups.flatMap((group) => options.rules?.flightsOf(group) ?? []);
  const seen = stage.tiles.filter(({ members: [p = 0] }) => !stage.covered.has(p));
  // Round a ring copies come out from under their blocks, else from under their tiles.
  const ring = moves(view) && stage.motion === "gutters" ? view : null;
  const grounds = seen.flatMap((tile) => [
    ...groundMarks(view, tile),
    ...((ring && options.rules?.barMarks(ring, tile)) ?? []),
  ]);
  const tiles = seen.flatMap((tile) => (ring ? insideMarks : tileMarks)(view, tile));
  const slim = isSlim(stage);
  const begun = options.rules?.resting(view);
  const still = begun && restingMarks(begun);
  return {
    under: [
      ...frameLines(view),
      ...stage.rails,
      ...stage.outer,
      ...stage.fixed,
      ...stage.said,
      ...(options.rules?.mapMarks(view) ?? []),
      ...(ring ? grounds : []),
      ...groups.flatMap((group) => standing(group, flights)),
      ...(still?.under ?? []),
      ...(options.rules?.lineMarks(view) ?? []),
      ...(slim ? tiles : []),
    ],
    flights: still?.flights ?? flights,
    over: [
      ...(slim ? [] : tiles),
      ...stage.holds.flatMap((tile) => tileMarks(view, tile, true)),
      ...(still?.over ?? []),
      ...(moves(view)
        ? signMarks(view)
        : [...(options.rules?.equalMarks(view) ?? []), ...(options.rules?.wholeMarks(view) ?? [])]),
      ...((options.lit && options.rules?.litMarks(view, options.lit)) ?? []),
    ],
  };
}

/** What of a group stands under its tiles: its addition, or the ways of its copies. */
function standing(view: Moving, flights: readonly Flight[]): Mark[] {
  const { motion } = view.stage;
  if (motion === "gather") return additionMarks(view, flights);
  return [...(view.options.rules?.wayMarks(view) ?? []), ...(motion === "permute" ? unsentMarks(view) : [])];
}

/** What of a transfer is drawn while other steps run: the ways that its copies rest on, and the places that wait. */
function restingMarks(begun: Moving): Frame {
  const groups = groupViews(begun);
  const flights = groups.flatMap((group) => begun.options.rules?.flightsOf(group) ?? []);
  return {
    under: [...begun.stage.awaited, ...groups.flatMap((group) => standing(group, flights))],
    flights,
    over: begun.stage.holds.flatMap((tile) => tileMarks(begun, tile, true)),
  };
}

export function frameMarks({ under, flights, over }: Frame): Mark[] {
  return [...under, ...flights.flatMap((f) => f.marks), ...over];
}

/** Everything at a moment. */
export function stepperMarks(layout: StepperLayout, moment: Moment, options: StepperOptions): Mark[] {
  return layout.trace.step(moment.step) ? frameMarks(frameOf(stepView(layout, moment, options))) : [];
}

/** Frames of the groups that take part together; the picked one holds its addition. Rings need no frames. */
function frameLines({ stage, axis }: StepView): Mark[] {
  const color = axisToken(axis);
  const frames = stage.motion === "gutters" ? [] : stage.frames;
  return frames.flatMap(({ box, picked }): Mark[] => {
    const frame = { kind: "rect", ...box, r: 10 } as const;
    const stroke = { color, width: picked ? 1.4 : 1, dash: [6, 4] } as const;
    return picked
      ? [
          { ...frame, fill: color, alpha: 0.05 },
          { ...frame, stroke },
        ]
      : [{ ...frame, stroke, alpha: 0.6 }];
  });
}

/** Between neighbours: `+`, `max` or `min` while they are to be combined, `=` when they hold the same. */
function signMarks(view: StepView): Mark[] {
  const { stage, collective: c } = view;
  const equal = c?.semantics.replicates === true;
  if (view.finished ? !equal : !view.adds) return [];
  const color = axisToken(view.axis);
  return stage.signs.flatMap(([x, y]): readonly Mark[] =>
    view.finished
      ? [{ kind: "disc", x, y, r: 6.5, color, hollow: false, sign: "=" }]
      : combinesMarks(view.combines, x, y, 6.5, color),
  );
}

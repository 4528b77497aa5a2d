/** A transfer that is under way: its copies that rest on their ways while other steps run. */
import type { Box } from "../../draw/marks";
import { type Moving, moves, type StepView, stepView } from "./view";

/** The transfer whose copies rest beside the tiles of a local step: the last started of those that have their places there. */
export function resting(view: StepView): Moving | null {
  const { trace, moment, layout, options, stage, step } = view;
  if (moves(view) || step.primitive === "out_specs" || step.primitive === "error") return null;
  for (const { start, done } of trace.underWay(moment.step).toReversed()) {
    if (start === moment.step || done === moment.step) continue;
    const begun = stepView(layout, { step: start, phase: 1 }, options);
    if (moves(begun) && stage.tiles.every(({ members: [p = 0], box }) => isAt(box, begun.seats.get(p)))) return begun;
  }
  return null;
}

function isAt(box: Box, other: Box | undefined): boolean {
  return other !== undefined && other.x === box.x && other.y === box.y && other.w === box.w && other.h === box.h;
}

/** A transfer that is under way: its empty places, and its copies that rest on their ways while other steps run. */
import type { Variable } from "../../core/document.gen";
import { axisToken, BOLD, type Box, label, type Mark } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import type { Transfer } from "../model/futures";
import type { TraceModel } from "../model/trace";
import type { Setting } from "./setting";
import { type Moving, moves, type StepView, stepView } from "./view";

/** The place of a future, whose values are not there yet; in red where a step takes them for values. */
export function futureMarks(trace: TraceModel, v: Variable, box: Box, wrong = false): Mark[] {
  const { start } = trace.transfers.find(({ future }) => future.id === v.id) ?? { start: -1 };
  const color = wrong ? "error" : axisToken(trace.mesh.axisOf(trace.step(start)?.collective?.axes[0] ?? ""));
  const [x, y] = [box.x + box.w / 2, box.y + box.h / 2 + 5];
  return [
    { kind: "rect", ...box, r: 3, fill: "bg", stroke: { color, width: 1.8, dash: [4, 3] } },
    ...(wrong ? [label(x, y, "!", 13, "error", { ...BOLD, anchor: "middle" })] : []),
  ];
}

/** Right of the place of a future, as far as its tile has room: who sends to it, and in which line. */
export function fromMarks({ trace, axis }: Setting, { start }: Transfer, from: number, box: Box, tile: Box): Mark[] {
  const line = trace.step(start)?.source?.line;
  const [who, where] = [`from ${trace.mesh.ids[from]}`, line === undefined ? "" : `line ${line}`];
  const x = box.x + box.w + 10;
  if (x + Math.max(textWidth(who, 10.5, true), textWidth(where, 10.5)) > tile.x + tile.w - 4) return [];
  const y = box.y + box.h / 2 + (where === "" ? 4 : -2);
  return [label(x, y, who, 10.5, axisToken(axis), BOLD), label(x, y + 13, where, 10.5, "muted")];
}

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

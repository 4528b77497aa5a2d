/** The place of a transfer whose values are not there yet. */
import type { Variable } from "../../core/document.gen";
import { axisToken, BOLD, type Box, label, type Mark } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import type { Transfer } from "../model/futures";
import type { TraceModel } from "../model/trace";
import type { Setting } from "./setting";

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

/** A collective of a compiled program on its devices: groups, links, the chunks that each device holds, copies. */
import { flightMarks } from "./program/flights";
import { idleMarks, linkMarks } from "./program/links";
import { outlineMarks } from "./program/outlines";
import { railMarks } from "./program/stage";
import { smallMarks, tileMarks } from "./program/tiles";
import type { CollectiveView } from "./program/view";
import type { Mark } from "./scene";

export function collectiveMarks(view: CollectiveView): Mark[] {
  const marks = railMarks(view.stage);
  if (view.stage.density !== "full") marks.push(...smallMarks(view));
  marks.push(...outlineMarks(view), ...idleMarks(view));
  if (!view.moving) marks.push(...linkMarks(view));
  for (const [p, box] of view.seats) marks.push(...tileMarks(view, p, box));
  return [...marks, ...flightMarks(view)];
}

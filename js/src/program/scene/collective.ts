/** A collective of a compiled program on its devices: groups, links, the chunks that each device holds, copies. */

import type { Mark } from "../../draw/marks";
import { flightMarks } from "./collective/flights";
import { idleMarks, linkMarks } from "./collective/links";
import { outlineMarks } from "./collective/outlines";
import { railMarks } from "./collective/stage";
import { smallMarks, tileMarks } from "./collective/tiles";
import type { CollectiveView } from "./collective/view";

export function collectiveMarks(view: CollectiveView): Mark[] {
  const marks = railMarks(view.stage);
  if (view.stage.density !== "full") marks.push(...smallMarks(view));
  marks.push(...outlineMarks(view), ...idleMarks(view));
  if (!view.moving) marks.push(...linkMarks(view));
  for (const [p, box] of view.seats) marks.push(...tileMarks(view, p, box));
  return [...marks, ...flightMarks(view)];
}

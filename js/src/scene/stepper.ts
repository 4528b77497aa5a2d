/** A step of a trace on the mesh: every device's blocks before and after, groups, and what is in flight between them. */
import type { Moment } from "../model/timeline";
import type { TraceModel } from "../model/trace";
import { rails } from "./grid";
import type { Mark } from "./scene";
import { flightMarks } from "./stepper/flights";
import { groupMarks } from "./stepper/groups";
import { litMarks } from "./stepper/hit";
import { layoutStepper, type StepperLayout } from "./stepper/layout";
import { smallMarks, tileMarks } from "./stepper/tiles";
import { type StepperOptions, StepView } from "./stepper/view";

export { layoutStepper, type StepperLayout, type StepperOptions };

/** Everything at a moment. */
export function stepperMarks(
  trace: TraceModel,
  layout: StepperLayout,
  moment: Moment,
  options: StepperOptions,
): Mark[] {
  const marks = rails(trace.mesh, layout.grid);
  if (!trace.step(moment.step)) return marks;
  const view = new StepView(trace, layout, moment, options);
  if (layout.strip) for (let p = 0; p < trace.mesh.size; p++) marks.push(...smallMarks(view, p));
  marks.push(...groupMarks(view));
  for (const p of view.seats.keys()) marks.push(...tileMarks(view, p));
  marks.push(...flightMarks(view));
  if (options.lit) marks.push(...litMarks(view, options.lit));
  return marks;
}

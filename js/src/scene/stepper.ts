/** A step of a trace on the mesh: every device's blocks before and after, groups, and what is in flight between them. */
import type { Moment } from "../model/timeline";
import type { TraceModel } from "../model/trace";
import { deviceAtPoint, rails } from "./grid";
import { inside, type Mark } from "./scene";
import { flightMarks } from "./stepper/flights";
import { groupMarks } from "./stepper/groups";
import { layoutStepper, type StepperLayout, seatsOf } from "./stepper/layout";
import { smallMarks, tileMarks } from "./stepper/tiles";
import { focusOf, type StepperOptions, StepView } from "./stepper/view";

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
  return marks;
}

/** The device at a point of the picture, or null. */
export function deviceAt(
  trace: TraceModel,
  layout: StepperLayout,
  { step, device }: { step: number; device: number | null },
  x: number,
  y: number,
): number | null {
  const focus = layout.strip ? focusOf(trace, step, device, layout.strip.seats) : [];
  for (const [p, box] of seatsOf(trace, layout, focus)) if (inside(box, x, y)) return p;
  return deviceAtPoint(trace.mesh, layout.grid, x, y);
}

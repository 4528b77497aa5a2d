/** The class that gives what belongs to a step the ink of its mesh axis. */
import type { Step } from "../core/document.gen";
import { axisToken } from "../draw/marks";
import type { TraceModel } from "./model/trace";

/** Empty for a step without axes. */
export function axisKind({ mesh }: TraceModel, step: Step | null): string {
  const axis = step?.collective?.axes[0];
  return axis === undefined ? "" : axisToken(mesh.axisOf(axis));
}

/** The class that writes in the ink of an axis. */
export function inkKind(axis: string): string {
  return axis.replace("axis", "ink");
}

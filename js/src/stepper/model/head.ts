/** What stands over a step: its values before and after, and the operation. */
import type { Step, Variable } from "../../core/document.gen";
import { isFuture } from "./futures";
import { primitiveName, type TraceModel } from "./trace";

/** Values on one side of a step: those that stand over it, and what is said of the others. */
export interface HeadValues {
  shown: readonly Variable[];
  /** `+2 more`, or empty. */
  more: string;
  /** Names and types of the others. */
  others: string;
}

/** Most values that stand over a step, on each side. */
const IN_HEAD = [3, 3] as const;

/** Ids of what a step reads: what receives a transfer, its future alone. */
export function takenBy(trace: TraceModel, step: Step): readonly number[] {
  return trace.end(step) === "done" ? step.inputs.filter((id) => isFuture(trace.variable(id))) : step.inputs;
}

/** What stands over a step: some values before and after, the operation with its axes. */
export function headOf(trace: TraceModel, step: Step, [before, after]: readonly [number, number] = IN_HEAD) {
  const get = (ids: readonly number[], most: number): HeadValues => {
    const all = [...new Set(ids)].flatMap((id) => trace.variable(id) ?? []);
    const rest = all.slice(most);
    return {
      shown: all.slice(0, most),
      more: rest.length > 0 ? `+${rest.length} more` : "",
      others: rest.map((v) => `${v.name} ${v.type}`).join(", "),
    };
  };
  const axes = step.collective?.axes ?? [];
  const name = primitiveName(step) + (axes.length > 0 ? ` '${axes.join("', '")}'` : "");
  return { inputs: get(takenBy(trace, step), before), outputs: get(step.outputs, after), name, axes };
}

/** Steps that run while a transfer is under way: space-time has a row for each, which its world lines run past. */
import type { TraceModel } from "../../model/trace";

/** Steps between one that starts and one that receives which have rows: of more, the first and the last ones. */
const MOST = 6;

/** The steps that have rows because a transfer is under way, each with how many before it have none. */
export function meanwhileSteps(trace: TraceModel): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const { start, done } of trace.transfers) {
    const between: number[] = [];
    for (let i = start + 1; i < (done ?? trace.steps.length); i++) if (makes(trace, i)) between.push(i);
    const left = Math.max(0, between.length - MOST);
    const [first, last] = left > 0 ? [between.slice(0, MOST / 2), between.slice(-MOST / 2)] : [between, []];
    for (const i of first) found.set(i, found.get(i) ?? 0);
    last.forEach((i, k) => {
      found.set(i, Math.max(found.get(i) ?? 0, k === 0 ? left : 0));
    });
    const end = trace.step(done ?? -1);
    if (done !== null && end && !end.collective) found.set(done, 0);
  }
  return found;
}

/** Whether a step computes a block that is worth a row. */
function makes(trace: TraceModel, i: number): boolean {
  const step = trace.step(i);
  const inside = step?.outputs.some((id) => (trace.variable(id)?.region ?? -1) >= 0);
  return step !== null && inside === true && !step.implicit && !step.shape_only;
}

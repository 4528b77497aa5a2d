/** Whether the last hop of a ring is needed: it may only bring blocks back to their own devices. */
import type { Collective, Step } from "../../../core/document.gen";
import { ownBlocks } from "../../model/origins";
import { permutes } from "../../model/semantics";
import type { TraceModel } from "../../model/trace";

/** What of a row of space-time is looked at. */
interface Row {
  steps: readonly number[];
  collective: Collective | null;
  path: Path;
}
type Path = readonly { loop: number; iteration: number }[];

/** The last hop of a ring, where nothing reads what it brings home. */
export interface Home {
  /** Its number, from 1. */
  hop: number;
  /** What a device sends in it, and in all hops. */
  bytes: number;
  total: number;
}

/** The last hop of the loop that runs last, where it changes nothing that is read. */
export function homeOf(trace: TraceModel, rows: readonly Row[], path: (step: Step) => Path): Home | null {
  const row = rows.findLast(({ collective }) => collective !== null);
  const [place, inner] = row?.path ?? [];
  if (!row || !place || inner || !permutes(row.collective)) return null;
  const hops = rows.filter(({ path, collective }) => collective && path[0]?.loop === place.loop);
  const { steps } = trace;
  const reads = (id: number, k: number) => steps.some((step, i) => i > k && step.inputs.includes(id));
  const unread = row.steps.every((i) => {
    const v = trace.variable(steps[i]?.outputs[0] ?? -1);
    const origin = v?.origin;
    if (!v || !origin || !ownBlocks(trace, v)) return false;
    return steps.every((step, k) => {
      if (k <= i || !step.inputs.includes(v.id)) return true;
      // The end of the loop, which computes nothing, hands it on: to nobody.
      if (step.primitive !== "scan" || path(step).length >= row.path.length) return false;
      const results = step.outputs.flatMap((id) => trace.variable(id) ?? []);
      return results.every(
        (other) => other.origin && (other.origin.variable !== origin.variable || !reads(other.id, k)),
      );
    });
  });
  const sent = (steps: readonly number[]) => steps.reduce((sum, i) => sum + bytesOf(trace, i), 0);
  // One hop an iteration, and all of them there: else a number would name the wrong one.
  const whole = hops.length === place.iteration + 1 && hops.every(({ path }, i) => path[0]?.iteration === i);
  return unread && whole
    ? { hop: hops.length, bytes: sent(row.steps), total: hops.reduce((sum, hop) => sum + sent(hop.steps), 0) }
    : null;
}

/** What a device sends in a step; in one that receives, what was counted where it was started. */
function bytesOf(trace: TraceModel, i: number): number {
  const step = trace.step(i);
  const started = step && trace.step(trace.transfer(step)?.start ?? -1);
  return (started ?? step)?.collective?.bytes_per_device ?? 0;
}

/** Transfers that are under way over several steps, as rails: where each stands in a row, and along the scrubber. */

import { axisKind } from "../kind";
import { lanesOf } from "../model/futures";
import type { TraceModel } from "../model/trace";
import type { RailOf, RailsOf } from "../parts";

/** Rails that stand side by side; of more, the first. */
const MOST = 3;

/** From one lane to the next. */
const PITCH = 5;

/** The rails of some transfers in a row that stands for the places from `from` to `to`; `x` is the middle of the last lane. */
export function railsOf(trace: TraceModel, { transfers, place = (step) => step, from, to, x }: RailsOf): RailOf[] {
  const lanes = lanesOf(transfers);
  const last = Math.min(MOST, 1 + Math.max(...lanes)) - 1;
  return transfers.flatMap(({ start, done }, i) => {
    const lane = lanes[i] ?? 0;
    const [begin, end] = [place(start), done === null ? Number.POSITIVE_INFINITY : place(done)];
    if (lane > last || to < begin || from > end || end <= begin) return [];
    const part = `${begin >= from ? "starts" : ""} ${end <= to ? "ends" : ""} ${done === null ? "never" : ""}`;
    return [
      { look: `rail ${axisKind(trace, trace.step(start))} ${part}`, style: { left: `${x - PITCH * (last - lane)}px` } },
    ];
  });
}

/** The rails of all transfers along the scrubber. */
export function lengthsOf(trace: TraceModel): RailOf[] {
  const { transfers } = trace;
  const lanes = lanesOf(transfers);
  const total = trace.steps.length;
  return transfers.flatMap(({ start, done }, i) => {
    const lane = lanes[i] ?? 0;
    if (lane >= MOST) return [];
    const length = done === null ? total - start - 0.5 : done - start;
    const at = { left: `${(100 * (start + 0.5)) / total}%`, width: `${(100 * length) / total}%` };
    const look = `length ${axisKind(trace, trace.step(start))} ${done === null ? "never" : ""}`;
    return [{ look, style: { ...at, bottom: `${-7 - PITCH * lane}px` } }];
  });
}

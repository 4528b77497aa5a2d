/** Transfers that are under way over several steps, as rails: a filled disc where they start, a hollow one where they are received. */
import { axisKind } from "./kind";
import { lanesOf, type Transfer } from "./model/futures";
import type { TraceModel } from "./model/trace";

/** Rails that stand side by side; of more, the first. */
const MOST = 3;

/** From one lane to the next. */
const PITCH = 5;

/** The rails of some transfers in a row that stands for the places from `from` to `to`. */
export function Rails({
  trace,
  transfers,
  place = (step) => step,
  from,
  to,
  x,
}: {
  trace: TraceModel;
  transfers: readonly Transfer[];
  /** Where a step stands among the rows; steps themselves where nothing is given. */
  place?: (step: number) => number;
  from: number;
  to: number;
  /** The middle of the last lane. */
  x: number;
}) {
  const lanes = lanesOf(transfers);
  const last = Math.min(MOST, 1 + Math.max(...lanes)) - 1;
  return transfers.map(({ start, done }, i) => {
    const lane = lanes[i] ?? 0;
    const [begin, end] = [place(start), done === null ? Number.POSITIVE_INFINITY : place(done)];
    if (lane > last || to < begin || from > end || end <= begin) return null;
    const part = `${begin >= from ? "starts" : ""} ${end <= to ? "ends" : ""} ${done === null ? "never" : ""}`;
    const kind = axisKind(trace, trace.step(start));
    return <i class={`rail ${kind} ${part}`} style={{ left: `${x - PITCH * (last - lane)}px` }} key={start} />;
  });
}

/** The rails of all transfers along the scrubber. */
export function Lengths({ trace }: { trace: TraceModel }) {
  const { transfers } = trace;
  const lanes = lanesOf(transfers);
  const total = trace.steps.length;
  return transfers.map(({ start, done }, i) => {
    const lane = lanes[i] ?? 0;
    if (lane >= MOST) return null;
    const length = done === null ? total - start - 0.5 : done - start;
    const at = { left: `${(100 * (start + 0.5)) / total}%`, width: `${(100 * length) / total}%` };
    const kind = axisKind(trace, trace.step(start));
    return (
      <span
        class={`length ${kind} ${done === null ? "never" : ""}`}
        style={{ ...at, bottom: `${-7 - PITCH * lane}px` }}
        key={start}
      />
    );
  });
}

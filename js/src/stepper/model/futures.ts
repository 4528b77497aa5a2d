/** Collectives that are started in one step and received in another: their transfer is under way in between. */
import type { Step, Trace, Variable } from "../../core/document.gen";

/** A transfer, by indices of steps. */
export interface Transfer {
  start: number;
  /** The first step that takes the future; null where none does. */
  done: number | null;
  future: Variable;
}

/** Whether a value is a collective that was started: it has a type, and no numbers until it is done. */
export function isFuture(v: Variable | null | undefined): boolean {
  return v?.type.startsWith("AbstractFuture{") === true;
}

/** The transfers of a program, in the order in which they are started. */
export function transfersOf({ steps, variables }: Pick<Trace, "steps" | "variables">): readonly Transfer[] {
  const taken = new Map<number, number>();
  steps.forEach(({ inputs }, i) => {
    for (const id of inputs) if (!taken.has(id)) taken.set(id, i);
  });
  return steps.flatMap(({ collective, outputs }, start) => {
    const future = collective && variables[outputs[0] ?? -1];
    return future && isFuture(future) ? [{ start, done: taken.get(future.id) ?? null, future }] : [];
  });
}

/** A trace whose `done` steps move what was started, which was counted at its start. */
export function withArrivals(doc: Trace): Trace {
  const steps = [...doc.steps];
  for (const { start, done } of transfersOf(doc)) {
    const [from, to] = [steps[start], done === null ? undefined : steps[done]];
    if (done !== null && from && to && /(^|_)done$/.test(to.primitive)) steps[done] = arrival(from, to);
  }
  return { ...doc, steps };
}

function arrival({ collective, inputs }: Step, done: Step): Step {
  if (!collective) return done;
  const sent = { bytes_per_device: 0, plan_bytes: collective.plan_bytes.map(() => 0), latency: [], bandwidth: [] };
  return {
    ...done,
    inputs: [...inputs, ...done.inputs],
    collective: { ...collective, ...sent, arithmetic: "" },
  };
}

/** For each transfer a lane, such that two that are under way at once have different ones: what started first, the first. */
export function lanesOf(transfers: readonly Transfer[]): readonly number[] {
  const free: number[] = [];
  return transfers.map(({ start, done }) => {
    const open = free.findIndex((until) => until <= start);
    const lane = open < 0 ? free.length : open;
    free[lane] = done ?? Number.POSITIVE_INFINITY;
    return lane;
  });
}

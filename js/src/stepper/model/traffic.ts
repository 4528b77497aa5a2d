/** Bytes over the links of each mesh axis: what a program sends, and how much has arrived at a moment. */

import type { Collective, Plan, Step } from "../../core/document.gen";
import { permutes } from "./semantics";
import { flowAt, type Moment } from "./timeline";
import type { TraceModel } from "./trace";

/** Bytes of all devices over the links of a mesh axis. */
export interface Traffic {
  axis: number;
  /** Arrived by now, on their way, and in the whole program. */
  arrived: number;
  flying: number;
  total: number;
}

/** The axes over which anything is sent, with their bytes at a moment; iterations that are not shown are counted. */
export function trafficAt(trace: TraceModel, { step: at, phase }: Moment, algorithm: Plan["algorithm"]): Traffic[] {
  const all = trace.mesh.axes.map((_, axis) => ({ axis, arrived: 0, flying: 0, total: 0 }));
  trace.steps.forEach((step, i) => {
    const c = trace.sends(step);
    if (!c) return;
    const [done, moving] = i > at ? [0, 0] : sharesOf(trace, i, { step: at, phase }, algorithm);
    crossings(trace, c).forEach((share, axis) => {
      const traffic = all[axis];
      if (!traffic || share === 0) return;
      const sent = sentBy(trace, step, algorithm) * trace.mesh.size * share * trace.runs(step);
      traffic.total += sent;
      traffic.arrived += sent * done;
      traffic.flying += sent * moving;
    });
  });
  return all.filter((t) => t.total > 0);
}

/** Bytes that a device sends in a step's collective by an algorithm, what it passes on included. */
export function sentBy(trace: TraceModel, step: Step, algorithm: Plan["algorithm"]): number {
  const c = step.collective;
  const plan = trace.plan(step, algorithm);
  const at = c && plan ? c.plans.findIndex((i) => trace.doc.plans[i] === plan) : -1;
  return c?.plan_bytes[at] ?? c?.bytes_per_device ?? 0;
}

/** The parts of a collective's bytes that have arrived and that are on their way, of one that has begun. */
function sharesOf(trace: TraceModel, i: number, { step: at, phase }: Moment, algorithm: Plan["algorithm"]) {
  const transfer = trace.transfers.find(({ start }) => start === i);
  const end = transfer ? (transfer.done ?? Number.POSITIVE_INFINITY) : i;
  const step = trace.step(at);
  if (at > end) return [1, 0] as const;
  if (at === end && step && step.primitive !== "error") return sharesAt(trace, step, phase, algorithm);
  return [0, i < at || phase > 0 ? 1 : 0] as const;
}

/** The same within the step in which it arrives. */
function sharesAt(
  trace: TraceModel,
  step: Step,
  phase: number,
  algorithm: Plan["algorithm"],
): readonly [arrived: number, flying: number] {
  const flow = flowAt(trace.times(step, algorithm), trace.progress(step, algorithm, phase));
  const plan = trace.plan(step, algorithm);
  if (phase >= 1 || flow.finished) return [1, 0];
  const moving = flow.progress > 0 && flow.progress < 1;
  if (!plan || plan.rounds.length <= 1) return flow.arrived > 0 ? [1, 0] : [0, moving ? 1 : 0];
  // Rounds of one algorithm may carry different numbers of chunks.
  const chunks = plan.rounds.map((moves) => moves.reduce((n, m) => n + (m.peer === "pairs" ? 1 : m.count), 0));
  const all = Math.max(
    1,
    chunks.reduce((a, b) => a + b, 0),
  );
  const over = chunks.slice(0, flow.arrived).reduce((a, b) => a + b, 0);
  return [over / all, moving && flow.arrived <= flow.round ? (chunks[flow.round] ?? 0) / all : 0];
}

/** For each mesh axis, the share of bytes on its links: a ring over two axes turns at the end of each row. */
export function crossings(trace: TraceModel, c: Collective): readonly number[] {
  const { mesh } = trace;
  const crossed = mesh.axes.map(() => 0);
  let sent = 0;
  const plan = c.plans.flatMap((i) => trace.doc.plans[i] ?? [])[0];
  const pairs = permutes(c) ? plan?.rounds[0]?.flatMap((m) => m.pairs) : null;
  for (const group of trace.groups(c)) {
    const n = group.length;
    const hops = pairs ?? Array.from({ length: n > 1 ? n : 0 }, (_, r) => [r, (r + 1) % n] as const);
    for (const [from, to] of hops) {
      const [a, b] = [mesh.digits(group[from] ?? 0), mesh.digits(group[to] ?? 0)];
      sent += 1;
      crossed.forEach((_, axis) => {
        if (a[axis] !== b[axis]) crossed[axis] = (crossed[axis] ?? 0) + 1;
      });
    }
  }
  return crossed.map((count) => (sent > 0 ? count / sent : 0));
}

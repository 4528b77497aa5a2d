/** A trace as rows of devices: whose blocks they hold after each step that sends, and what goes between two rows. */
import type { Collective, Step, Variable } from "./document.gen";
import { permutes, tells } from "./semantics";
import type { TraceModel } from "./trace";

export interface SpaceRow {
  /** Steps that are shown as one: equal collectives, one after another. */
  steps: readonly number[];
  /** What devices hold after them; the first is drawn. */
  shown: readonly Variable[];
  /** What is sent on the way to this row; null for a local step. */
  collective: Collective | null;
  /** Index of the loop that it stands in, and of the iteration; -1 outside of loops. */
  loop: number;
  iteration: number;
}

/** A loop: its rows stand together, and may be folded to those of its first iteration. */
export interface Loop {
  name: string;
  total: number;
  /** Iterations that the trace has. */
  shown: number;
}

export interface SpaceTime {
  rows: readonly SpaceRow[];
  loops: readonly Loop[];
}

/** The rows of a trace: its beginning, what makes the blocks that are sent, and what sends. */
export function spaceTime(trace: TraceModel): SpaceTime {
  const made = new Map<number, number>();
  trace.steps.forEach((s, i) => {
    for (const id of s.outputs) made.set(id, i);
  });
  const followed = new Set(trace.doc.variables.flatMap((v) => (v.origin ? [v.origin.variable] : [])));
  const wanted = new Set<number>();
  trace.steps.forEach((s, i) => {
    if (s.primitive === "in_specs") wanted.add(i);
    if (!trace.communicates(s)) return;
    wanted.add(i);
    const before = made.get(s.inputs[0] ?? -1);
    const maker = before === undefined ? null : trace.step(before);
    // A block that only changed its shape counts as the one before it.
    if (maker && !maker.shape_only && !maker.implicit && maker.primitive !== "scan") wanted.add(before ?? i);
  });
  const loops: Loop[] = [];
  const index = new Map<string, number>();
  const rows: SpaceRow[] = [];
  for (const i of [...wanted].sort((a, b) => a - b)) {
    const step = trace.step(i) as Step;
    const outputs = step.outputs.flatMap((id) => trace.variable(id) ?? []).filter((v) => v.region >= 0);
    const known = outputs.filter((v) => followed.has(v.id));
    const shown = known.length > 0 ? known : outputs.slice(0, 1);
    if (shown.length === 0) continue;
    const { loop, iteration } = loopOf(trace, step, loops, index);
    const c = trace.communicates(step) ? step.collective : null;
    const last = rows.at(-1);
    const same =
      c !== null &&
      last?.collective != null &&
      last.loop === loop &&
      last.iteration === iteration &&
      last.collective.kind === c.kind &&
      last.collective.plans.join() === c.plans.join() &&
      !step.inputs.some((id) => last.shown.some((v) => v.id === id));
    if (same && last) rows[rows.length - 1] = { ...last, steps: [...last.steps, i], shown: [...last.shown, ...shown] };
    else rows.push({ steps: [i], shown, collective: c, loop, iteration });
  }
  return { rows, loops };
}

function loopOf(trace: TraceModel, step: Step, loops: Loop[], index: Map<string, number>) {
  for (let at = step.scope; at >= 0; at = trace.doc.scopes[at]?.parent ?? -1) {
    const scope = trace.doc.scopes[at];
    if (scope?.kind !== "iteration") continue;
    const key = `${scope.parent} ${scope.name}`;
    let loop = index.get(key);
    if (loop === undefined) {
      loop = loops.push({ name: scope.name, total: scope.times ?? 0, shown: 0 }) - 1;
      index.set(key, loop);
    }
    const known = loops[loop] as Loop;
    loops[loop] = { ...known, shown: Math.max(known.shown, scope.iteration + 1) };
    return { loop, iteration: scope.iteration };
  }
  return { loop: -1, iteration: -1 };
}

/** What goes from device to device on the way to a row: pairs of mesh positions; groups that combine their blocks. */
export function linksOf(
  trace: TraceModel,
  c: Collective,
): { pairs: readonly (readonly [from: number, to: number])[]; knots: readonly (readonly number[])[] } {
  const groups = trace.groups(c);
  if (c.semantics.combines !== "") return { pairs: [], knots: groups };
  const plan = c.plans.flatMap((i) => trace.doc.plans[i] ?? [])[0];
  const named = permutes(c) || tells(c) ? plan?.rounds[0]?.flatMap((m) => m.pairs) : null;
  const pairs = groups.flatMap((g) =>
    named
      ? named.flatMap(([a, b]) => {
          const [from, to] = [g[a], g[b]];
          return from === undefined || to === undefined ? [] : [[from, to] as const];
        })
      : g.flatMap((from) => g.flatMap((to) => (from === to ? [] : [[from, to] as const]))),
  );
  return { pairs, knots: [] };
}

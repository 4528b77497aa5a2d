/** How many executions a step of a trace stands for: only some iterations of a loop are shown. */
import type { Scope, Step, Trace } from "../../core/document.gen";

/**
 * Executions that each step stands for: 1, but for the last iteration of a loop that is shown, which also stands for
 * those that were left out before it.
 */
export function runsOf({ scopes, steps }: Pick<Trace, "scopes" | "steps">): (step: Step) => number {
  const own = weights(scopes, stepped(steps, scopes));
  const all = new Map<number, number>();
  const of = (at: number): number => {
    const scope = scopes[at];
    if (!scope) return 1;
    let runs = all.get(at);
    if (runs === undefined) {
      runs = (own.get(at) ?? 1) * of(scope.parent);
      all.set(at, runs);
    }
    return runs;
  };
  return (step) => of(step.scope);
}

/** Scopes that steps stand in, in the order in which they are entered. */
function stepped(steps: readonly Step[], scopes: readonly Scope[]): number[] {
  const seen = new Set<number>();
  for (const { scope } of steps) {
    const trail: number[] = [];
    for (let at = scope; scopes[at]; at = scopes[at].parent) trail.unshift(at);
    for (const at of trail) seen.add(at);
  }
  return [...seen];
}

/** Iterations that each iteration stands for, itself counted. */
function weights(scopes: readonly Scope[], order: readonly number[]): Map<number, number> {
  const before = new Map<string, number>();
  const found = new Map<number, number>();
  for (const at of order) {
    const scope = scopes[at];
    if (scope?.kind !== "iteration" || scope.times === null) continue;
    const loop = `${scope.parent} ${scope.name} ${scope.times}`;
    const last = before.get(loop) ?? -1;
    // A second loop of the same form begins again.
    found.set(at, scope.iteration > last ? scope.iteration - last : 1);
    before.set(loop, scope.iteration === scope.times - 1 ? -1 : scope.iteration);
  }
  return found;
}

/** A trace at the reader's level: equations, the expressions that they were traced from, or whole statements. */
import type { Step, Trace } from "../../core/document.gen";
import { isFuture } from "./futures";

export type Level = "statement" | "expression" | "equation";
export const LEVELS: readonly Level[] = ["statement", "expression", "equation"];

export interface Leveled {
  doc: Trace;
  /** The last step of the document behind each step that is shown. */
  last: readonly number[];
  /** The step that is shown for each step of the document. */
  shown: readonly number[];
}

/** The trace whose steps are the pieces of the source of a level; a collective stays a step of its own. */
export function atLevel(doc: Trace, level: Level): Leveled {
  const moves = doc.steps.map((step) => step.collective !== null || receives(doc, step));
  const starts = doc.steps.flatMap((step, k) =>
    k === 0 || moves[k] || moves[k - 1] || begins(step, level) ? [k] : [],
  );
  if (starts.length === doc.steps.length) {
    const all = doc.steps.map((_, k) => k);
    return { doc, last: all, shown: all };
  }
  const ends = [...starts.slice(1), doc.steps.length];
  const used = lastUses(doc);
  const steps = starts.map((from, i) => joined(doc, from, ends[i] ?? from + 1, used));
  const shown = starts.flatMap((from, i) => new Array<number>((ends[i] ?? from + 1) - from).fill(i));
  return { doc: { ...doc, steps }, last: ends.map((end) => end - 1), shown };
}

/** Whether a step receives what another started, which moves then. */
function receives({ variables }: Trace, { inputs }: Step): boolean {
  return inputs.some((id) => isFuture(variables[id]));
}

function begins(step: Step, level: Level): boolean {
  if (level === "equation") return true;
  return level === "expression" ? step.begins !== "" : step.begins === "statement";
}

/** The last step that uses each variable. */
function lastUses(doc: Trace): ReadonlyMap<number, number> {
  const used = new Map<number, number>();
  doc.steps.forEach(({ inputs }, k) => {
    for (const id of inputs) used.set(id, k);
  });
  return used;
}

/** Steps of the document, from one to before another, as one step: what goes in, what comes out, what it is called. */
function joined(doc: Trace, from: number, to: number, used: ReadonlyMap<number, number>): Step {
  const steps = doc.steps.slice(from, to);
  const last = steps.at(-1) as Step;
  if (steps.length === 1) return last;
  const own = steps.filter((s) => !s.implicit);
  if (own.length === 1 && own[0] === last) return { ...last, inputs: inputs(steps) }; // What JAX inserts before it.
  const outputs = [...new Set(steps.flatMap((s) => s.outputs))].filter((id) => (used.get(id) ?? -1) >= to);
  return {
    ...last,
    primitive: called(last),
    inputs: inputs(steps),
    outputs: outputs.length > 0 ? outputs : last.outputs,
    sentence: sentence(steps),
    scope: around(doc, steps),
    params: [],
    literals: [],
    collective: null,
    implicit: steps.every((s) => s.implicit),
    elementwise: own.every((s) => s.elementwise),
    shape_only: steps.every((s) => s.shape_only),
    printed: steps.map((s) => s.printed).join(""),
    source: steps.find((s) => s.source)?.source ?? null,
  };
}

/** Variables that steps use and do not make. */
function inputs(steps: readonly Step[]): number[] {
  const made = new Set<number>();
  const found = new Set<number>();
  for (const s of steps) {
    for (const id of s.inputs) if (!made.has(id)) found.add(id);
    for (const id of s.outputs) made.add(id);
  }
  return [...found];
}

/** What an expression does, in one word: the function that it calls, its operator, or its last equation. */
function called(last: Step): string {
  const name = /^([A-Za-z_][\w.]*)\(/.exec(last.expression)?.[1];
  return (
    name?.split(".").at(-1) ??
    (last.expression.length <= 20 && last.expression !== "" ? last.expression : last.primitive)
  );
}

function sentence(steps: readonly Step[]): string {
  const names = [...new Set(steps.filter((s) => !s.implicit).map((s) => s.primitive))];
  const some = names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
  return `${steps.length} equations: ${some}.`;
}

/** The innermost scope that all steps stand in. */
function around({ scopes }: Trace, steps: readonly Step[]): number {
  const outer = (scope: number) => scopes[scope]?.parent ?? -1;
  const path = (scope: number): number[] => (scope < 0 ? [-1] : [...path(outer(scope)), scope]);
  const paths = steps.map((s) => path(s.scope));
  const shared = paths[0]?.filter((scope, depth) => paths.every((p) => p[depth] === scope));
  return shared?.at(-1) ?? -1;
}

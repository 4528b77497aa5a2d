/** Traces and plans as Python wrote them: `python -m tests.fixtures`. */
import type { Plan, Trace } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import { decodeTrace, TraceModel } from "../../src/stepper/model/trace";
import plans from "./plans.json";
import traces from "./traces.json";

export type TraceName = keyof typeof traces;
export const TRACES = Object.keys(traces) as TraceName[];

/** A document of its own. */
export function trace(name: TraceName): Trace {
  return decodeTrace(reviveBytes(traces[name]));
}

export function model(name: TraceName): TraceModel {
  return new TraceModel(trace(name));
}

/** The first step of a primitive. */
export function stepOf({ steps }: TraceModel, primitive: string): number {
  const at = steps.findIndex((s) => s.primitive === primitive);
  if (at < 0) throw new Error(`no step is a ${primitive}`);
  return at;
}

/** A program of many steps, in functions of a hundred steps with scopes of ten: each step adds the one before. */
export function long(steps = 1000): Trace {
  const base = trace("psum");
  const local = base.steps.find((s) => s.primitive === "dot_general");
  if (!local) throw new Error("the trace has no local step");
  const parents = Array.from({ length: Math.ceil(steps / 100) }, (_, i) => ({
    kind: "function" as const,
    name: `layer${i}`,
    parent: -1,
    iteration: 0,
    times: 1,
    axis_types: [],
  }));
  const inner = Array.from({ length: Math.ceil(steps / 10) }, (_, i) => ({
    kind: "named_scope" as const,
    name: `part${i}`,
    parent: Math.floor(i / 10),
    iteration: 0,
    times: 1,
    axis_types: [],
  }));
  return {
    ...base,
    scopes: [...parents, ...inner],
    steps: Array.from({ length: steps }, (_, i) => ({
      ...local,
      primitive: i % 10 === 9 ? "reshape" : "add",
      shape_only: i % 10 === 9,
      scope: parents.length + Math.floor(i / 10),
    })),
  };
}

export interface PlanCase {
  /** The collective that it is a plan of. */
  kind: string;
  plan: Plan;
  /** Words as `0>1:2+/3`: source, destination, chunk, whether it is added, and the rank that it started on. */
  rounds: readonly string[];
  /** By rank and chunk, the ranks whose parts are there in the end. */
  held: readonly (readonly (readonly number[])[])[];
}
export const PLANS = plans as unknown as PlanCase[];

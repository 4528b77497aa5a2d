/** What a step does, in one sentence: the second line of the card's head. */
import type { Collective, Step } from "../../core/document.gen";
import { exchanges, gathers, permutes, ragged, reducesAll, scatters } from "./semantics";
import { primitiveName, type TraceModel } from "./trace";

/** Without a full stop; the mesh axes of a collective before what it does. */
export function saysOf(trace: TraceModel, step: Step): string {
  const c = trace.sends(step);
  const name = primitiveName(step);
  if (c) return `${name} over ${c.axes.join(", ")}: ${doesOf(trace, step, c)}`;
  if (step.primitive === "in_specs") return "in_specs: each device gets its block of the arguments";
  if (step.primitive === "out_specs") return "out_specs: the result is assembled from the blocks";
  if (step.implicit) return `${name}: only the type changes, nothing is sent`;
  return `${name}: each device works on its own block`;
}

function doesOf(trace: TraceModel, step: Step, c: Collective): string {
  const end = trace.end(step);
  if (end === "done") return "each device receives what is on its way to it";
  if (end === "start") return "each device sends, and goes on";
  const n = c.group_size;
  const [who, verb] = n === trace.mesh.size ? [`all ${n} devices`, ""] : [`each group of ${n}`, "s"];
  if (reducesAll(c)) return `${who} ${COMBINED[c.semantics.combines]?.[verb ? 1 : 0]} and end${verb} equal`;
  if (scatters(c)) return `each device ends with its part of the ${MADE[c.semantics.combines]} of ${n} blocks`;
  if (gathers(c)) return `each device collects the blocks of all ${n}`;
  if (exchanges(c)) return "each device sends every other one a piece of its block";
  if (ragged(c)) return "each device sends rows to those that the program names";
  if (permutes(c)) return "each block moves to another device";
  return `one block is sent to all ${n} devices`;
}

const COMBINED: Readonly<Record<string, readonly [all: string, group: string]>> = {
  sum: ["add their blocks", "adds its blocks"],
  max: ["keep the largest values", "keeps the largest values"],
  min: ["keep the smallest values", "keeps the smallest values"],
};
const MADE: Readonly<Record<string, string>> = { sum: "sum", max: "maximum", min: "minimum" };

/** Which step it is, in which iteration, and where it is written. */
export function whereOf(trace: TraceModel, step: Step, at: number): string {
  const turns = trace.iterations(step);
  const line = step.source ? `, line ${step.source.line}` : "";
  return `step ${trace.number(at)} of ${trace.number(trace.steps.length - 1)}${line}${turns && `, ${turns}`}`;
}

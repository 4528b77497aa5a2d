/** One element of a step's result, worked out: which devices' numbers made it. */
import type { Step } from "./document.gen";
import { unravel } from "./mesh";
import { reduces, type TraceModel } from "./trace";

/** `s[0,1] on device 4 = 8 + 4 = 12`; empty where a step has no such reading. */
export function worked(trace: TraceModel, step: Step, device: number | null): string {
  const c = step.collective;
  const [input, output] = [trace.variable(step.inputs[0] ?? -1), trace.variable(step.outputs[0] ?? -1)];
  if (!c || !input || !output || !trace.communicates(step) || !reduces(c) || c.kind === "reduce_scatter") return "";
  const [from, to] = [trace.corner(input), trace.corner(output)];
  const groups = trace.groups(c);
  const group = device === null ? groups[Math.floor(groups.length / 2)] : groups.find((g) => g.includes(device));
  if (!from || !to || !group || group.length > 8 || from.elements.length === 0) return "";
  const here = device ?? group[0] ?? 0;
  // The second element, where there is one: the first is too often zero everywhere.
  const size = from.shape.reduce((a, b) => a * b, 1);
  if (size === 0) return "";
  const at = Math.min(1, size - 1);
  const index = unravel(at, from.shape);
  const parts = group.map((p) => from.elements.text(from.start(p) + at));
  const result = to.elements.text(to.start(here) + at);
  const place = index.length > 0 ? `[${index.join(",")}]` : "";
  const sign = c.kind === "psum" ? " + " : ", ";
  const sum = parts.join(sign);
  const name = c.kind === "psum" ? sum : `${c.kind === "pmax" ? "max" : "min"}(${sum})`;
  return `${output.name}${place} on device ${trace.mesh.ids[here] ?? 0} = ${name} = ${result}`;
}

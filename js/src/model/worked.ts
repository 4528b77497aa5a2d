/** One element of a step's result, worked out: which devices' numbers made it. */
import type { Step } from "./document.gen";
import { unravel } from "./mesh";
import { reduces, type TraceModel } from "./trace";

/** An element of an all-reduce's result. */
export interface WorkedCell {
  /** Mesh position of the device whose result it is, and of those that it is made from. */
  device: number;
  group: readonly number[];
  /** Its number in the corner that travelled. */
  at: number;
}

/** The element that is worked out; null where a step has no such reading. */
export function workedCell(trace: TraceModel, step: Step, device: number | null): WorkedCell | null {
  const c = step.collective;
  const [input, output] = [trace.variable(step.inputs[0] ?? -1), trace.variable(step.outputs[0] ?? -1)];
  if (!c || !input || !output || !trace.communicates(step) || !reduces(c) || !c.semantics.replicates) return null;
  const [from, to] = [trace.corner(input), trace.corner(output)];
  const groups = trace.groups(c);
  const group = device === null ? groups[Math.floor(groups.length / 2)] : groups.find((g) => g.includes(device));
  if (!from || !to || !group || group.length > 8) return null;
  const size = from.shape.reduce((a, b) => a * b, 1);
  // A sum over dimensions of the block, too, has no element of this place.
  if (size === 0 || from.shape.join() !== to.shape.join()) return null;
  // The second element, where there is one: the first is too often zero everywhere.
  return { device: device ?? group[0] ?? 0, group, at: Math.min(1, size - 1) };
}

/** `s[0,1] on device 4 = 8 + 4 = 12`; empty where a step has no such reading. */
export function worked(trace: TraceModel, step: Step, device: number | null): string {
  const cell = workedCell(trace, step, device);
  const [input, output] = [trace.variable(step.inputs[0] ?? -1), trace.variable(step.outputs[0] ?? -1)];
  const [from, to] = [input && trace.corner(input), output && trace.corner(output)];
  if (!cell || !output || !from || !to) return "";
  const index = unravel(cell.at, from.shape);
  const parts = cell.group.map((p) => from.elements.text(from.start(p) + cell.at));
  const result = to.elements.text(to.start(cell.device) + cell.at);
  const place = index.length > 0 ? `[${index.join(",")}]` : "";
  const combines = step.collective?.semantics.combines;
  const named = parts.map((text, r) => `${text} (device ${trace.mesh.ids[cell.group[r] ?? 0] ?? 0})`);
  const made = combines === "sum" ? (parts.length > 4 ? parts : named).join(" + ") : `${combines}(${parts.join(", ")})`;
  return `${output.name}${place} on device ${trace.mesh.ids[cell.device] ?? 0} = ${made} = ${result}`;
}

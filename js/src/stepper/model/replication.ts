/** Which blocks are equal on several devices although their types do not say so. */
import type { Collective, Origin, Step, Trace } from "../../core/document.gen";
import { product } from "../../core/mesh";

/** What is needed of a trace. */
interface Program {
  doc: Trace;
  communicates(step: Step): boolean;
  groups(c: Collective): readonly (readonly number[])[];
}

/**
 * By variable: mesh axes along which its blocks are known to be equal. Those are arguments whose spec does not divide
 * them over the axis, results of collectives that give all members of a group the same, and what is computed element by
 * element, or only reshaped, from such alone. Types say less: nothing with `check_vma=False`, and the result of an
 * `all_gather` counts as varying.
 */
export function knownReplicas(trace: Program): ReadonlyMap<number, readonly string[]> {
  const { mesh, regions, steps } = trace.doc;
  const sizes = new Map(mesh.axes.map(({ name, size }) => [name, size]));
  const equal = new Map<number, readonly string[]>();
  for (const step of steps) {
    const region = regions[step.region];
    if (!region || step.active) continue;
    const [first = [], ...others] = step.inputs.map((id) => equal.get(id) ?? []);
    // In a region inside another, devices may be given different blocks.
    if (step.primitive === "in_specs" && region.parent < 0)
      region.in_specs.forEach((spec, i) => {
        const whole = region.manual.filter((axis) => !spec.includes(`'${axis}'`));
        equal.set(step.outputs[i] ?? -1, whole);
      });
    const kept = first.filter((axis) => others.every((axes) => axes.includes(axis)));
    const c = trace.communicates(step) ? step.collective : null;
    const axes = c ? madeEqual(trace, c, sizes, kept) : step.elementwise || step.shape_only ? kept : [];
    if (axes.length > 0) for (const id of step.outputs) equal.set(id, axes);
  }
  return equal;
}

function madeEqual(
  trace: Program,
  c: Collective,
  sizes: ReadonlyMap<string, number>,
  before: readonly string[],
): readonly string[] {
  const members = product(c.axes.map((name) => sizes.get(name) ?? 0));
  // Groups may be a part of an axis.
  if (!c.semantics.replicates || trace.groups(c).some((group) => group.length !== members)) return [];
  return [...new Set([...before, ...c.axes])];
}

/**
 * By variable: the pieces that its blocks are joined from, those of the variable itself or of the only array that it is
 * computed from, element by element.
 */
export function joinedBlocks({ doc }: Pick<Program, "doc">): ReadonlyMap<number, Origin> {
  const joined = new Map<number, Origin>();
  for (const { id, origin } of doc.variables) if (origin && origin.axis >= 0) joined.set(id, origin);
  const rank = (id: number) => doc.variables[id]?.shape.length ?? 0;
  for (const { inputs, outputs, elementwise, primitive } of doc.steps) {
    const [from, ...more] = inputs.filter((id) => rank(id) > 0);
    const pieces = joined.get(from ?? -1);
    if (!pieces || !(elementwise || primitive === "out_specs")) continue;
    if (primitive === "out_specs")
      inputs.forEach((id, i) => {
        const own = joined.get(id);
        if (own) joined.set(outputs[i] ?? -1, own);
      });
    else if (more.every((id) => id === from))
      for (const id of outputs) if (rank(id) === rank(from ?? -1) && !joined.has(id)) joined.set(id, pieces);
  }
  return joined;
}

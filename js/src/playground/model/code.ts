/** The lines of Python that make what is on screen. */
import type { MeshAxis, Playground, SpecDraft } from "../../core/document.gen";
import { isConcrete } from "../../core/spec/refusal";
import { quoted, specCode, tupleText } from "../../core/spec/spec";

/** Lines to run after `from jax.sharding import AxisType, NamedSharding, PartitionSpec as P`. */
export function codeOf(draft: SpecDraft, doc: Playground): string[] {
  const [lines, x] = [[] as string[], doc.name];
  if (!sameAxes(draft.axes, doc.given)) lines.push(`mesh = ${meshCode(draft.axes, doc)}`);
  const sharding = (d: SpecDraft) => `NamedSharding(mesh, ${specCode(d)})`;
  const sums = draft.unreduced.length > 0;
  // JAX can create unreduced arrays from scratch only on Explicit axes; on others they exist only as types.
  if (!isConcrete(draft.axes, doc) || (sums && draft.axes.some((a) => a.type !== "Explicit"))) {
    const shape = tupleText(draft.shape.map(String));
    lines.push(`${x} = jax.ShapeDtypeStruct(${shape}, ${quoted(draft.dtype)}, sharding=${sharding(draft)})`);
    return lines;
  }
  if (draft.entries.some((e) => e.unconstrained)) {
    lines.push(`${x} = jax.lax.with_sharding_constraint(${x}, ${sharding(draft)})`);
    return lines;
  }
  // Values are placed first: not every JAX can make a sum of them on the way from one mesh to another.
  lines.push(`${x} = jax.device_put(${x}, ${sharding(sums ? { ...draft, unreduced: [], reduced: [] } : draft)})`);
  if (sums) lines.push(`${x} = jax.reshard(${x}, ${sharding(draft)})`);
  return lines;
}

function meshCode(axes: readonly MeshAxis[], doc: Playground): string {
  const sizes = tupleText(axes.map((a) => String(a.size)));
  const names = tupleText(axes.map((a) => quoted(a.name)));
  const types = tupleText(axes.map((a) => `AxisType.${a.type}`));
  const make = isConcrete(axes, doc) ? "jax.make_mesh" : "jax.sharding.AbstractMesh";
  return `${make}(${sizes}, ${names}, axis_types=${types})`;
}

function sameAxes(a: readonly MeshAxis[], b: readonly MeshAxis[]): boolean {
  return (
    JSON.stringify(a.map((x) => [x.name, x.size, x.type])) === JSON.stringify(b.map((x) => [x.name, x.size, x.type]))
  );
}

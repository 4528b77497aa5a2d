/** One leaf by itself: as an array, as a spec to edit, and the leaves that are equal to it. */
import type { DtypeName, LeafType, Placement, Playground } from "../../core/document.gen";
import { hloText, shardyText, typeText } from "../../core/spec/forms";
import { isArray, type TreeModel } from "./tree";

/** A leaf as a document of its own; null for what has no place. */
export function placementAt(tree: TreeModel, leaf: number): Placement | null {
  const of = tree.typeAt(leaf);
  const mesh = tree.meshes[of.mesh]?.mesh;
  if (!mesh || !isArray(of)) return null;
  const entries = of.dims.map(({ axes, unconstrained }) => ({ axes, unconstrained }));
  const { shape, dtype, unreduced, reduced } = of;
  const draft = { shape, dtype, axes: mesh.axes, entries, unreduced, reduced };
  const named = of.spec !== null && of.dims.every((d) => d.cut === null);
  return {
    mesh,
    shape,
    dims: of.dims,
    dtype,
    bits: of.bits,
    name: tree.pathOf(leaf),
    // JAX's types name Explicit axes alone; those of the tree's lines name every axis that splits.
    type: typeText(draft, dtypeOf(of)),
    sharding: of.sharding,
    spec: of.spec,
    agreement: "",
    unreduced,
    unreduced_kind: "sum",
    reduced,
    memory_kind: of.memory_kind,
    logical_device_ids: null,
    hlo: named ? hloText(draft, tree.doc.terms) : "",
    shardy: named ? shardyText(draft) : "",
    state: of.state === "deleted" ? "deleted" : of.state === "abstract" ? "abstract" : "live",
    values: null,
    jax_version: tree.doc.jax_version,
    kind: "placement",
    version: tree.doc.version,
  };
}

/** A leaf with a spec to edit, on the main mesh, as rules are; null for what no rule applies to. */
export function playgroundAt(tree: TreeModel, leaf: number): Playground | null {
  const of = tree.typeAt(leaf);
  const { mesh } = tree.mesh;
  if (!rulesApply(of) || mesh.axes.length === 0) return null;
  // On another mesh, or on one device, it begins with no axes.
  const entries = of.mesh === 0 ? of.dims.map(({ axes, unconstrained }) => ({ axes, unconstrained })) : [];
  const { unreduced, reduced } = of.mesh === 0 ? of : { unreduced: [], reduced: [] };
  const dtype = dtypeOnDevices(of);
  return {
    mesh: { ...mesh, axes: [] },
    draft: { shape: of.shape, dtype: dtype.name, axes: mesh.axes, entries, unreduced, reduced },
    given: mesh.axes,
    dtypes: [dtype],
    terms: tree.doc.terms,
    name: tree.pathOf(leaf),
    array: "",
    fixed: true,
    forbids: null,
    most_devices: tree.mesh.size,
    most_dims: of.shape.length,
    jax_version: tree.doc.jax_version,
    kind: "playground",
    version: tree.doc.version,
  };
}

/**
 * Whether a rule may say how it is split: none brings back what was moved to host memory on purpose, or deleted, and
 * devices hold no words or objects.
 */
export function rulesApply(of: LeafType): boolean {
  return isArray(of) && of.state !== "deleted" && !of.offloaded && of.device_bits > 0;
}

/** The leaf, and those that are equal to it in the folds around it: `layers/0/up` to `layers/11/up`. */
export function equalLeaves(tree: TreeModel, leaf: number): number[] {
  const at = tree.nodeOf[leaf] ?? 0;
  const around = [...tree.folds.values()]
    .map((members) => ({ members, own: members.find((m) => m <= at && at < (tree.end[m] ?? 0)) }))
    .filter(({ own }) => own !== undefined)
    .sort((a, b) => (tree.depth[b.own ?? 0] ?? 0) - (tree.depth[a.own ?? 0] ?? 0));
  const nodes = around.reduce(
    (found, { members, own = 0 }) => [...members].flatMap((m) => found.map((node) => node - own + m)),
    [at],
  );
  return nodes.map((node) => tree.leafAt(node)).sort((a, b) => a - b);
}

/** As `jax.device_put` makes it: `float32` of a `float64` on the host, unless 64-bit types are enabled. */
function dtypeOnDevices(of: LeafType): DtypeName {
  const { name, short } = dtypeOf(of);
  const bits = of.device_bits;
  const [from, to] = [String(of.bits), String(bits)];
  return { name: name.replace(from, to), short: short.replace(from, to), bits };
}

function dtypeOf({ dtype, type, bits }: LeafType): DtypeName {
  return { name: dtype, short: type.slice(0, type.indexOf("[")), bits };
}

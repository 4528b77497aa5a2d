/** Playgrounds made by hand, in the words of JAX 0.10. */
import type { Forbids, MeshAxis, Playground, SpecDraft, SpecEntry, Terms } from "../../src/core/document.gen";
import { mesh } from "../documents";

const DUPLICATE =
  "A single NamedSharding spec specification can map every mesh axis to at most one positional dimension, but {spec} has duplicate entries for {repeated}";

export const TERMS: Terms = {
  wordings: [
    { kind: "states_overlap", error: "ValueError", text: "cannot overlap: {unreduced} and {reduced}" },
    {
      kind: "unreduced_overlap",
      error: "ValueError",
      text: "partitions: {partitions} and unreduced axes: {unreduced}",
    },
    { kind: "reduced_overlap", error: "ValueError", text: "partitions: {partitions} and reduced axes: {reduced}" },
    { kind: "repeated", error: "DuplicateSpecError", text: DUPLICATE },
    { kind: "unknown", error: "ValueError", text: "Resource axis: {axis} of {spec} is not found in mesh: {names}." },
    { kind: "unconstrained", error: "ValueError", text: "{spec} cannot contain `P.UNCONSTRAINED`: {types}" },
    { kind: "unreduced_auto", error: "ValueError", text: "Got unreduced axes: {unreduced} and mesh: {mesh}" },
    { kind: "reduced_auto", error: "ValueError", text: "Got reduced axes: {reduced} and mesh: {mesh}" },
    {
      kind: "rank",
      error: "ValueError",
      text: "{sharding}: rank at least {entries}, applied to a value of rank {rank}.",
    },
    {
      kind: "indivisible",
      error: "IndivisibleError",
      text: "array axis {dim} is partitioned {parts} times, but the dimension size is {size} ({shape}, {factor_list})",
    },
  ],
  spec: "P",
  sums: "",
  mesh: "Mesh({axes}, axis_types={types})",
  abstract_mesh: "AbstractMesh({axes}, axis_types={types})",
  sharding: "NamedSharding(mesh={mesh}, spec={spec}, memory_kind=device)",
  abstract_sharding: "NamedSharding(mesh={mesh}, spec={spec})",
  hlo_counts_ones: false,
};

export const axis = (name: string, size: number, type: MeshAxis["type"] = "Explicit"): MeshAxis => ({
  name,
  size,
  type,
});
export const on = (...axes: string[]): SpecEntry => ({ axes, unconstrained: false });
export const LOOSE: SpecEntry = { axes: [], unconstrained: true };

/** An f32 array on x=4, y=2. */
export function draft(rest: Partial<SpecDraft> = {}): SpecDraft {
  return {
    shape: [8, 16],
    dtype: "float32",
    axes: [axis("x", 4), axis("y", 2)],
    entries: [],
    unreduced: [],
    reduced: [],
    ...rest,
  };
}

/** What is forbidden over some axes, for an array of this spec. */
export function forbids(before: SpecDraft, ...axes: string[]): Forbids {
  const words = (what: string) =>
    `Collective across axis '{axis}' is forbidden by \`no_collectives\`, but ${what} '{axis}'`;
  return {
    axes,
    before,
    error: "ForbiddenCollectiveError",
    sums: words("`reshard` consumes unreduced axis"),
    gathers: words("`reshard` loses sharding axis"),
    moves: words("`reshard` changes the sharded dimension of axis"),
  };
}

/** A playground on eight devices. */
export function playground(first: SpecDraft = draft(), rest: Partial<Playground> = {}): Playground {
  return {
    mesh: { ...mesh({ x: 8 }), axes: [] },
    draft: first,
    given: first.axes,
    dtypes: [
      { name: "float32", short: "f32", bits: 32 },
      { name: "bfloat16", short: "bf16", bits: 16 },
    ],
    terms: TERMS,
    name: "x",
    fixed: false,
    forbids: null,
    array: "",
    most_devices: 4096,
    most_dims: 6,
    jax_version: "0.10.2",
    kind: "playground",
    version: 1,
    ...rest,
  };
}

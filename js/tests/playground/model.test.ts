import fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { SpecDraft } from "../../src/core/document.gen";
import { PlacementModel } from "../../src/core/placement";
import { hloText, shardText, shardyText, typeText } from "../../src/core/spec/forms";
import { refusalOf, specRepr } from "../../src/core/spec/refusal";
import { changeAxis, clear, move, put, readSpec, reshape, specCode, take, unconstrain } from "../../src/core/spec/spec";
import { SpecEditor } from "../../src/playground/editor";
import { axisOf } from "../../src/playground/keys";
import { codeOf } from "../../src/playground/model/code";
import { decodePlayground, placementOf } from "../../src/playground/model/playground";
import { axis, draft, forbids, LOOSE, on, playground, TERMS } from "./documents";

const F32 = { name: "float32", short: "f32", bits: 32 };
const said = (d: SpecDraft) => {
  const refusal = refusalOf(d, playground());
  return refusal && [refusal.error, refusal.said, ...[...refusal.notes].map(([place, note]) => `${place}: ${note}`)];
};

const names = fc.constantFrom("x", "y", "data", "a b");
const entries = fc.array(
  fc.oneof(
    fc.constant(LOOSE),
    fc.array(names, { maxLength: 3 }).map((axes) => on(...axes)),
  ),
  { maxLength: 4 },
);
const states = fc.uniqueArray(names, { maxLength: 2 });

test("a spec's code reads back as the spec", () => {
  fc.assert(
    fc.property(entries, states, states, (e, unreduced, reduced) => {
      const spec = { entries: e, unreduced, reduced };
      expect(readSpec(specCode(spec))).toEqual(spec);
    }),
  );
});

test.each([
  ["P('x', None)", "P('x', None)"],
  ["  jax.P( ('x','y') , )", "P(('x', 'y'))"],
  ['PartitionSpec("x")', "P('x')"],
  ["'x', 'y'", "P('x', 'y')"],
  ["P(P.UNCONSTRAINED, UNCONSTRAINED)", "P(P.UNCONSTRAINED, P.UNCONSTRAINED)"],
  ["P(unreduced={'x', 'x'}, reduced={'y'})", "P(unreduced={'x'}, reduced={'y'})"],
  ["P()", "P()"],
])("%s is the spec %s", (text, code) => {
  const spec = readSpec(text);
  expect(spec && specCode(spec)).toBe(code);
});

test.each(["", "P(x)", "P('x'", "P('x' 'y')", "x", "P(1)", "P(unreduced='x')", "P(('x', None))", "f('x')"])(
  "%s is not a spec",
  (text) => {
    expect(readSpec(text)).toBeNull();
  },
);

test.each([
  ["stays", draft({ entries: [on("x"), on("y")] }), ""],
  ["moves in its dimension", draft({ entries: [on("y", "x")] }), ""],
  ["splits another dimension", draft({ entries: [on(), on("x")] }), "changes the sharded dimension of axis 'x'"],
  ["is gathered", draft(), "loses sharding axis 'x'"],
  ["becomes a sum's", draft({ unreduced: ["x"] }), ""],
  ["is on another mesh", draft({ axes: [axis("x", 8)], entries: [] }), ""],
])("a forbidden axis that %s", (_, after, words) => {
  const rules = forbids(draft({ entries: [on("x")] }), "x");
  const editor = new SpecEditor(playground(after, { forbids: rules }));
  expect(editor.forbids()?.forbidden?.said ?? "").toContain(words);
  expect(editor.forbids()?.forbidden === null).toBe(words === "");
});

test("what is forbidden is told of what was moved last, and not of specs that JAX refuses", () => {
  const rules = forbids(draft({ unreduced: ["y"] }), "x", "y");
  const editor = new SpecEditor(playground(draft(), { forbids: rules }));
  expect(editor.forbids()?.code).toBe("no_collectives({'x', 'y'})");
  expect(editor.forbids()?.forbidden?.meaning).toMatch(/parts of a sum/);
  editor.set({ moved: draft() });
  expect(editor.forbids()?.allowed).toBe(
    "A reshard may not sum or gather over x or y, nor split another dimension over it.",
  );
  editor.edit(draft({ entries: [on("x")] }));
  expect(editor.forbids()?.allowed).toBe("JAX allows the reshard from P().");
  editor.edit(draft({ entries: [on("x"), on("x")] }));
  expect(editor.forbids()?.forbidden).toBeNull();
  expect(editor.forbids()?.allowed).toMatch(/^A reshard may not/);
  const auto = draft({ axes: [axis("x", 4, "Auto")] });
  expect(new SpecEditor(playground(auto, { forbids: rules })).forbids()?.allowed).toMatch(/Explicit axes alone/);
});

test("axes are put, moved and taken in order", () => {
  let d = put(put(draft(), "x", 1), "y", 1);
  expect(specCode(d)).toBe("P(None, ('x', 'y'))");
  d = move(d, { place: 1, index: 0 }, 1);
  expect(specCode(d)).toBe("P(None, ('y', 'x'))");
  d = move(d, { place: 1, index: 1 }, 1, 0);
  expect(specCode(d)).toBe("P(None, ('x', 'y'))");
  d = move(d, { place: 1, index: 1 }, 0, 0);
  expect(specCode(d)).toBe("P('y', 'x')");
  d = move(d, { place: 0, index: 0 }, "unreduced");
  expect(specCode(d)).toBe("P(None, 'x', unreduced={'y'})");
  expect(specCode(take(d, { place: "unreduced", index: 0 }))).toBe("P(None, 'x')");
  expect(specCode(unconstrain(d, 1))).toBe("P(None, P.UNCONSTRAINED, unreduced={'y'})");
  expect(specCode(put(unconstrain(d, 1), "x", 1))).toBe("P(None, 'x', unreduced={'y'})");
  expect(specCode(clear(d, 1))).toBe("P(None, None, unreduced={'y'})");
});

test("the spec follows an axis' new name, and keeps what has no dimension any more", () => {
  const d = draft({ entries: [on("x"), on("y")], reduced: ["x"] });
  expect(specCode(changeAxis(d, 0, { name: "data" }))).toBe("P('data', 'y', reduced={'data'})");
  expect(specCode(reshape(d, [8]))).toBe("P('x', 'y', reduced={'x'})");
  expect(specCode(clear(reshape(d, [8]), 1))).toBe("P('x', reduced={'x'})");
  expect(specCode(reshape(draft({ entries: [on("x"), on()] }), [8]))).toBe("P('x')");
});

test("forms of a sharding", () => {
  const d = draft({ entries: [on("y"), on("x")] });
  expect(typeText(d, F32)).toBe("f32[8@y,16@x]");
  expect(shardText(d, F32)).toBe("f32[4,4]");
  expect(hloText(d, TERMS)).toBe("{devices=[2,4]<=[4,2]T(1,0)}");
  expect(shardyText(d)).toBe('#sdy.sharding<mesh<["x"=4, "y"=2]>, [{"y"}, {"x"}]>');
  const sums = draft({ entries: [on("x"), LOOSE], unreduced: ["y"] });
  expect(typeText(sums, F32)).toBe("f32[8@x,16]{U:y}");
  expect(hloText(sums, TERMS)).toBe("{devices=[4,1,2]<=[8] last_tile_dims={unreduced}}");
  expect(shardyText(sums)).toBe('#sdy.sharding<mesh<["x"=4, "y"=2]>, [{"x"}, {?}], unreduced={"y"}>');
  const mixed = draft({ axes: [axis("x", 4, "Auto"), axis("y", 2)], entries: [on("x", "y")] });
  expect(typeText(mixed, F32)).toBe("f32[8@y,16]");
  expect(specRepr(mixed, playground())).toBe("P(('x', 'y'),)");
});

test.each<[string, Partial<SpecDraft>, string[] | null]>([
  ["a spec that fits", { entries: [on("x")] }, null],
  [
    "an axis used twice",
    { entries: [on("x"), on("y", "x")] },
    [
      "DuplicateSpecError",
      "A single NamedSharding spec specification can map every mesh axis to at most one positional dimension, but P('x', ('y', 'x')) has duplicate entries for `x`",
      "1: x is taken by dim 0",
    ],
  ],
  [
    "an axis twice in one place",
    { entries: [on("x", "x")] },
    ["DuplicateSpecError", expect.stringContaining("P(('x', 'x'),)"), "0: x is here twice"] as string[],
  ],
  [
    "an unknown axis",
    { entries: [on(), on("z")] },
    ["ValueError", "Resource axis: z of P(None, 'z') is not found in mesh: ('x', 'y').", "1: no axis z"],
  ],
  [
    "a spec that is too long",
    { shape: [8], entries: [on("x"), on("y")] },
    [
      "ValueError",
      "NamedSharding(mesh=Mesh('x': 4, 'y': 2, axis_types=(Explicit, Explicit)), spec=P('x', 'y'), memory_kind=device): rank at least 2, applied to a value of rank 1.",
      "1: no such dimension",
    ],
  ],
  [
    "a size that does not divide",
    { shape: [6, 16], entries: [on("x"), on("y")] },
    [
      "IndivisibleError",
      "array axis 0 is partitioned 4 times, but the dimension size is 6 ((6, 16), [4, 2])",
      "0: 6 ÷ 4 leaves a remainder",
    ],
  ],
  [
    "unreduced on an Auto axis",
    { axes: [axis("x", 4), axis("y", 2, "Auto")], unreduced: ["y"] },
    [
      "ValueError",
      "Got unreduced axes: frozenset({'y'}) and mesh: Mesh('x': 4, 'y': 2, axis_types=(Explicit, Auto))",
      "unreduced: y is Auto",
    ],
  ],
  [
    "UNCONSTRAINED without an Auto axis",
    { entries: [LOOSE] },
    [
      "ValueError",
      "P(UNCONSTRAINED,) cannot contain `P.UNCONSTRAINED`: (Explicit, Explicit)",
      "0: no Auto axis to choose",
    ],
  ],
  [
    "an axis in a dimension and unreduced",
    { entries: [on("x")], unreduced: ["x"] },
    ["ValueError", "partitions: ('x',) and unreduced axes: frozenset({'x'})", "unreduced: x is taken by dim 0"],
  ],
  ["axes of two types in a tuple", { axes: [axis("x", 4), axis("y", 2, "Auto")], entries: [on("x", "y")] }, null],
])("%s", (_, rest, words) => {
  expect(said(draft(rest))).toEqual(words);
});

test("more positions than devices make an abstract mesh", () => {
  const d = draft({ axes: [axis("x", 4), axis("y", 4)], entries: [on("x"), on("y")] });
  const model = new PlacementModel(placementOf(d, playground()));
  expect([model.size, model.doc.mesh.abstract, model.ids.at(-1)]).toEqual([16, true, 15]);
  expect(codeOf(d, playground())).toEqual([
    "mesh = jax.sharding.AbstractMesh((4, 4), ('x', 'y'), axis_types=(AxisType.Explicit, AxisType.Explicit))",
    "x = jax.ShapeDtypeStruct((8, 16), 'float32', sharding=NamedSharding(mesh, P('x', 'y')))",
  ]);
});

test("the first devices make a smaller mesh", () => {
  const d = draft({ axes: [axis("x", 2)], entries: [on("x")] });
  const doc = playground(undefined, { given: draft().axes });
  expect([...new PlacementModel(placementOf(d, doc)).ids]).toEqual([0, 1]);
  expect(codeOf(d, doc)).toEqual([
    "mesh = jax.make_mesh((2,), ('x',), axis_types=(AxisType.Explicit,))",
    "x = jax.device_put(x, NamedSharding(mesh, P('x')))",
  ]);
});

test("a sum is made of what is placed", () => {
  const d = draft({ entries: [on("x")], unreduced: ["y"] });
  expect(codeOf(d, playground(d))).toEqual([
    "x = jax.device_put(x, NamedSharding(mesh, P('x')))",
    "x = jax.reshard(x, NamedSharding(mesh, P('x', unreduced={'y'})))",
  ]);
});

test("edits are undone and made again, and a new one gives up what was undone", () => {
  const changed = vi.fn();
  const editor = new SpecEditor(playground(), changed);
  editor.drop("x", 0);
  editor.drop("y", 1);
  editor.step(-1);
  expect(specCode(editor.draft())).toBe("P('x')");
  editor.step(1);
  expect(specCode(editor.draft())).toBe("P('x', 'y')");
  editor.step(-1);
  editor.step(-1);
  expect([editor.canStep(-1), editor.canStep(1)]).toEqual([false, true]);
  editor.drop("y", "reduced");
  expect([specCode(editor.draft()), editor.canStep(1)]).toEqual(["P(reduced={'y'})", false]);
  expect(changed).toHaveBeenCalledTimes(7);
  for (let i = 0; i < 300; i++) editor.drop("x", i % 2);
  expect(editor.now.drafts).toHaveLength(100);
});

test("the picture is of the last valid spec, and of the mesh alone where there was none", () => {
  const editor = new SpecEditor(playground());
  editor.drop("x", 0);
  editor.drop("x", 1);
  expect(editor.refusal()?.kind).toBe("repeated");
  expect(editor.placement().spec).toBe("P('x',)");
  const wrong = new SpecEditor(playground(draft({ entries: [on("z")] })));
  expect(wrong.placement().shape).toBeNull();
});

test("a key means an axis by its number, or by its letter, a free one first", () => {
  const d = draft({ axes: [axis("data", 2), axis("depth", 2), axis("m", 2)], entries: [on("data")] });
  expect(["d", "m", "1", "3", "4", "q", "Enter"].map((key) => axisOf(d, key))).toEqual([
    "depth",
    "m",
    "data",
    "m",
    null,
    null,
    null,
  ]);
});

test("a damaged document says what is wrong with it", () => {
  expect(() => decodePlayground({ ...playground(), draft: {} })).toThrow("it has no spec");
  expect(() => decodePlayground({ ...playground(), dtypes: [] })).toThrow("it has no dtypes");
});

/** Where an element came from: what is named makes the number that JAX gave. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Step, Variable } from "../../src/core/document.gen";
import { product, unravel } from "../../src/core/mesh";
import { arithmetic, sourcesOf } from "../../src/stepper/model/sources";
import { TraceModel } from "../../src/stepper/model/trace";
import { raw } from "../documents";
import { ELEMENTWISE, programOf } from "./programs";
import { model, TRACES } from "./traces";

const MOVES = new Set(["all_gather", "all_to_all", "ppermute", "pbroadcast", "pvary", "transpose", "reshape"]);

/** Checks every element of every result of a step; returns how many are known. */
function check(t: TraceModel, step: Step): number {
  let known = 0;
  for (const id of step.outputs) {
    const v = t.variable(id) as Variable;
    const corner = t.corner(v);
    if (!corner) continue;
    for (let p = 0; p < t.mesh.size; p++) {
      for (let i = 0; i < product(corner.shape); i++) {
        const sources = sourcesOf(t, step, v, p, i);
        if (!sources || sources.some((s) => s.element === null)) continue;
        known++;
        const values = sources.map((s) => {
          const from = t.corner(s.v);
          return from?.elements.number(from.start(s.device) + (s.element ?? 0)) ?? Number.NaN;
        });
        const got = corner.elements.number(corner.start(p) + i);
        const kind = step.collective?.semantics.combines || step.primitive;
        const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
        if (kind === "sum" || kind === "reduce_sum") expect(got).toBeCloseTo(sum(values), 3);
        else if (kind === "max") expect(got).toBe(Math.max(...values));
        else if (kind === "min") expect(got).toBe(Math.min(...values));
        else if (kind === "dot_general")
          expect(got).toBeCloseTo(sum(values.flatMap((a, k) => (k % 2 === 0 ? [a * (values[k + 1] ?? 0)] : []))), 3);
        else if (MOVES.has(step.primitive) && values.length > 0) expect(got).toBe(values[0]);
        else if (MOVES.has(step.primitive)) expect(got).toBe(0);
      }
    }
  }
  return known;
}

test.each(TRACES.filter((name) => name !== "oddities" && name !== "256 devices"))(
  "%s: sources make the result",
  (name) => {
    const t = model(name);
    const known = t.steps.map((step) => check(t, step));
    t.steps.forEach((step, i) => {
      // What is only started has no values yet.
      if (t.communicates(step) && t.end(step) !== "start") expect(known[i]).toBeGreaterThan(0);
    });
  },
);

test("collectives over random meshes name what makes their results", () =>
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(2, 3, 4), { minLength: 1, maxLength: 3 }),
      fc.nat({ max: 2 }),
      fc.constantFrom("psum", "pmax", "reduce_scatter", "all_gather", "all_to_all", "pbroadcast"),
      fc.constantFrom(1, 2, 3),
      (sizes, axis, kind, rows) => {
        const axes = Object.fromEntries(sizes.map((n, i) => ["xyz"[i] as string, n]));
        const over = "xyz"[axis % sizes.length] as string;
        const t = programOf({ axes, kind, over: [over], shape: [rows, 2 * (axes[over] ?? 1)] });
        const v = t.variable(2) as Variable;
        expect(check(t, t.steps[2] as Step)).toBe(t.mesh.size * product(v.shape));
      },
    ),
    { numRuns: 60 },
  ));

/** One step from blocks whose elements are numbered, on one device. */
function stepFrom(
  primitive: string,
  shapes: readonly (readonly number[])[],
  shape: readonly number[],
  params: Readonly<Record<string, string>> = {},
): (index: readonly number[]) => string[] | null {
  const base = programOf({ axes: { x: 2 }, kind: "psum", over: ["x"], shape: [1] });
  const of = (id: number, s: readonly number[]): Variable => ({
    ...(base.variable(0) as Variable),
    id,
    name: "abcdef"[id] as string,
    shape: s,
    window: {
      shape: s,
      format: "i4",
      data: new DataView(Int32Array.from({ length: product(s) }, (_, i) => i).buffer),
      block: raw([0, 0]),
    },
  });
  const variables = [...shapes, shape].map((s, id) => of(id, s));
  const step: Step = {
    ...(base.steps[1] as Step),
    primitive,
    elementwise: ELEMENTWISE.has(primitive),
    inputs: shapes.map((_, id) => id),
    outputs: [shapes.length],
    params: Object.entries(params),
  };
  const t = new TraceModel({ ...base.doc, steps: [step], variables });
  return (index) => {
    const element = index.reduce((at, i, d) => at * (shape[d] ?? 1) + i, 0);
    const sources = sourcesOf(t, step, variables[shapes.length] as Variable, 1, element);
    return sources?.map((s) => `${s.v.name}[${unravel(s.element ?? -1, s.v.shape)}]@${s.device}`) ?? null;
  };
}

test.each([
  ["add", [[2, 3], []], [2, 3], {}, [1, 2], ["a[1,2]@1", "b[]@1"]],
  [
    "mul",
    [
      [1, 3],
      [2, 3],
    ],
    [2, 3],
    {},
    [1, 2],
    ["a[0,2]@1", "b[1,2]@1"],
  ],
  ["transpose", [[2, 3, 4]], [4, 2, 3], { permutation: "(2, 0, 1)" }, [3, 1, 2], ["a[1,2,3]@1"]],
  ["reshape", [[2, 6]], [3, 4], { new_sizes: "(3, 4)" }, [2, 1], ["a[1,3]@1"]],
  [
    "slice",
    [[4, 6]],
    [2, 2],
    { start_indices: "(1, 2)", limit_indices: "(4, 6)", strides: "(2, 3)" },
    [1, 1],
    ["a[3,5]@1"],
  ],
  ["rev", [[2, 3]], [2, 3], { dimensions: "(1,)" }, [1, 0], ["a[1,2]@1"]],
  ["broadcast_in_dim", [[3]], [2, 3], { broadcast_dimensions: "(1,)" }, [1, 2], ["a[2]@1"]],
  [
    "concatenate",
    [
      [2, 2],
      [2, 3],
    ],
    [2, 5],
    { dimension: "1" },
    [1, 3],
    ["b[1,1]@1"],
  ],
  ["reduce_sum", [[2, 3]], [3], { axes: "(0,)" }, [1], ["a[0,1]@1", "a[1,1]@1"]],
  ["cumsum", [[2, 3]], [2, 3], { axis: "1", reverse: "False" }, [1, 1], ["a[1,0]@1", "a[1,1]@1"]],
  [
    "dot_general",
    [
      [2, 2, 3],
      [2, 3, 4],
    ],
    [2, 2, 4],
    { dimension_numbers: "(((2,), (1,)), ((0,), (0,)))" },
    [1, 0, 3],
    ["a[1,0,0]@1", "b[1,0,3]@1", "a[1,0,1]@1", "b[1,1,3]@1", "a[1,0,2]@1", "b[1,2,3]@1"],
  ],
  ["sort", [[3]], [3], {}, [0], null],
] as const)("%s: an element's sources by index", (primitive, shapes, shape, params, index, expected) => {
  expect(stepFrom(primitive, shapes, shape, params)(index)).toEqual(expected);
});

test("the arithmetic is written out, and folds where it is long", () => {
  const t = model("psum");
  const psum = t.steps.find((s) => s.collective) as Step;
  const v = t.variable(psum.outputs[0] ?? -1) as Variable;
  const text = (s: { device: number }) => String(s.device);
  const sources = sourcesOf(t, psum, v, 0, 1) ?? [];
  expect(arithmetic(t, psum, sources, text, "1")).toBe("0 + 1 = 1");
  const named = (n: number) => Array.from({ length: n }, (_, device) => ({ v, device, element: 0 }));
  const step = (primitive: string): Step => ({
    ...psum,
    primitive,
    elementwise: ELEMENTWISE.has(primitive),
    collective: null,
  });
  expect(arithmetic(t, step("dot_general"), named(4), text, "6")).toBe("0·1 + 2·3 = 6");
  expect(arithmetic(t, step("reduce_sum"), named(9), text, "36")).toBe("0 + 1 + 2 + 3 + … + 8 = 36");
  expect(arithmetic(t, step("sub"), named(2), text, "-1")).toBe("0 − 1 = -1");
  expect(arithmetic(t, step("exp"), named(1), text, "1")).toBe("exp(0) = 1");
  expect(arithmetic(t, step("transpose"), named(1), text, "0")).toBe("");
  expect(arithmetic(t, step("add"), [{ v, device: 0, element: null }], text, "0")).toBe("");
});

import { expect, test } from "vitest";
import type { Step, Trace } from "../../src/core/document.gen";
import { withArrivals } from "../../src/stepper/model/futures";
import { atLevel, LEVELS } from "../../src/stepper/model/levels";
import { TRACES, trace } from "./traces";

test.each(TRACES)("every level of %s has all steps, in order", (name) => {
  const doc = trace(name);
  let before = 0;
  for (const level of LEVELS) {
    const { doc: coarse, last, shown } = atLevel(doc, level);
    expect(coarse.steps.length).toBe(last.length);
    expect(coarse.steps.length).toBeGreaterThanOrEqual(before);
    before = coarse.steps.length;
    expect(last.at(-1)).toBe(doc.steps.length - 1);
    last.forEach((k, i) => {
      expect(shown[k]).toBe(i);
    });
    expect(shown.length).toBe(doc.steps.length);
    // No collective is lost or joined with another.
    expect(coarse.steps.filter((s) => s.collective).length).toBe(doc.steps.filter((s) => s.collective).length);
  }
  expect(before).toBe(doc.steps.length);
});

test.each(TRACES)("what a coarse step of %s uses was made before it", (name) => {
  const doc = trace(name);
  for (const level of LEVELS) {
    const made = new Set<number>();
    const fine = new Set(doc.steps.flatMap((s) => s.outputs));
    for (const s of atLevel(doc, level).doc.steps) {
      for (const id of s.inputs) expect(made.has(id) || !fine.has(id)).toBe(true);
      for (const id of s.outputs) made.add(id);
    }
  }
});

/** `b = where(a > 1, a % 3, 0)`: two expressions of one equation, one of several, in a function of a library's. */
function expressions(): Trace {
  const base = trace("psum");
  const [variable] = base.variables;
  const local = base.steps.find((s) => s.primitive === "dot_general");
  if (!variable || !local) throw new Error("the trace has no local step");
  const names = ["a", "a > 1", "tmp1", "tmp2", "a % 3", "tmp3", "b"];
  const make = (primitive: string, inputs: number[], output: number, more: Partial<Step>): Step => ({
    ...local,
    primitive,
    inputs,
    outputs: [output],
    begins: "",
    scope: 0,
    ...more,
  });
  return {
    ...base,
    variables: names.map((name, id) => ({ ...variable, id, name })),
    scopes: ["f", "remainder", "_where"].map((name, k) => ({
      kind: "function" as const,
      name,
      parent: k === 0 ? -1 : 0,
      iteration: 0,
      times: 1,
      axis_types: [],
    })),
    steps: [
      make("gt", [0], 1, { begins: "statement", expression: "a > 1" }),
      make("rem", [0], 2, { begins: "expression", expression: "a % 3", scope: 1 }),
      make("lt", [2], 3, { expression: "a % 3", scope: 1 }),
      make("select_n", [3, 2], 4, { expression: "a % 3", scope: 1 }),
      make("pvary", [], 5, { begins: "expression", expression: "where(a > 1, a % 3, 0)", scope: 2, implicit: true }),
      make("select_n", [1, 5, 4], 6, { expression: "where(a > 1, a % 3, 0)", scope: 2 }),
    ],
  };
}

/** A trace whose steps all belong to one statement, but for the one that it begins with. */
function inOneStatement(doc: Trace): Trace {
  const within = (step: Step, k: number) => ({ ...step, begins: k === 0 ? ("statement" as const) : ("" as const) });
  return { ...doc, steps: doc.steps.map(within) };
}

test.each(TRACES)("no collective of %s is joined with what follows it in its statement, sent or received", (name) => {
  const doc = inOneStatement(trace(name));
  const coarse = atLevel(doc, "statement").doc;
  const moving = ({ steps }: Trace) => withArrivals({ ...doc, steps }).steps.filter((s) => s.collective);
  const written = (steps: readonly Step[]) => steps.map(({ primitive, outputs }) => [primitive, outputs]);
  expect(written(moving(coarse))).toEqual(written(moving(doc)));
});

test("what a library makes of an expression is one step, called as the user calls it", () => {
  const doc = expressions();
  const { steps } = atLevel(doc, "expression").doc;
  expect(steps.map((s) => s.primitive)).toEqual(["gt", "a % 3", "select_n"]);
  expect(steps.map((s) => [s.inputs, s.outputs])).toEqual([
    [[0], [1]],
    [[0], [4]],
    [[1, 4], [6]],
  ]);
  expect(steps[1]?.sentence).toBe("3 equations: rem, lt, select_n.");
  expect(steps[1]?.scope).toBe(1);
});

test("a statement is one step, with what is used after it", () => {
  const { doc, last, shown } = atLevel(expressions(), "statement");
  expect(doc.steps.map((s) => [s.primitive, s.inputs, s.outputs, s.scope])).toEqual([["where", [0], [6], 0]]);
  expect(last).toEqual([5]);
  expect(shown).toEqual([0, 0, 0, 0, 0, 0]);
});

/** Space-time: rows of a program, whose blocks devices hold, and lines between. */
import { expect, test } from "vitest";
import type { Scope, Step, Trace, Variable } from "../../src/model/document.gen";
import { originsOf } from "../../src/model/origins";
import { linksOf, spaceTime } from "../../src/model/spacetime";
import { TraceModel } from "../../src/model/trace";
import { fitName } from "../../src/scene/measure";
import { layoutSpace, spaceMarks } from "../../src/scene/spacetime/rows";
import { StepperLayout, type StepperOptions, stepperMarks } from "../../src/scene/stepper";
import { StepView } from "../../src/scene/stepper/view";
import { raw } from "../documents";
import { programOf } from "./programs";
import { model } from "./traces";

const N = 4;

/** A ring of which every iteration passes k and v on, as often as there are devices. */
function ring(): TraceModel {
  const pairs = Array.from({ length: N }, (_, r) => [r, (r + 1) % N] as const);
  const base = programOf({ axes: { seq: N }, kind: "ppermute", over: ["seq"], shape: [1, 2], pairs });
  const [start, , hop] = base.doc.steps as readonly [Step, Step, Step];
  const block = (id: number, name: string, origin: Variable["origin"]): Variable => ({
    ...(base.variable(0) as Variable),
    id,
    name,
    origin,
  });
  const variables = [block(0, "k", null), block(1, "v", null)];
  const scopes: Scope[] = [{ kind: "function", name: "f", parent: -1, iteration: 0, times: 1, axis_types: [] }];
  const steps: Step[] = [{ ...start, inputs: [], outputs: [0, 1] }];
  for (let i = 0; i < N; i++) {
    scopes.push({ kind: "iteration", name: "scan", parent: 0, iteration: i, times: N, axis_types: [] });
    for (const first of [0, 1]) {
      const id = variables.length;
      const positions = raw(Array.from({ length: N }, (_, p) => (p + N - i - 1) % N));
      variables.push(block(id, `tmp${id}`, { variable: first, positions, axis: -1 }));
      steps.push({ ...hop, inputs: [id - 2], outputs: [id], scope: i + 1 });
    }
  }
  const doc: Trace = { ...base.doc, steps, variables, scopes };
  return new TraceModel(doc);
}

test("equal collectives are one row, iterations stand in their loop, and blocks keep whose they are", () => {
  const t = ring();
  const { rows, loops } = spaceTime(t);
  expect(rows.map((r) => [r.steps, r.iteration])).toEqual([
    [[0], -1],
    [[1, 2], 0],
    [[3, 4], 1],
    [[5, 6], 2],
    [[7, 8], 3],
  ]);
  expect(loops).toEqual([{ name: "scan", total: N, shown: N }]);
  // After hop i + 1 a device holds the block of the one so many before it; after N hops its own.
  const held = rows.map((r) => Array.from({ length: N }, (_, p) => originsOf(t, r.shown[0] as Variable, p)[0]));
  expect(held).toEqual([
    [0, 1, 2, 3],
    [3, 0, 1, 2],
    [2, 3, 0, 1],
    [1, 2, 3, 0],
    [0, 1, 2, 3],
  ]);
});

test("a loop folds to its first iteration and opens to all; names are those that blocks set out with", () => {
  const t = ring();
  const space = spaceTime(t);
  const at = (open: readonly number[]) => layoutSpace(t, space, 680, new Set(open));
  expect(at([]).rows.map((r) => r.note)).toEqual(["k, v", "i=0  k, v"]);
  expect(at([0]).rows).toHaveLength(5);
  expect(at([0]).brackets.map((b) => [b.text, b.open])).toEqual([["scan, 4 times", true]]);
  expect(at([]).height).toBeLessThan(at([0]).height);
});

test("a sum is a knot of each group, a gather a fan, a permutation its pairs", () => {
  const linked = (name: "psum" | "all_gather" | "ppermute") => {
    const t = model(name);
    const c = t.steps.find((s) => s.collective)?.collective;
    return c ? linksOf(t, c) : expect.fail("there is no collective");
  };
  expect(linked("psum")).toEqual({
    pairs: [],
    knots: [
      [0, 1],
      [2, 3],
      [4, 5],
      [6, 7],
    ],
  });
  expect(linked("all_gather").pairs).toHaveLength(2 * 4 * 3);
  expect(linked("ppermute").pairs).toEqual([
    [0, 1],
    [1, 3],
  ]);
});

test("every mark is finite and inside, from few devices to many", () => {
  const cases = [ring(), model("psum"), model("64 devices"), model("256 devices"), model("cube")];
  for (const t of cases) {
    for (const width of [440, 680, 1300]) {
      const space = spaceTime(t);
      const at = layoutSpace(t, space, width, new Set([0]));
      const marks = spaceMarks(t, new StepperLayout(t, width), at, 1, {
        scheme: "light",
        device: 1,
        tile: { row: 1, device: 0 },
      });
      expect(marks.length).toBeGreaterThan(0);
      for (const m of marks) {
        const points = m.kind === "line" ? m.points : [[m.x, m.y] as const];
        for (const [x, y] of points) {
          expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true);
          expect(x).toBeGreaterThanOrEqual(-1);
          expect(x).toBeLessThanOrEqual(width + 1);
          expect(y).toBeLessThanOrEqual(at.height);
        }
      }
    }
  }
});

test("a block keeps the colour of the device that it came from, and a step says its iteration", () => {
  const t = ring();
  const options: StepperOptions = { scheme: "light", algorithm: "meaning", device: null, still: false };
  const layout = new StepperLayout(t, 900, []);
  t.steps.forEach((step, at) => {
    const view = new StepView(t, layout, { step: at, phase: 0 }, options);
    for (const id of step.outputs) {
      const v = t.variable(id) as Variable;
      for (let p = 0; p < N; p++) {
        const start = t.variable(v.origin?.variable ?? id) as Variable;
        expect(view.color(v, p)).toEqual(view.color(start, originsOf(t, v, p)[0] ?? p));
      }
    }
    const said = at === 0 ? "" : `scan ${Math.ceil(at / 2)} of ${N}`;
    expect(t.iterations(step)).toBe(said);
    const written = stepperMarks(t, layout, { step: at, phase: 0 }, options)
      .flatMap((m) => (m.kind === "text" ? [m.spans.map((s) => s.text).join("")] : []))
      .filter((text) => text.startsWith("scan"));
    expect(written.map((text) => text.split(":")[0])).toEqual(at === 0 ? [] : [said]);
  });
  const [first, later] = [t.variable(0), t.variable(2)] as [Variable, Variable];
  const view = new StepView(t, layout, { step: 1, phase: 0 }, options);
  expect(view.color(later, 1)).not.toEqual(view.color(first, 1));
});

test("a block is named by the device that it came from, by its new name where the user gave it one", () => {
  const t = ring();
  const [first, later] = [t.variable(0), t.variable(2)] as [Variable, Variable];
  expect(t.nameOf(first, 1)).toBe("k");
  expect(t.nameOf(later, 1)).toBe("k of device 0");
  const named = { ...later, name: "b" };
  expect(t.nameOf(named, 1)).toBe("b = k of device 0");
  const cut = (letters: number) => fitName(t.nameOf(named, 1), letters * 6.02 + 1, 10, true);
  expect([17, 13, 8, 6].map(cut)).toEqual(["b = k of device 0", "k of device 0", "k of 0", "k of 0"]);
});

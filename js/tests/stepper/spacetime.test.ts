/** Space-time: rows of a program, whose blocks devices hold, and lines between. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { NOBODYS } from "../../src/core/color";
import type { Region, Scope, Step, Trace, Variable } from "../../src/core/document.gen";
import { axisToken, type Mark } from "../../src/draw/marks";
import { fitName } from "../../src/draw/measure";
import { NOT_KNOWN, originsOf, sameBlocks } from "../../src/stepper/model/origins";
import { TraceModel } from "../../src/stepper/model/trace";
import { describe } from "../../src/stepper/scene/describe";
import { blockColor } from "../../src/stepper/scene/look";
import { RULES } from "../../src/stepper/scene/rules";
import { StepperLayout, type StepperOptions, stepperMarks } from "../../src/stepper/scene/stepper";
import { stepView } from "../../src/stepper/scene/view";
import { sendersTo } from "../../src/stepper/spacetime/model/lens";
import { meetings } from "../../src/stepper/spacetime/model/meetings";
import { linksOf, spaceTime, visibleRows } from "../../src/stepper/spacetime/model/spacetime";
import { foldedAt, layoutSpace } from "../../src/stepper/spacetime/scene/layout";
import { linkMarks } from "../../src/stepper/spacetime/scene/links";
import { linksTo, spaceMarks } from "../../src/stepper/spacetime/scene/rows";
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
  expect(rows.map((r) => [r.steps, r.path[0]?.iteration ?? -1])).toEqual([
    [[0], -1],
    [[1, 2], 0],
    [[3, 4], 1],
    [[5, 6], 2],
    [[7, 8], 3],
  ]);
  expect(loops).toEqual([{ name: "scan", depth: 0, total: N, iterations: [0, 1, 2, 3] }]);
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

test("a loop folds to its first iteration and its last row, without lines between; names are those at first", () => {
  const t = ring();
  const space = spaceTime(t);
  const at = (open: readonly number[]) => layoutSpace(t, space, 680, new Set(open));
  expect(at([]).rows.map((r) => [r.note, r.leftOut])).toEqual([
    ["k, v", null],
    ["i=0  k, v", null],
    ["i=3  k, v", "⋮  2 more iterations"],
  ]);
  expect(at([0]).rows.map((r) => r.leftOut)).toEqual([null, null, null, null, null]);
  expect(at([0]).brackets.map((b) => [b.text, b.open])).toEqual([["scan, 4 times", true]]);
  expect(at([]).height).toBeLessThan(at([0]).height);
  const lines = (open: readonly number[]) =>
    marksOf(t, 680, open).filter((m) => m.kind === "line" && m.stroke.color.startsWith("#")).length;
  // A ring's last block is two lines: out at one side and in at the other.
  expect([lines([]), lines([0])]).toEqual([N + 1, N * (N + 1)]);
});

test("what follows a folded loop stands under the same blocks as under the open one", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ loop: fc.integer({ min: 1, max: 4 }), inner: fc.integer({ min: 0, max: 3 }) }), {
        minLength: 1,
        maxLength: 4,
      }),
      (program) => {
        const space = spaceTime(nestedLoops(program));
        const every = new Set(space.loops.keys());
        const open = visibleRows(space, every);
        expect(open.map(({ row }) => row)).toEqual(space.rows);
        for (const folded of [new Set<number>(), new Set([...every].filter((loop) => loop % 2 === 0))]) {
          const rows = visibleRows(space, folded);
          rows.forEach(({ row, index, leftOut }, i) => {
            const above = rows[i - 1];
            expect(space.rows[index]).toBe(row);
            // Lines come from the row above alone where that is the one before in the program.
            expect(leftOut === null).toBe(!above || above.index === index - 1);
            if (row.path.length === 0 && above) expect(above.index).toBe(index - 1);
          });
          const all = rows.reduce((count, { leftOut }) => count + (leftOut ?? 0), 0);
          expect(all).toBeLessThanOrEqual(space.rows.length);
        }
      },
    ),
  );
});

/** Loops one after another, each with a loop inside, and a hop after each. */
function nestedLoops(program: readonly { loop: number; inner: number }[]): TraceModel {
  const base = ring();
  const [start, hop] = base.doc.steps as readonly [Step, Step];
  const scopes: Scope[] = [{ kind: "function", name: "f", parent: -1, iteration: 0, times: 1, axis_types: [] }];
  const steps: Step[] = [{ ...start, outputs: [0] }];
  const variables = [base.doc.variables[0] as Variable];
  const add = (scope: number) => {
    const id = variables.push({ ...(variables[0] as Variable), id: variables.length }) - 1;
    steps.push({ ...hop, inputs: [id - 1], outputs: [id], scope });
  };
  for (const { loop, inner } of program) {
    for (let i = 0; i < loop; i++) {
      const outer = scopes.push({ ...iteration(i, loop), parent: 0 }) - 1;
      add(outer);
      for (let j = 0; j < inner; j++) add(scopes.push({ ...iteration(j, inner), parent: outer }) - 1);
    }
    add(0);
  }
  return new TraceModel({ ...base.doc, steps, variables, scopes });
}

const iteration = (i: number, times: number): Scope => ({
  ...{ kind: "iteration", name: "scan", parent: 0, iteration: i, times, axis_types: [] },
});

test("an equal loop that runs again is another one, and loops inside others stand beside them", () => {
  const t = nestedLoops([
    { loop: 2, inner: 2 },
    { loop: 2, inner: 0 },
  ]);
  const space = spaceTime(t);
  expect(space.loops.map(({ depth, iterations }) => [depth, iterations.length])).toEqual([
    [0, 2],
    [1, 2],
    [1, 2],
    [0, 2],
  ]);
  const { brackets, rows } = layoutSpace(t, space, 680, new Set(space.loops.keys()));
  expect(new Set(brackets.map(({ x }) => x)).size).toBe(2);
  expect(rows.map(({ note }) => note.split(" ")[0])).toContain("i=1");
  expect(rows.map(({ note }) => note)).toContain("i=1  j=0  k");
});

test("iterations that the trace left out have no lines from the last that it has", () => {
  const t = ring();
  const scopes = t.doc.scopes.map((scope) => (scope.iteration === 3 ? { ...scope, iteration: 19, times: 20 } : scope));
  const cut = new TraceModel({ ...t.doc, scopes });
  const { rows } = layoutSpace(cut, spaceTime(cut), 680, new Set([0]));
  expect(rows.map((r) => r.leftOut)).toEqual([null, null, null, null, "⋮  16 more iterations"]);
});

test("an iteration without a row is not left out, and counts as one that the trace has", () => {
  const t = ring();
  // The blocks of the third iteration are not sent.
  const steps = t.doc.steps.filter((step) => t.doc.scopes[step.scope]?.iteration !== 2 || step.scope === 0);
  const quiet = new TraceModel({ ...t.doc, steps });
  for (const open of [[], [0]]) {
    const { rows, brackets } = layoutSpace(quiet, spaceTime(quiet), 680, new Set(open));
    const last = rows.findLast(({ row }) => !row.again);
    expect(last?.leftOut ?? null).toBe(open.length > 0 ? null : "⋮  2 more iterations");
    expect(brackets.map(({ text }) => text)).toEqual(["scan, 4 times"]);
  }
});

test("a loop of which it is not known how often it runs says no number", () => {
  const t = ring();
  const scopes = t.doc.scopes.map((scope) => (scope.kind === "iteration" ? { ...scope, times: null } : scope));
  const open = new TraceModel({ ...t.doc, scopes });
  expect(layoutSpace(open, spaceTime(open), 680, new Set([0])).brackets.map(({ text }) => text)).toEqual(["scan"]);
});

test("a folded loop has no bracket of a loop in it whose last row alone is drawn", () => {
  const t = nestedLoops([{ loop: 3, inner: 2 }]);
  const space = spaceTime(t);
  const { brackets, rows } = layoutSpace(t, space, 680, new Set([1, 2, 3]));
  expect(rows.at(-1)?.row).toBe(space.rows.at(-1));
  expect(brackets.map(({ loop }) => loop)).toEqual([0, 1]);
  for (const { y, h } of brackets) expect(y + h).toBeLessThanOrEqual((rows.at(-1)?.y ?? 0) + (rows.at(-1)?.h ?? 0));
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
  const options: StepperOptions = { scheme: "light", algorithm: "meaning", device: null, still: false, rules: RULES };
  const layout = new StepperLayout(t, 900, []);
  t.steps.forEach((step, at) => {
    const view = stepView(layout, { step: at, phase: 0 }, options);
    for (const id of step.outputs) {
      const v = t.variable(id) as Variable;
      for (let p = 0; p < N; p++) {
        const start = t.variable(v.origin?.variable ?? id) as Variable;
        expect(blockColor(view, v, p)).toEqual(blockColor(view, start, originsOf(t, v, p)[0] ?? p));
      }
    }
    const said = at === 0 ? "" : `scan ${Math.ceil(at / 2)} of ${N}`;
    expect(t.iterations(step)).toBe(said);
    const written = stepperMarks(layout, { step: at, phase: 0 }, options)
      .flatMap((m) => (m.kind === "text" ? [m.spans.map((s) => s.text).join("")] : []))
      .filter((text) => text.startsWith("scan"));
    expect(written.map((text) => text.split(":")[0])).toEqual(at === 0 ? [] : [said]);
  });
  const [first, later] = [t.variable(0), t.variable(2)] as [Variable, Variable];
  const view = stepView(layout, { step: 1, phase: 0 }, options);
  expect(blockColor(view, later, 1)).not.toEqual(blockColor(view, first, 1));
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

/** The ring, of which every iteration computes with q and what it holds before it passes that on. */
function attention(): TraceModel {
  const { doc } = ring();
  const q = doc.variables.length;
  const block = (id: number, name: string): Variable => ({ ...(doc.variables[0] as Variable), id, name });
  const variables = [...doc.variables, block(q, "q")];
  const [start, ...hops] = doc.steps as readonly [Step, ...Step[]];
  const steps: Step[] = [{ ...start, outputs: [...start.outputs, q] }];
  hops.forEach((hop, i) => {
    if (i % 2 === 0) {
      const scores = variables.length;
      variables.push(block(scores, `tmp${scores}`));
      const inputs = [q, hop.inputs[0] ?? 0];
      steps.push({ ...hop, primitive: "dot_general", inputs, outputs: [scores], collective: null });
    }
    steps.push(hop);
  });
  return new TraceModel({ ...doc, variables, steps });
}

/** Marks at a width, as they are without a row that is looked at. */
function marksOf(t: TraceModel, width = 680, open: readonly number[] = [0]): readonly Mark[] {
  const options = { scheme: "light", device: null, tile: null } as const;
  return spaceMarks(t, new StepperLayout(t, width), layoutSpace(t, spaceTime(t), width, new Set(open)), -1, options);
}

const wordsOf = (marks: readonly Mark[]) =>
  marks.flatMap((m) => (m.kind === "text" ? [m.spans.map((s) => s.text).join("")] : []));

test("the block that stays has met one more with every row, in the order in which they came round", () => {
  const t = attention();
  const { met, rows } = spaceTime(t);
  expect([met?.name, met?.of]).toEqual(["q", "k"]);
  const counts = met?.rows.map((devices) => devices?.map((from) => [...from].sort()));
  expect(counts).toEqual([
    [[0], [1], [2], [3]],
    [
      [0, 3],
      [0, 1],
      [1, 2],
      [2, 3],
    ],
    [
      [0, 2, 3],
      [0, 1, 3],
      [0, 1, 2],
      [1, 2, 3],
    ],
    [
      [0, 1, 2, 3],
      [0, 1, 2, 3],
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ],
    [
      [0, 1, 2, 3],
      [0, 1, 2, 3],
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ],
  ]);
  expect(wordsOf(marksOf(t)).join("; ")).toContain(
    "each block of k visits every device; strip: the blocks of k that q has met",
  );
  // Nothing stays in a ring that only passes on.
  expect(meetings(ring(), rows)).toBeNull();
  expect(wordsOf(marksOf(ring())).join()).not.toContain("strip");
});

test("blocks of several devices are pieces in the colours of their origins, each with its name", () => {
  const t = gathered();
  const [, , row] = spaceTime(t).rows;
  const space = layoutSpace(t, spaceTime(t), 680, new Set());
  const marks = marksOf(t);
  const tile = space.rows.find((r) => r.row.steps.join() === row?.steps.join());
  const fills = marks.flatMap((m) =>
    m.kind === "rect" && m.fill?.startsWith("#") && tile && m.y >= tile.y && m.y < tile.y + tile.h ? [m] : [],
  );
  expect(fills).toHaveLength(N * N);
  const first = fills.slice(0, N);
  expect(new Set(first.map((m) => m.fill)).size).toBe(N);
  expect(first.map((m) => m.y)).toEqual([...first.map((m) => m.y)].sort((a, b) => a - b));
  expect(wordsOf(marks).filter((text) => / of (device )?2$/.test(text))).toHaveLength(N);
});

/** A program that gathers blocks, and says which is whose. */
function gathered(): TraceModel {
  const { doc } = programOf({ axes: { x: N }, kind: "all_gather", over: ["x"], shape: [1, 2] });
  const positions = raw(Array.from({ length: N * N }, (_, i) => i % N));
  const variables = doc.variables.map((v) => (v.id === 2 ? { ...v, origin: { variable: 1, positions, axis: 0 } } : v));
  return new TraceModel({ ...doc, variables });
}

test("a maximum is joined by its name, a sum by a plus", () => {
  const joints = (kind: string) => {
    const marks = marksOf(programOf({ axes: { x: 4 }, kind, over: ["x"], shape: [4, 2] }));
    const signs = marks.flatMap((m) => (m.kind === "disc" ? [m.sign] : []));
    return [...signs, ...wordsOf(marks).filter((text) => text === "max")];
  };
  expect(joints("psum")).toContain("+");
  expect(joints("pmax")).toContain("max");
  expect(joints("pmax")).not.toContain("+");
});

test("exchanges of both neighbours are one row, and lines have the colours of what they bring", () => {
  const t = halo();
  const { rows } = spaceTime(t);
  expect(rows.map((r) => [r.steps, r.blocks.length])).toEqual([
    [[0], 1],
    [[1, 2], 2],
  ]);
  // The lens names both neighbours.
  const hop = rows[1] as (typeof rows)[number];
  expect([0, 1].map((p) => [...sendersTo(t, hop, p)].sort())).toEqual([
    [1, 3],
    [0, 2],
  ]);
  const marks = marksOf(t);
  const pieces = marks.flatMap((m) => (m.kind === "rect" && m.fill?.startsWith("#") ? [m] : []));
  const lines = marks.flatMap((m) => (m.kind === "line" && m.stroke.color.startsWith("#") ? [m] : []));
  // What leaves a tile has its colour where it arrives.
  const [left, right] = [pieces.at(-2 * N), pieces.at(-2 * N + 1)];
  const middle = (left?.x ?? 0) + (left?.w ?? 0) / 2;
  const arriving = lines.filter((m) => Math.abs((m.points.at(-1)?.[0] ?? 0) - middle) < 1).map((m) => m.stroke.color);
  expect(arriving.sort()).toEqual([left?.fill, right?.fill].sort());
});

/** Blocks that go to both neighbours. */
function halo(): TraceModel {
  const { doc } = ring();
  const [start, hop] = doc.steps as readonly [Step, Step];
  const [u] = doc.variables as readonly [Variable];
  const to = (by: number) => raw(Array.from({ length: N }, (_, p) => (p + N + by) % N));
  const variables = [
    u,
    ...[-1, 1].map((by, i) => ({ ...u, id: i + 1, origin: { variable: 0, positions: to(by), axis: -1 } })),
  ];
  const [plan] = doc.plans;
  const back = (hop.collective?.plans ?? []).map((at) => {
    const { rounds, ...rest } = doc.plans[at] ?? (plan as NonNullable<typeof plan>);
    const turned = rounds.map((moves) => moves.map((m) => ({ ...m, pairs: m.pairs.map(([a, b]) => [b, a] as const) })));
    return { ...rest, rounds: turned };
  });
  const steps: Step[] = [
    { ...start, outputs: [0] },
    { ...hop, inputs: [0], outputs: [1], scope: 0 },
    {
      ...hop,
      inputs: [0],
      outputs: [2],
      scope: 0,
      collective: hop.collective && { ...hop.collective, plans: back.map((_, i) => doc.plans.length + i) },
    },
  ];
  return new TraceModel({ ...doc, variables, steps, plans: [...doc.plans, ...back] });
}

test("what is sent stands in the row above, again where that shows something else", () => {
  const { doc } = programOf({ axes: { x: N }, kind: "all_gather", over: ["x"], shape: [1, 2] });
  const [start, local, sum] = doc.steps as readonly [Step, Step, Step];
  // The gather sends what the program was given, after another gather of something else.
  const other: Variable = { ...(doc.variables[2] as Variable), id: 3, name: "b" };
  const again: Step = { ...sum, inputs: local.inputs, outputs: [3] };
  const steps = [
    start,
    local,
    sum,
    { ...again, collective: sum.collective && { ...sum.collective, kind: "all_to_all" } },
  ];
  const { rows } = spaceTime(new TraceModel({ ...doc, variables: [...doc.variables, other], steps }));
  expect(rows.map((r) => r.again)).toEqual([false, false, false, true, false]);
  expect(rows[3]?.shown.map((v) => v.id)).toEqual(local.inputs);
});

test("a collective over two axes is drawn in the inks of both, a link along one in the ink of that", () => {
  const inks = (kind: string, over: readonly string[]) => {
    const t = programOf({ axes: { x: 2, y: 2 }, kind, over, shape: [4, 2] });
    const lines = marksOf(t).flatMap((m) => (m.kind === "line" && m.points.length > 2 ? [m.stroke.color] : []));
    return [0, 1].map((axis) => lines.filter((color) => color === axisToken(axis)).length);
  };
  expect(inks("psum", ["x"]).map((n) => n > 0)).toEqual([true, false]);
  const [x = 0, y = 0] = inks("psum", ["x", "y"]);
  expect([x > 0, x === y]).toEqual([true, true]);
  // Of 12 links 4 are along x, 4 along y and 4 across both.
  expect(inks("all_gather", ["x", "y"])).toEqual([8, 8]);
});

/** The moment of a row whose blocks are on their way. */
function moving(t: TraceModel, width: number, step: number) {
  const space = layoutSpace(t, spaceTime(t), width, new Set([0]));
  const row = space.rows.find(({ row }) => row.steps.includes(step));
  const options = { scheme: "light", device: null, tile: null } as const;
  const links = row && linksTo(t, new StepperLayout(t, width), space, row, options);
  return links ? { space, row, links } : expect.fail("nothing moves there");
}

test("pieces ride on the ribbons of a permutation with the number of their device, and cover neither text nor each other", () => {
  for (const width of [440, 680, 934]) {
    const t = ring();
    const { space, row, links } = moving(t, width, 3);
    const above = space.rows[space.rows.indexOf(row) - 1];
    for (let k = 1; k < 40; k++) {
      const marks = linkMarks(t, links, k / 40);
      const riders = marks.filter((m) => m.kind === "rect" && m.w === 26);
      expect(riders).toHaveLength(N);
      expect(wordsOf(marks).sort()).toEqual(["0", "1", "2", "3"]);
      for (const [i, m] of riders.entries()) {
        if (m.kind !== "rect" || !above) continue;
        expect(m.y).toBeGreaterThanOrEqual(above.y + above.h);
        expect(m.y + m.h).toBeLessThanOrEqual(row.y);
        expect(m.x + m.w).toBeLessThanOrEqual(width);
        for (const other of riders.slice(0, i))
          expect(other.kind === "rect" && (Math.abs(other.x - m.x) >= m.w || Math.abs(other.y - m.y) >= m.h)).toBe(
            true,
          );
      }
    }
    expect(linkMarks(t, links, 1).some((m) => m.kind === "rect" && m.w === 26)).toBe(false);
  }
  // Copies of a gather cross: their ribbons alone show how far they are.
  const gather = programOf({ axes: { x: N }, kind: "all_gather", over: ["x"], shape: [1, 2] });
  expect(moving(gather, 680, 2).links.ridden).toBe(false);
});

test("ribbons are drawn as far as their blocks have come: into the sum first, then out of it", () => {
  const t = programOf({ axes: { x: N }, kind: "psum", over: ["x"], shape: [4, 2] });
  const { links } = moving(t, 680, 2);
  const cores = (time: number) =>
    linkMarks(t, links, time).filter((m) => m.kind === "line" && m.stroke.color.startsWith("#")).length;
  expect([cores(0), cores(0.3), cores(0.7), cores(1)]).toEqual([0, N, 2 * N, 2 * N]);
});

test("tiles are joined where their blocks are equal, and only there", () => {
  const signs = (t: TraceModel) =>
    marksOf(t, 934).flatMap((m) => (m.kind === "disc" && m.sign === "=" ? [m.color] : []));
  const equal = (kind: string, over: readonly string[]) =>
    signs(programOf({ axes: { x: 2, y: 4 }, kind, over, shape: [8, 2] }));
  expect(equal("psum", ["y"])).toEqual(Array(6).fill(axisToken(1)));
  expect(equal("psum", ["x", "y"])).toHaveLength(7);
  expect(equal("psum", ["x"])).toEqual([]);
  expect(equal("reduce_scatter", ["y"])).toEqual([]);
  // Its pieces come from the same devices, and are different ones.
  expect(equal("all_to_all", ["y"])).toEqual([]);
  expect(equal("all_gather", ["y"])).toHaveLength(6);
});

test("without tracked types, results of a sum and what is computed from them alone are known to be equal", () => {
  const t = programOf({ axes: { x: 2, y: 2 }, kind: "psum", over: ["y"], shape: [4, 2] });
  const sum = t.steps.findIndex((s) => s.collective);
  const [result = 0] = t.steps[sum]?.outputs ?? [];
  const v = t.variable(result) as Variable;
  const more = (id: number): Variable => ({ ...v, id, varying: ["x", "y"], window: null });
  const n = t.doc.variables.length;
  const local = { ...(t.steps[sum] as Step), collective: null, elementwise: true };
  const steps: Step[] = [
    ...t.steps.slice(0, sum + 1),
    { ...local, primitive: "mul", inputs: [result], outputs: [n] },
    { ...local, primitive: "add", inputs: [result, 0], outputs: [n + 1] },
  ];
  const variables = [...t.doc.variables.map((w) => (w.id === result ? more(w.id) : w)), more(n), more(n + 1)];
  const regions = t.doc.regions.map((r) => ({ ...r, check_vma: false }));
  const other = new TraceModel({ ...t.doc, steps, variables, regions });
  const axes = [result, n, n + 1].map((id) => other.colorAxes(other.variable(id) as Variable));
  expect(axes).toEqual([[0], [0], [0, 1]]);
});

test("without tracked types, an argument has one colour over the axes that its spec does not divide it over", () => {
  const { doc } = programOf({ axes: { x: 2, y: 2 }, kind: "psum", over: ["y"], shape: [4, 2] });
  const specs = ["P()", "P('x', None)", "P(None, 'y')", "P(('x', 'y'),)", "P(unreduced={'x'})"];
  const n = specs.length;
  const [begin, local] = doc.steps as readonly [Step, Step];
  const [v] = doc.variables as readonly [Variable];
  // The arguments, what is made of the first alone, and of the first two.
  const variables = Array.from(
    { length: n + 2 },
    (_, id): Variable => ({ ...v, id, varying: ["x", "y"], window: null }),
  );
  const steps: Step[] = [
    { ...begin, outputs: specs.map((_, i) => i) },
    { ...local, primitive: "mul", inputs: [0], outputs: [n], elementwise: true },
    { ...local, primitive: "add", inputs: [0, 1], outputs: [n + 1], elementwise: true },
  ];
  const traced = (region: Partial<Region>) => {
    const regions = doc.regions.map((r) => ({ ...r, in_specs: specs, check_vma: false, ...region }));
    return new TraceModel({ ...doc, steps, variables, regions: [...regions, ...doc.regions] });
  };
  const axes = (t: TraceModel) => variables.map((w) => t.colorAxes(w));
  const t = traced({});
  expect(axes(t)).toEqual([[], [0], [1], [0, 1], [0], [], [0]]);
  // Devices along y have the same of the second argument; all have the same of the first.
  expect([1, 2].map((p) => [0, 1].map((id) => sameBlocks(t, t.variable(id) as Variable, 0, p)))).toEqual([
    [true, true],
    [true, false],
  ]);
  // An axis that is not Manual says nothing; nor does a region inside another.
  expect(axes(traced({ manual: ["y"] }))[0]).toEqual([0]);
  expect(axes(traced({ parent: 1 }))).toEqual(variables.map(() => [0, 1]));
});

/** The ring, with the end of its loop: it hands k and v on, to a step that reads them or to none. */
function ended(t: TraceModel, read: boolean): TraceModel {
  const { doc } = t;
  const n = doc.variables.length;
  const [start] = doc.steps as readonly [Step];
  const last = doc.steps.flatMap((s) => (t.communicates(s) ? s.outputs : [])).slice(-2);
  const variables = [...doc.variables, ...last.map((id, k) => ({ ...(t.variable(id) as Variable), id: n + k }))];
  const end: Step = { ...start, primitive: "scan", inputs: last, outputs: [n, n + 1], scope: 0 };
  const reader: Step = { ...start, primitive: "out_specs", inputs: [n], outputs: [], scope: 0 };
  return new TraceModel({ ...doc, variables, steps: [...doc.steps, end, ...(read ? [reader] : [])] });
}

test("a last hop that only brings blocks home is told apart from one whose blocks are read", () => {
  const sent = ring().steps[1]?.collective?.bytes_per_device ?? 0;
  expect(spaceTime(ended(ring(), false)).home).toEqual({ hop: N, bytes: 2 * sent, total: 2 * N * sent });
  expect(spaceTime(ended(ring(), true)).home).toBeNull();
  // A loop that ends before the blocks are home needs its last hop.
  const { doc } = ring();
  const shorter = new TraceModel({ ...doc, steps: doc.steps.slice(0, -2), scopes: doc.scopes.slice(0, -1) });
  expect(spaceTime(ended(shorter, false)).home).toBeNull();
  const words = wordsOf(marksOf(ended(attention(), false), 934)).join("; ");
  expect(words).toContain(`After ${N} iterations each q has met all k. Hop ${N} only brings the blocks home`);
});

test("of iterations that were not recorded it is not said what has been met in them", () => {
  const { doc } = attention();
  const at = (iteration: number, i: number) => (i === iteration ? 20 + i : i);
  const cut = (from: number) =>
    spaceTime(
      new TraceModel({
        ...doc,
        scopes: doc.scopes.map((s) => ({ ...s, iteration: at(from, s.iteration), times: 30 })),
      }),
    ).met;
  expect(cut(3)?.complete).toBe(0);
  expect(cut(3)?.rows.map((row) => row !== null)).toEqual([true, true, true, true, true]);
  expect(cut(2)?.rows.map((row) => row !== null)).toEqual([true, true, false, true, true]);
  expect(spaceTime(attention()).met?.complete).toBe(N);
});

test("a device that does not execute a step has met nothing in it", () => {
  const { doc } = attention();
  const steps = doc.steps.map((s) => (s.primitive === "dot_general" ? { ...s, active: raw([0, 2]) } : s));
  const { met } = spaceTime(new TraceModel({ ...doc, steps }));
  expect(met?.rows.at(-1)?.map(({ size }) => size)).toEqual([N, 0, N, 0]);
  expect(met?.complete).toBe(0);
});

test("while folded iterations run, their line says which one it is", () => {
  const t = ring();
  const space = spaceTime(t);
  const folded = layoutSpace(t, space, 680, new Set());
  const at = (step: number) => foldedAt(t, space, folded, step)?.text ?? null;
  expect(t.steps.map((_, step) => at(step))).toEqual([
    null,
    null,
    null,
    "scan 2 of 4",
    "scan 2 of 4",
    "scan 3 of 4",
    "scan 3 of 4",
    null,
    null,
  ]);
  const open = layoutSpace(t, space, 680, new Set([0]));
  expect(t.steps.every((_, step) => foldedAt(t, space, open, step) === null)).toBe(true);
  const options = { scheme: "light", device: null, tile: null, folded: foldedAt(t, space, folded, 5) } as const;
  const words = wordsOf(spaceMarks(t, new StepperLayout(t, 680), folded, -1, options));
  expect(words).toContain("⋮  2 more iterations: now scan 3 of 4");
});

/** The ring, where it is not known whose blocks its iterations pass on. */
function ringOfUnknown(): TraceModel {
  const { doc } = ring();
  const unknown = { variable: 0, positions: raw(Array(N).fill(NOT_KNOWN)), axis: -1 };
  const variables = doc.variables.map((v) => (v.id < 2 ? v : { ...v, origin: unknown }));
  return new TraceModel({ ...doc, variables });
}

test("in the stepper, a block of which it is not known whose it is is grey, and its name tells no device", () => {
  const t = ringOfUnknown();
  const layout = new StepperLayout(t, 900, []);
  for (const scheme of ["light", "dark", "light-safe", "dark-safe"] as const) {
    const options: StepperOptions = { scheme, algorithm: "meaning", device: null, still: false };
    const view = stepView(layout, { step: 3, phase: 1 }, options);
    for (let p = 0; p < N; p++) {
      const [input, output] = [view.input, view.output] as readonly [Variable, Variable];
      for (const v of [input, output]) expect(blockColor(view, v, p)).toEqual(NOBODYS);
      expect(blockColor(view, t.variable(0) as Variable, p)).not.toEqual(NOBODYS);
      const shown = describe(view, { device: p, slot: 0, cell: null });
      expect(shown?.color).toEqual(NOBODYS);
      expect(shown?.text.name).toBe(input.name);
    }
    expect(wordsOf(stepperMarks(layout, { step: 3, phase: 1 }, options)).join()).not.toContain("of device");
  }
});

test("a block of which it is not known whose it is has no colour, and says so", () => {
  const t = ringOfUnknown();
  const words = wordsOf(marksOf(t, 934));
  expect(words.filter((word) => word === "not known")).toHaveLength(N * N);
  expect(words.some((word) => word.includes("zeros"))).toBe(false);
  const fills = marksOf(t).filter((m) => m.kind === "rect" && m.fill?.startsWith("#"));
  expect(fills).toHaveLength(2 * N);
  // Nor is it anybody's colour on the way.
  const colors = new Set(fills.map((m) => m.kind === "rect" && m.fill));
  const layout = new StepperLayout(t, 680);
  const space = layoutSpace(t, spaceTime(t), 680, new Set([0]));
  const links = linksTo(t, layout, space, space.rows[2] as never, { scheme: "light", device: null });
  expect(links?.ribbons.some(({ core }) => colors.has(core))).toBe(false);
});

/** The picture of a step at any moment: finite, inside its layout, as high at every step; what tiles and lanes say. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ALGORITHMS } from "../../src/collective/model/algorithm";
import { overlap } from "../../src/draw/beside";
import type { Box, Mark, TextMark } from "../../src/draw/marks";
import { TraceModel } from "../../src/stepper/model/trace";
import { blockMarks } from "../../src/stepper/scene/block";
import { stepScene } from "../../src/stepper/scene/card";
import { TAG } from "../../src/stepper/scene/cells";
import { sizeOf } from "../../src/stepper/scene/contents";
import { describe } from "../../src/stepper/scene/describe";
import { drawnOf } from "../../src/stepper/scene/drawn";
import { worked } from "../../src/stepper/scene/explain";
import { hitAt, litMarks } from "../../src/stepper/scene/hit";
import { routesOf } from "../../src/stepper/scene/routes";
import { frameMarks, frameOf, StepperLayout, type StepperOptions, stepperMarks } from "../../src/stepper/scene/stepper";
import { tileMarks } from "../../src/stepper/scene/tiles";
import { type StepView, stepView } from "../../src/stepper/scene/view";
import { wholeMarks } from "../../src/stepper/scene/whole";
import { extent } from "../array/cases";
import { programOf } from "./programs";
import { RULES } from "./rules";
import { model, stepOf, TRACES, type TraceName } from "./traces";

const OPTIONS: StepperOptions = { scheme: "light", algorithm: "meaning", device: null, rules: RULES, still: false };
const MODELS = new Map(TRACES.map((name) => [name, model(name)]));
const modelOf = (name: TraceName) => MODELS.get(name) as TraceModel;

interface Case {
  name: TraceName;
  step: number;
  phase: number;
  width: number;
  /** Names of watched variables. */
  watch: readonly string[];
  options: StepperOptions;
}

const cases: fc.Arbitrary<Case> = fc
  .record({
    name: fc.constantFrom(...TRACES),
    step: fc.nat(),
    phase: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
    width: fc.integer({ min: 264, max: 1400 }),
    algorithm: fc.constantFrom(...ALGORITHMS),
    watch: fc.array(fc.nat(), { maxLength: 2 }),
    device: fc.option(fc.nat()),
    still: fc.boolean(),
    scheme: fc.constantFrom("light" as const, "dark" as const),
  })
  .map(({ name, step, phase, width, algorithm, watch, device, still, scheme }) => {
    const t = modelOf(name);
    const names = [...new Set(watch.map((id) => t.doc.variables[id % t.doc.variables.length]?.name ?? ""))];
    return {
      name,
      step: step % t.steps.length,
      phase,
      width,
      watch: names,
      options: { scheme, algorithm, device: device === null ? null : device % t.mesh.size, still },
    };
  });

function each(check: (view: StepView, marks: Mark[], c: Case) => void, numRuns = 200): void {
  fc.assert(
    fc.property(cases, (c) => {
      const t = modelOf(c.name);
      const view = stepView(new StepperLayout(t, c.width, c.watch), c, c.options);
      check(view, frameMarks(frameOf(view)), c);
    }),
    { numRuns },
  );
}

test("every number of a mark is finite, every length is not negative, and nothing is far outside", () =>
  each(({ layout, trace, stage }, marks) => {
    for (const mark of marks) {
      for (const [key, value] of Object.entries(mark)) {
        const numbers = key === "points" ? (value as number[][]).flat() : typeof value === "number" ? [value] : [];
        if (!numbers.every(Number.isFinite)) expect.fail(`${key} of ${JSON.stringify(mark)}`);
        if (["w", "h", "r"].includes(key) && value < 0) expect.fail(`${key} of ${JSON.stringify(mark)}`);
      }
      if (mark.kind === "text")
        for (const { text } of mark.spans) expect(text).not.toMatch(/NaN|undefined|null|Infinity/);
      const { x, y, w, h } = extent(mark);
      const out = Math.max(-x, -y, layout.width >= 420 ? x + w - layout.width : 0, y + h - layout.height);
      if (out > 12)
        expect.fail(
          `${trace.doc.name} ${stage.motion}: ${out} px outside ${layout.width} × ${layout.height}: ${JSON.stringify(mark)}`,
        );
    }
  }));

test("tiles do not overlap, and the middle of a tile is its device", () =>
  each((view) => {
    const boxes = [...view.seats];
    for (const [i, [p, a]] of boxes.entries()) {
      expect(hitAt(view, a.x + a.w / 2, a.y + a.h / 2)?.device).toBe(p);
      for (const [, b] of boxes.slice(i + 1)) {
        const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
        if (!apart) expect.fail(`${JSON.stringify(a)} and ${JSON.stringify(b)} overlap`);
      }
    }
  }, 120));

test("blocks stand in their tiles, apart from one another, at the same places at every moment", () =>
  each((view, _, c) => {
    const later = stepView(view.layout, { step: c.step, phase: 1 - c.phase }, c.options);
    expect(later.stage).toBe(view.stage);
    for (const tile of view.stage.tiles) {
      const inside = (b: Box) =>
        b.x >= tile.box.x &&
        b.y >= tile.box.y &&
        b.x + b.w <= tile.box.x + tile.box.w + 0.5 &&
        b.y + b.h <= tile.box.y + tile.box.h + 0.5;
      for (const [i, { box: a }] of tile.places.entries()) {
        expect(inside(a)).toBe(true);
        for (const { box: b } of tile.places.slice(i + 1))
          expect(a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y).toBe(true);
      }
    }
  }, 120));

test("a picture is as high at every step, with every algorithm and device", () => {
  for (const name of TRACES) {
    const t = modelOf(name);
    for (const width of [456, 676, 701, 1200]) {
      const layout = new StepperLayout(t, width);
      t.steps.forEach((_, at) => {
        for (const algorithm of ALGORITHMS)
          for (const device of [null, 0, t.mesh.size - 1])
            expect(
              layout.setting(at, algorithm, device, RULES).stage.height,
              `${name} ${at} ${algorithm} ${width}`,
            ).toBeLessThanOrEqual(layout.height);
      });
    }
  }
});

function viewOf(name: TraceName, primitive: string, phase: number, rest: Partial<StepperOptions> = {}, width = 860) {
  const t = modelOf(name);
  return stepView(new StepperLayout(t, width), { step: stepOf(t, primitive), phase }, { ...OPTIONS, ...rest });
}

function textsOf(marks: readonly Mark[]): string[] {
  const texts = marks.filter((m): m is TextMark => m.kind === "text");
  return texts.map((m) => m.spans.map((s) => s.text).join(""));
}

const all = (view: StepView) => textsOf(frameMarks(frameOf(view))).join("\n");

test.each([
  ["psum", "psum_invariant", "s"],
  ["all_gather", "all_gather", "g"],
  ["reduce_scatter", "reduce_scatter", "s"],
  ["all_to_all", "all_to_all", "t"],
  ["ppermute", "ppermute", "p"],
] as const)("at the end of %s nothing is on its way, and tiles hold what JAX returned", (name, primitive, result) => {
  for (const algorithm of ALGORITHMS) {
    const view = viewOf(name, primitive, 1, { algorithm });
    expect(frameOf(view).flights).toEqual([]);
    const shown = drawnOf(view).filter((d) => d.v.name === result);
    expect(new Set(shown.map((d) => d.device))).toEqual(new Set(view.stage.tiles.flatMap((t) => t.members)));
    for (const { device, v, face } of shown) {
      const after = view.stage.holds.length > 0;
      const tile = (after ? view.stage.holds : view.stage.tiles).find((t) => t.members[0] === device);
      const corner = view.trace.corner(v);
      const texts = tile ? textsOf(tileMarks(view, tile, after)) : [];
      for (const element of face.elements)
        if (element >= 0) expect(texts).toContain(corner?.elements.text(corner.start(device) + element));
    }
  }
});

test("terms are added one after another, in the slots, the result and the line at once", () => {
  const t = programOf({ axes: { x: 4, y: 2 }, kind: "psum", over: ["x"], shape: [1, 4] });
  const layout = new StepperLayout(t, 700);
  const at = (ms: number) => stepView(layout, { step: 2, phase: ms / 1500 }, { ...OPTIONS, device: 1 });
  const line = (ms: number) => {
    const words = textsOf(frameOf(at(ms)).under);
    return words.slice(words.findIndex((w) => w.startsWith("a[0,1] on device 1")));
  };
  // 600 ms of flight, three beats of 200 ms: a term counts from the middle of its beat.
  expect(at(375).flow).toMatchObject({ added: 1, current: null, finished: false });
  expect(at(900).flow).toMatchObject({ added: 3, current: 2 });
  // Every term is followed by its sender.
  expect(line(375).slice(0, 5)).toEqual(["a[0,1] on device 1", " = ", "5", "1", " + "]);
  expect(line(375)).not.toContain("13");
  expect(line(900).join(" ")).toMatch(/5 1 {2}\+ {2}13 3 {2}\+ {2}21 5 {2}\+ {2}… 7 {2}= {2}39 so far/);
  expect(line(1490).join(" ")).toMatch(/29 7 {2}= {2}68/);
  expect(at(699).flow.added).toBe(1);
  expect(at(701).flow.added).toBe(2);
});

test("what is not a sum has its name between terms, and never a plus", () => {
  for (const axes of [{ x: 4, y: 2 }, { x: 2, y: 4 }, { x: 8 }] as const) {
    for (const [kind, sign] of [
      ["pmax", "max"],
      ["pmin", "min"],
      ["psum", "+"],
    ] as const) {
      const t = programOf({ axes, kind, over: ["x"], shape: [2, 2] });
      for (const width of [360, 934]) {
        const layout = new StepperLayout(t, width, []);
        const marks = stepperMarks(layout, { step: 2, phase: 0.5 }, OPTIONS);
        const signs = marks.flatMap((m) => (m.kind === "disc" && m.sign === "+" ? ["+"] : []));
        const words = marks.flatMap((m) => (m.kind === "text" && m.spans[0]?.text === sign ? [sign] : []));
        expect(new Set([...signs, ...words])).toEqual(new Set([sign]));
      }
    }
  }
});

test("with reduced motion copies are where they leave or where they arrive", () => {
  const moving = (phase: number) => frameOf(viewOf("psum", "psum_invariant", phase, { still: true })).flights;
  for (const phase of [0, 0.2, 0.4, 0.5, 0.7]) expect(moving(phase)).toEqual([]);
  const picture = (phase: number) => all(viewOf("psum", "psum_invariant", phase, { still: true }));
  expect(picture(0.1)).toBe(picture(0.3));
  expect(picture(0.1)).not.toBe(picture(1));
});

test("a sum on its way round the ring has the numbers of those that it came by", () => {
  // Chunk c of a ring of four starts at rank c + 1: after two hops it holds the parts of three ranks.
  const view = viewOf("reduce_scatter", "reduce_scatter", 0.75, { algorithm: "ring" });
  expect(view.flow.round).toBe(2);
  const { flights } = frameOf(view);
  // x is 0 … 15 in rows of four: column c without row c.
  const expected = [0, 1, 2, 3].map((source) => {
    const chunk = (source + 1) % 4;
    return String([0, 1, 2, 3].filter((r) => r !== chunk).reduce((sum, r) => sum + 4 * r + chunk, 0));
  });
  expect(flights.map((f) => textsOf(f.marks)[0])).toEqual(expected);
});

test("until a permuted block arrives it is in view whose it is", () => {
  const square = (m: Mark) => m.kind === "rect" && m.w === TAG.w && m.h === TAG.h;
  for (const axes of [{ x: 4 }, { x: 8 }, { x: 2, y: 4 }] as const) {
    const over = Object.keys(axes).slice(-1);
    const n = Object.values(axes).at(-1) ?? 0;
    const pairs = Array.from({ length: n }, (_, r) => [r, (r + 1) % n] as const);
    const layout = new StepperLayout(programOf({ axes, kind: "ppermute", over, pairs, shape: [2, 2] }), 934, []);
    let seen = 0;
    for (let phase = 0.3; phase < 0.9; phase += 0.01) {
      const view = stepView(layout, { step: 2, phase }, OPTIONS);
      const tags = frameOf(view).flights.flatMap(({ marks }) => marks.filter(square)) as Box[];
      if (view.flow.progress < 0.5) continue;
      for (const tag of tags) for (const { box } of view.stage.holds) expect(overlap(tag, box)).toBe(0);
      seen += tags.length;
    }
    expect(seen).toBeGreaterThan(0);
  }
});

test("where nobody sends zeros stand, and what goes nowhere has a cross", () => {
  const view = viewOf("ppermute", "ppermute", 1);
  expect(all(view)).toContain("no sender:");
  expect(all(view)).toContain("Nobody sends to devices 0, 2, so JAX fills in zeros. Nothing is sent by devices 2, 3.");
  expect(frameOf(viewOf("ppermute", "ppermute", 0.3)).flights.map((f) => [f.source, f.destination])).toEqual([
    [0, 1],
    [1, 3],
  ]);
});

test("each place that waits says which hop fills it", () => {
  const view = viewOf("all_gather", "all_gather", 0.15, { algorithm: "ring" });
  const first = view.stage.tiles.find((t) => t.members[0] === 0);
  if (!first) return expect.fail("device 0 has no tile");
  // Device 0 is given chunk 3 first, then 2, then 1.
  expect(textsOf(tileMarks(view, first)).slice(-3)).toEqual(["3", "2", "▾"]);
});

test("copies of one lane keep their order, and lanes are as few as that takes", () => {
  const permutation = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(permutation, (to) => {
      const round = to.map((destination, source) => ({
        source,
        destination,
        chunks: [0],
        origin: 0,
        op: "copy" as const,
      }));
      const routes = routesOf(round, (r) => r);
      expect(routes).toHaveLength(round.filter((t) => t.source !== t.destination).length);
      for (const [i, a] of routes.entries())
        for (const b of routes.slice(i + 1))
          if (a.lane === b.lane) expect(Math.sign(a.from - b.from)).toBe(Math.sign(a.to - b.to));
    }),
  );
  const shift = Array.from({ length: 8 }, (_, r) => ({
    source: r,
    destination: (r + 1) % 8,
    chunks: [0],
    origin: 0,
    op: "copy" as const,
  }));
  expect(Math.max(...routesOf(shift, (r) => r).map((r) => r.lane))).toBe(1);
});

test("past sixteen members the middle is one row, which flies as one block, already added", () => {
  const t = programOf({ axes: { x: 64 }, kind: "psum", over: ["x"], shape: [1, 4] });
  const view = stepView(new StepperLayout(t, 676), { step: 2, phase: 0.2 }, OPTIONS);
  expect(view.stage.lanes.map((l) => l.members.length)).toEqual([1, 1, 1, 1, 1, 1, 57, 1]);
  const sum = Array.from({ length: 57 }, (_, i) => 4 * (i + 6) + 1).reduce((a, b) => a + b, 0);
  expect(all(view)).toContain(String(sum));
  // A picked device has a row of its own.
  const picked = stepView(view.layout, { step: 2, phase: 0.2 }, { ...OPTIONS, device: 40 });
  expect(picked.stage.lanes.map((l) => l.members[0])).toContain(40);
  expect(picked.receiver).toBe(40);
});

test("what is pointed at is lit on every device that holds the same", () => {
  const view = viewOf("psum", "psum_invariant", 1);
  const [device, box] = [...view.seats][0] ?? [0, { x: 0, y: 0, w: 0, h: 0 }];
  const at = drawnOf(view).find((d) => d.device === device)?.box ?? box;
  const hit = hitAt(view, at.x + 3, at.y + 3);
  expect(hit).toEqual({ device, slot: 1, cell: 0, box: at });
  // Its block, that of the device beside it, the result under the terms, and the element.
  expect(hit && litMarks(view, hit)).toHaveLength(4);
});

test("a value of any rank is drawn in rows and columns; a long row is wrapped", () => {
  expect([[], [3], [24], [17], [2, 3, 4]].map(sizeOf)).toEqual([
    [1, 1],
    [1, 3],
    [3, 8],
    [1, 17],
    [6, 4],
  ]);
});

test("on a dark ground a partial sum has light numbers on faint stripes", () => {
  const look = { rows: 1, columns: 2, text: () => "1", size: 11, fill: [1, 2, 3] as const, hatch: "dim" as const };
  const marks = blockMarks({ x: 0, y: 0, w: 40, h: 20 }, look);
  expect(marks.find((m) => m.kind === "rect" && m.hatch)).toMatchObject({ alpha: 0.45 });
  expect(marks.find((m) => m.kind === "text")).toMatchObject({ color: "ink" });
});

test("a picture without a page has the title, the types and the step", () => {
  const t = modelOf("psum");
  const scene = stepScene(t, { step: stepOf(t, "psum_invariant"), phase: 1 }, { width: 900, scheme: "light" });
  expect(textsOf(scene.marks).slice(0, 2)).toEqual(["3/4   psum y", "p f32[2,4]{V:(x,y)}   →   s f32[2,4]{V:x}"]);
  expect(stepperMarks(new StepperLayout(t, 868), { step: 99, phase: 0 }, OPTIONS)).toEqual([]);
});

test("an element is worked out in words: of the group that is looked at, at the cell that is pointed at", () => {
  const t = modelOf("psum");
  const step = stepOf(t, "psum_invariant");
  const at = (options: Partial<StepperOptions>) =>
    stepView(new StepperLayout(t, 860), { step, phase: 1 }, { ...OPTIONS, ...options });
  const input = t.variable(t.steps[step]?.inputs[0] ?? -1);
  const corner = input && t.corner(input);
  for (const [device, cell, group] of [
    [null, null, [0, 1]],
    [0, null, [0, 1]],
    [5, 6, [4, 5]],
  ] as const) {
    const view = at({ device, lit: cell === null ? null : { device: device ?? 0, slot: 1, cell } });
    const element = cell ?? 1;
    const parts = group.map((p) => corner?.elements.number(corner.start(p) + element) ?? 0);
    const sum = parts.reduce((a, b) => a + b, 0);
    const place = `s[${Math.floor(element / 4)},${element % 4}] on device ${device ?? 0}`;
    expect(worked(view)).toBe(
      `${place}: ${parts.join(" + ")} = ${sum}; from 2 elements on devices ${group.join(", ")}.`,
    );
  }
});

test("nothing is said of where elements came from before the rules are loaded", () => {
  const t = modelOf("psum");
  const lit = { device: 0, slot: 1, cell: 1 };
  const options = { ...OPTIONS, rules: null, lit };
  const view = stepView(new StepperLayout(t, 860), { step: stepOf(t, "psum_invariant"), phase: 1 }, options);
  expect(describe(view, lit)?.from).toBe("");
  // With the rules: the block on both devices, its cell, and those that it was made of.
  const known = stepView(view.layout, view.moment, { ...options, rules: RULES });
  expect(frameOf(known).over.length).toBeGreaterThan(frameOf(view).over.length + 4);
});

test("greatest and least elements are worked out, too; other steps, and sums over dimensions, are not", () => {
  const t = modelOf("oddities");
  const said = t.steps.map((_, step) =>
    worked(stepView(new StepperLayout(t, 860), { step, phase: 1 }, { ...OPTIONS, device: 0 })),
  );
  expect(said[stepOf(t, "pmax")]).toMatch(/^most\[0,1\] on device 0: max\(.*\) = \S+; from 4 elements/);
  expect(said[stepOf(t, "pmin")]).toMatch(/^least on device 0: min\(276, 852, 1428, 2004\) = 276; from 4 elements/);
  const silent = ["in_specs", "reduce_sum", "mul", "transpose"];
  for (const primitive of silent) expect(said[stepOf(t, primitive)]).toBe("");
});

test("an array of which it is not known how in_specs cuts it is not drawn", () => {
  const known = modelOf("psum");
  const unknown = new TraceModel({ ...known.doc, regions: known.doc.regions.map((r) => ({ ...r, in_specs: [] })) });
  const marks = (t: TraceModel) => wholeMarks(stepView(new StepperLayout(t, 860), { step: 0, phase: 1 }, OPTIONS));
  expect(textsOf(marks(known))).toEqual(expect.arrayContaining(["a", "b", "each block on 4 devices"]));
  expect(marks(unknown)).toEqual([]);
});

/** Groups of a collective: over several axes, all at once, copies of one block. */

import { expect, test } from "vitest";
import type { Algorithm } from "../../src/collective/model/algorithm";
import { deviceBox } from "../../src/draw/grid";
import type { Mark } from "../../src/draw/marks";
import { caption } from "../../src/stepper/model/caption";
import { TraceModel } from "../../src/stepper/model/trace";
import { hitAt } from "../../src/stepper/scene/hit";
import { frameOf, StepperLayout } from "../../src/stepper/scene/stepper";
import { type StepView, stepView } from "../../src/stepper/scene/view";
import { layoutOf } from "../../src/stepper/sizes";
import { type Program, programOf } from "./programs";
import { RULES } from "./rules";
import { model, stepOf } from "./traces";

const PSUM: Program = { axes: { x: 4, y: 2 }, kind: "psum", over: ["x"], shape: [1, 4] };

function viewOf(
  program: Program,
  width: number,
  phase = 0.2,
  device: number | null = null,
  algorithm: Algorithm = "meaning",
): StepView {
  const trace = programOf(program);
  const options = { scheme: "light", algorithm, device, rules: RULES, still: false } as const;
  return stepView(new StepperLayout(trace, width), { step: 2, phase }, options);
}

const written = (marks: readonly Mark[]) =>
  marks.flatMap((m) => (m.kind === "text" ? [m.spans.map((s) => s.text).join("")] : []));
const inks = (marks: readonly Mark[]) =>
  new Set(marks.flatMap((m) => (m.kind === "rect" && m.stroke?.width === 2 ? [m.stroke.color] : [])));

test("a group over two axes has rails of both, and a copy the ink of the axis that it crosses", () => {
  const view = viewOf({ ...PSUM, over: ["x", "y"] }, 685);
  const words = written([...view.stage.rails, ...view.stage.fixed]);
  expect(words.filter((w) => w.startsWith("x="))).toEqual(["x=0", "x=1", "x=2", "x=3"]);
  expect(words.filter((w) => w.startsWith("y="))).toEqual(Array.from({ length: 4 }, () => ["y=0", "y=1"]).flat());
  const { flights } = frameOf(view);
  const ink = Object.fromEntries(flights.map((f) => [f.source, [...inks(f.marks)]]));
  expect(ink[1]).toEqual(["axis1"]);
  expect(ink[2]).toEqual(["axis0"]);
  expect(flights).toHaveLength(7);
});

test("where there is room all groups hold their additions, and which one is looked at moves nothing", () => {
  const narrow = viewOf(PSUM, 650);
  expect([narrow.stage.open, frameOf(narrow).flights.length]).toEqual([false, 3]);
  const views = [null, 0, 1, 7].map((device) => viewOf(PSUM, 860, 0.2, device));
  for (const view of views) {
    const { flights, under } = frameOf(view);
    expect(view.stage.open).toBe(true);
    expect(flights).toHaveLength(6);
    expect(written(under).filter((w) => w.startsWith("on device"))).toHaveLength(2);
    expect(view.stage.tiles.map((t) => t.box)).toEqual(views[0]?.stage.tiles.map((t) => t.box));
  }
  // Of a device that is looked at, the others of its rank receive as well.
  const [, , , last] = views;
  const heads = written(frameOf(last as StepView).under).filter((w) => w.startsWith("on device"));
  expect(heads.map((w) => w.slice(0, 11))).toEqual(["on device 6", "on device 7"]);
});

test("groups that are rows hold their additions too, where there is room; else a title goes from one to the next", () => {
  const rows: Program = { ...PSUM, axes: { x: 2, y: 4 }, over: ["y"], shape: [2, 4] };
  for (const device of [null, 0, 7]) {
    const view = viewOf(rows, 1000, 0.2, device);
    const { flights, under } = frameOf(view);
    expect([view.stage.run, view.stage.open, view.stage.pager, flights.length]).toEqual(["across", true, null, 6]);
    expect(written(under).filter((w) => w.startsWith("a on device"))).toHaveLength(2);
  }
  const tall = viewOf({ ...rows, axes: { x: 8, y: 2 } }, 1000);
  expect([tall.stage.run, tall.stage.open, frameOf(tall).flights.length]).toEqual(["across", false, 1]);
  expect(written([...tall.stage.rails, ...tall.stage.fixed])).toContain("group 1 of 8, x=0");
  expect(tall.stage.pager).toBeGreaterThan(Math.max(...tall.stage.tiles.map((t) => t.box.x + t.box.w)));
});

test("groups that are rows keep all their columns where the sum fits under its terms", () => {
  const rows: Program = { ...PSUM, axes: { x: 2, y: 4 }, over: ["y"], shape: [2, 4] };
  for (const device of [null, 3]) {
    const view = viewOf(rows, 661, 0.9, device);
    const { tiles, result, lanes, run, face } = view.stage;
    expect([run, tiles.length, face?.columns, face?.rows]).toEqual(["across", 8, 4, 2]);
    const slot = lanes[0]?.slot;
    expect(result?.box.x).toBe(slot?.x);
    expect(result?.box.y).toBeGreaterThan((slot?.y ?? 0) + (slot?.h ?? 0));
    expect(Math.max(...tiles.map(({ box }) => box.x + box.w))).toBeLessThanOrEqual(661);
    expect(view.stage.height).toBeLessThanOrEqual(view.layout.height);
    expect(written(frameOf(view).under)).toContain(`a on device ${device ?? 0}`);
  }
});

test("in a narrow picture the other groups stand in small over the one that is drawn, and a press goes to them", () => {
  const program: Program = { axes: { x: 4, y: 4 }, kind: "psum", over: ["x"], shape: [1, 4] };
  for (const algorithm of ["meaning", "ring"] as const) {
    const view = viewOf(program, 456, 0.2, null, algorithm);
    const { map, tiles, pager, height } = view.stage;
    if (!map || pager === null) return expect.fail("there is no map");
    expect(tiles.map((t) => t.members[0])).toEqual([0, 4, 8, 12]);
    expect(map.box.h).toBeLessThanOrEqual(56);
    expect(Math.min(...tiles.map(({ box }) => box.y))).toBeGreaterThan(map.box.y + map.box.h);
    expect(written([...view.stage.rails, ...view.stage.fixed])).toContain("group 1 of 4, y=0");
    expect(height).toBeLessThanOrEqual(view.layout.height);
    const other = deviceBox(view.trace.mesh, map, 5);
    const hit = hitAt(view, other.x + other.w / 2, other.y + other.h / 2);
    expect(hit).toEqual({ device: 5, slot: null, cell: null });
    expect(viewOf(program, 456, 0.2, 5, algorithm).stage.group).toEqual([1, 5, 9, 13]);
  }
  // A mesh that fits is drawn itself.
  expect(viewOf({ ...program, axes: { x: 2, y: 2 } }, 456).stage.map).toBeNull();
});

test("wide blocks of a local step stand in lines of their own before a device is left out", () => {
  const value = (p: number, i: number) => 1.234567e8 * (p + 1) + 1e6 * i;
  const program: Program = { ...PSUM, axes: { x: 2, y: 4 }, shape: [2, 4], dtype: "float32", value };
  const { doc } = programOf(program);
  const steps = doc.steps
    .slice(0, 2)
    .map((step) => (step.primitive === "add" ? { ...step, inputs: [0, 2], outputs: [1] } : step));
  const names = ["left_operand", "made_of_both", "right_operand"];
  const variables = doc.variables.map((v, i) => ({ ...v, name: names[i] ?? v.name }));
  const trace = new TraceModel({ ...doc, steps, variables });
  const options = { scheme: "light", algorithm: "meaning", device: null, rules: RULES, still: false } as const;
  const view = stepView(new StepperLayout(trace, 685), { step: 1, phase: 1 }, options);
  const { tiles } = view.stage;
  expect(tiles).toHaveLength(8);
  expect(new Set(tiles[0]?.places.map(({ box }) => box.x)).size).toBe(1);
  // Names give way, what the numbers are multiples of does not.
  const words = written(frameOf(view).over).filter((w) => w.startsWith("lef") || w.startsWith("mad"));
  // Of the result: what it was made of has no room beside it.
  expect(words).toHaveLength(8);
  for (const word of words) expect(word).toMatch(/ ×10[⁸⁹]$/);
});

test("one of four rings is large among the others in a card of 700 px, and all are in a picture of 1115 px", () => {
  const program: Program = { axes: { x: 4, y: 4 }, kind: "psum", over: ["x"], shape: [1, 4] };
  const shown = (width: number) => {
    const { tiles, small, map, bare } = viewOf(program, width, 0.2, null, "ring").stage;
    return [tiles.length, small.length, map, bare];
  };
  expect(shown(676)).toEqual([4, 3, null, false]);
  expect(shown(1115)).toEqual([16, 0, null, false]);
});

test("a hop of a ring says what it adds to an element, in full or in short", () => {
  const program: Program = { axes: { x: 4, y: 4 }, kind: "psum", over: ["x"], shape: [1, 4] };
  const line = (width: number, phase: number) =>
    written(frameOf(viewOf(program, width, phase, null, "ring")).under).find((w) => w.startsWith("Hop"));
  // Column 0 starts at rank 1; device p holds 4p at first.
  expect(line(1115, 0.4)).toBe(
    "Hop 3 of 6, reduce-scatter: a[0,0] = 16 + 32 + 48 = 96 in flight, device 12 to 0; there 96 + 0 = 96.",
  );
  expect(line(456, 0.4)).toBe("Hop 3 of 6: a[0,0], 12 to 0: 96 + 0 = 96.");
  expect(line(1115, 0.5)).toBe("Hop 4 of 6, all-gather: each device passes on what it has.");
});

test("a group over three axes has a rail of each, the outer ones beside those that they hold", () => {
  const { stage } = viewOf({ ...PSUM, axes: { x: 2, y: 2, tensor: 2 }, over: ["x", "y", "tensor"] }, 685);
  const words = written([...stage.rails, ...stage.fixed]);
  const of = (axis: string) => words.filter((w) => w.startsWith(`${axis}=`)).length;
  expect([of("x"), of("y"), of("tensor")]).toEqual([2, 4, 8]);
  const folded = viewOf({ ...PSUM, axes: { x: 8, y: 4 }, over: ["x", "y"] }, 685);
  expect(written([...folded.stage.rails, ...folded.stage.fixed])).toEqual(expect.arrayContaining(["x", "…"]));
});

test("a part of a sum marks the worked element only where it is kept", () => {
  for (const algorithm of ["meaning", "ring", "halving-doubling"] as const) {
    const trace = programOf({ axes: { x: 8 }, kind: "reduce_scatter", over: ["x"], shape: [1, 8] });
    const options = { scheme: "light", algorithm, device: null, rules: RULES, still: false } as const;
    const view = stepView(new StepperLayout(trace, 902), { step: 2, phase: 0.99 }, options);
    const outlined = frameOf(view).over.filter((m) => m.kind === "rect" && m.stroke?.width === 2);
    expect(outlined).toHaveLength(1);
  }
});

test("what leaves a row of a permutation and what arrives in it are lines of their own", () => {
  const pairs = Array.from({ length: 8 }, (_, r) => [r, (r + 1) % 8] as const);
  const view = viewOf({ axes: { x: 8 }, kind: "ppermute", over: ["x"], shape: [1, 2], pairs }, 902, 0);
  const ways = frameOf(view).under.flatMap((m) => (m.kind === "line" && m.points.length === 4 ? [m.points] : []));
  const [left, arrived] = [ways.map((w) => w[0]?.[1]), ways.map((w) => w[3]?.[1])];
  expect(ways).toHaveLength(8);
  expect(left.filter((y) => arrived.includes(y))).toEqual([]);
});

test("a copy of several chunks carries them in their order, with numbers where there is room", () => {
  const trace = programOf({ axes: { x: 8 }, kind: "reduce_scatter", over: ["x"], shape: [1, 8] });
  const carried = (width: number) => {
    const options = {
      scheme: "light",
      algorithm: "halving-doubling",
      device: null,
      rules: RULES,
      still: false,
    } as const;
    const view = stepView(new StepperLayout(trace, width), { step: 2, phase: 0.1 }, options);
    const tiles = written(frameOf(view).over).length;
    const one = frameOf(view).flights.find((f) => f.source === 1);
    return { numbers: written(one?.marks ?? []), tiles };
  };
  expect(carried(902).numbers).toEqual(["12", "13", "14", "15", "1"]);
  // Where there is none for all, tiles keep theirs.
  expect(carried(456).numbers).toEqual(["12", "+3", "1"]);
  expect(carried(456).tiles).toBe(carried(902).tiles);
});

test("the sum names its device, then its terms, whole in a narrow card", () => {
  const real = (p: number, i: number) => (p + 0.25 * i) / 7;
  const view = (width: number) => viewOf({ ...PSUM, value: real, dtype: "float32" }, width, 0.99);
  const line = (v: StepView) => written(frameOf(v).under.filter((m) => m.kind === "text" && m.y === v.stage.line.y));
  expect(line(view(860))).toContain("a[0,1] on device 0");
  expect(line(view(330))).toContain("a[0,1]");
  expect(line(view(330)).filter((w) => w === " + ")).toHaveLength(3);
  expect(line(view(330))).not.toContain("…");
});

test("names of a local step stay in their tiles", () => {
  for (const width of [448, 658, 902]) {
    for (const name of ["psum", "reduce_scatter"] as const) {
      const trace = model(name);
      const layout = new StepperLayout(trace, width);
      trace.steps.forEach((_, step) => {
        const options = { scheme: "light", algorithm: "meaning", device: null, rules: RULES, still: false } as const;
        const { stage } = stepView(layout, { step, phase: 1 }, options);
        for (const { box, places } of stage.tiles)
          for (const { box: block, room } of places) expect(block.x + room).toBeLessThanOrEqual(box.x + box.w);
      });
    }
  }
});

test("a block that several devices hold says how many, and along which axes", () => {
  const trace = model("psum");
  const options = { scheme: "light", algorithm: "meaning", device: null, rules: RULES, still: false } as const;
  const step = stepOf(trace, "out_specs");
  const said = (layout: StepperLayout) => {
    const view = stepView(layout, { step, phase: 1 }, options);
    return written(frameOf(view).over).filter((word) => /^out ×2 y$/.test(word)).length;
  };
  // In every tile that has room over its block; else once, over the first tile.
  expect(said(new StepperLayout(trace, 860))).toBe(8);
  expect(said(layoutOf(trace, 934, []))).toBe(1);
});

test("of a ragged exchange every copy has the rows that its sender sends to the receiver", () => {
  const view = viewOf({ axes: { x: 4 }, kind: "ragged_all_to_all", over: ["x"], shape: [4] }, 902, 0.3, 2);
  const { flights } = frameOf(view);
  // Rank r sends (r + k) % 2 rows to rank k: to rank 2 the odd ranks send their second row, the others nothing.
  const carried = flights.map((f) => [f.source, written(f.marks)]);
  expect(carried).toEqual([
    [1, ["5", "1"]],
    [3, ["13", "3"]],
  ]);
  // Nobody is named who sends nothing.
  expect(caption(view)[0]).toBe("Device 2 takes the rows that are sent to it, and its own.");
});

test("what a device sends has its tag clear of the signs and inside the frame of its group", () => {
  const trace = model("psum of four");
  const options = { scheme: "light", algorithm: "meaning", device: null, rules: RULES, still: false } as const;
  for (const width of [661, 685, 788]) {
    const layout = new StepperLayout(trace, width);
    const { lanes, frames } = stepView(layout, { step: stepOf(trace, "psum_invariant"), phase: 0 }, options).stage;
    const left = Math.min(...frames.map(({ box }) => box.x));
    expect(lanes).toHaveLength(4);
    for (const { tag } of lanes) {
      expect(tag.x, `at ${width}`).toBeGreaterThanOrEqual(left);
      for (const { sign } of lanes) {
        if (!sign) continue;
        const [dx, dy] = [Math.abs(sign[0] - tag.x - tag.w / 2), Math.abs(sign[1] - tag.y - tag.h / 2)];
        expect(dx >= tag.w / 2 + 8 || dy >= tag.h / 2 + 8, `at ${width}`).toBe(true);
      }
    }
  }
});

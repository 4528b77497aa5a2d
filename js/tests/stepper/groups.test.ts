/** Groups of a collective: over several axes, all at once, copies of one block. */
import { expect, test } from "vitest";
import type { Mark } from "../../src/scene/scene";
import { frameOf, StepperLayout } from "../../src/scene/stepper";
import { StepView } from "../../src/scene/stepper/view";
import { type Program, programOf } from "./programs";
import { model, stepOf } from "./traces";

const PSUM: Program = { axes: { x: 4, y: 2 }, kind: "psum", over: ["x"], shape: [1, 4] };

function viewOf(program: Program, width: number, phase = 0.2, device: number | null = null): StepView {
  const trace = programOf(program);
  const options = { scheme: "light", algorithm: "meaning", device, still: false } as const;
  return new StepView(trace, new StepperLayout(trace, width), { step: 2, phase }, options);
}

const written = (marks: readonly Mark[]) =>
  marks.flatMap((m) => (m.kind === "text" ? [m.spans.map((s) => s.text).join("")] : []));
const inks = (marks: readonly Mark[]) =>
  new Set(marks.flatMap((m) => (m.kind === "rect" && m.stroke?.width === 2 ? [m.stroke.color] : [])));

test("a group over two axes has rails of both, and a copy the ink of the axis that it crosses", () => {
  const view = viewOf({ ...PSUM, over: ["x", "y"] }, 685);
  const words = written(view.stage.fixed);
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

test("a block that several devices hold says how many, and along which axes", () => {
  const trace = model("psum");
  const options = { scheme: "light", algorithm: "meaning", device: null, still: false } as const;
  const step = stepOf(trace, "out_specs");
  const view = new StepView(trace, new StepperLayout(trace, 860), { step, phase: 1 }, options);
  const words = written(frameOf(view).over);
  expect(words.filter((w) => /^s ×2 y$/.test(w))).toHaveLength(trace.mesh.size);
});

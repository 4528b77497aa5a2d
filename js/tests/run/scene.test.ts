/** Bars of lanes: where events are, what merges, what never gets lost. */
import { expect, test } from "vitest";
import type { BarsMark, Mark, StrokesMark } from "../../src/draw/marks";
import { RunModel } from "../../src/run/model/run";
import { laneBars } from "../../src/run/scene/bars";
import { laneAt, layoutOf, MOST_LANES, tickAt, xOf } from "../../src/run/scene/layout";
import { cursorMarks, lanesMarks, stepOf } from "../../src/run/scene/run";
import { raw } from "../documents";
import { large, model } from "./runs";

const step = model("step");
const layout = layoutOf(step, 1000);
const span = { from: 0, to: step.ticks(0) };

const bars = (marks: readonly Mark[], color: string) =>
  marks.filter((m): m is BarsMark => m.kind === "bars" && m.color === color && m.alpha === undefined);
/** x and width of each bar of a mark. */
const boxes = (m: BarsMark) =>
  Array.from({ length: m.boxes.length / 4 }, (_, i) => [m.x + (m.boxes[4 * i] ?? 0), m.boxes[4 * i + 2] ?? 0] as const);

test("a bar stands where its event is", () => {
  const marks = lanesMarks(step, layout, 0, span, -1);
  const first = bars(marks, "k0").find((m) => m.y === layout.places[0]?.y) as BarsMark;
  const [x, w] = boxes(first)[0] ?? [0, 0];
  expect(x).toBeCloseTo(xOf(layout, span, 0));
  expect(x + w).toBeCloseTo(xOf(layout, span, 100_000) - 0.8);
});

test("waiting has lines of its own, and the collective begins behind it", () => {
  const marks = lanesMarks(step, layout, 0, span, -1);
  const y = layout.places[0]?.y;
  const waits = marks.filter((m): m is StrokesMark => m.kind === "strokes" && m.y === y);
  expect(waits.map((m) => m.color)).toContain("axis1");
  const [x] = boxes(bars(marks, "axis1").find((m) => m.y === y) as BarsMark)[0] ?? [0];
  expect(x).toBeCloseTo(xOf(layout, span, 163_000));
});

test("an axis but the first has cuts in its bars", () => {
  const cuts = bars(lanesMarks(step, layout, 0, { from: 160_000, to: 210_000 }, -1), "bg");
  expect(cuts.some((m) => m.boxes.length > 8)).toBe(true);
});

test("many events cost no more marks than pixels, and cover what they cover", () => {
  const run = large(8, 20_000);
  const place = layoutOf(run, 1000);
  const whole = { from: 0, to: run.ticks(0) };
  const marks = lanesMarks(run, place, 0, whole, -1);
  const drawn = marks.reduce((n, m) => n + (m.kind === "bars" ? m.boxes.length / 4 : 1), 0);
  expect(drawn).toBeLessThan(8 * 3 * place.span);
  // A twentieth of a percent of it is drawn event by event.
  const near = lanesMarks(run, place, 0, { from: 1e6, to: 1.01e6 }, -1);
  const found = bars(near, "axis1").filter((m) => m.y === place.places[0]?.y);
  expect(found.flatMap(boxes).length).toBe(5);
});

test("names of events that lie over one another stand apart, on what is seen of each", () => {
  const [first] = step.lanes;
  if (!first) throw new Error("no lanes");
  // One event from 0 to 100 ms, others in its middle and near its end.
  const lane = {
    ...first,
    bounds: [0, 3],
    operation: Int32Array.of(0, 0, 0),
    start: Int32Array.of(0, 45_000, 80_000),
    end: Float64Array.of(100_000, 55_000, 95_000),
    waited: new Int32Array(3),
    reach: Float64Array.of(100_000, 100_000, 100_000),
  };
  const place = { ...layout, y: 0 };
  const { labels } = laneBars(step, lane, 0, { from: 0, to: 100_000 }, place, -1);
  const at = labels.map((m) => ((m.kind === "text" ? m.x : 0) - place.left) / place.span).sort();
  expect(at.map((x) => Math.round(100 * x) / 100)).toEqual([0.5, 0.67, 0.88]);
});

test("what is not selected fades", () => {
  const faded = lanesMarks(step, layout, 0, span, 1).filter((m) => m.kind === "bars" && m.alpha !== undefined);
  expect(new Set(faded.map((m) => "color" in m && m.color))).toEqual(new Set(["k0", "axis1"]));
});

test("a place and a moment are found again", () => {
  for (const tick of [0, 1234, 500_000]) expect(tickAt(layout, span, xOf(layout, span, tick))).toBeCloseTo(tick);
  for (const { lane, y } of layout.places) expect(laneAt(layout, y + 3)).toBe(lane);
});

test("of many devices those that behave alike are one lane, and the one most waited for has its own", () => {
  const many = layoutOf(model("many"), 1000);
  expect(many.places.map((p) => [p.lane, p.alike])).toEqual([
    [0, 63],
    [37, 1],
  ]);
  expect([many.omitted, many.folded]).toEqual([62, true]);
  const texts = lanesMarks(model("many"), many, 0, { from: 0, to: 1e5 }, -1).flatMap((m) =>
    m.kind === "text" ? m.spans.map((s) => s.text) : [],
  );
  expect(texts).toContain("0 × 63");
  expect(texts).toContain("37");
});

test("of many that all behave otherwise, some are drawn, and the one most waited for", () => {
  const { doc } = model("many");
  const none = raw(Array.from({ length: 40 }, () => 0));
  const lanes = doc.lanes.map((lane, k) => {
    const operation = raw(Array.from({ length: 40 }, (_, e) => (e < k ? 0 : 1)));
    return { ...lane, operation, waited: none };
  });
  const unlike = layoutOf(new RunModel({ ...doc, lanes }), 1000);
  expect([unlike.places.length, unlike.omitted, unlike.folded]).toEqual([MOST_LANES, 64 - MOST_LANES, false]);
  expect(unlike.places.map((p) => p.lane)).toContain(37);
});

test("steps of an axis are round", () => {
  expect([0.9, 1, 1.1, 3, 7, 40].map(stepOf)).toEqual([1, 1, 2, 5, 10, 50]);
});

test.each([1100, 700, 480, 300])("nothing stands outside of its picture, %i px", (width) => {
  for (const name of ["step", "many", "hostile", "alone"] as const) {
    const run = model(name);
    const at = layoutOf(run, width);
    const marks = [
      ...lanesMarks(run, at, 0, { from: 0, to: run.ticks(0) }, -1),
      ...cursorMarks(run, at, 0, { from: 0, to: run.ticks(0) }, { tick: 0, lane: 0 }),
    ];
    for (const m of marks) {
      if (m.kind === "bars") for (const [x, w] of boxes(m)) expect(x >= 0 && x + w <= width + 1).toBe(true);
      else if ("w" in m) expect(m.x >= 0 && m.x + m.w <= width + 0.5 && m.y + m.h <= at.height + 1).toBe(true);
    }
  }
});

test("loops are brackets over their stretch, with their iterations, and lanes make room for them", () => {
  const texts = (width: number, at = span) =>
    lanesMarks(step, layoutOf(step, width), 0, at, -1)
      .flatMap((m) => (m.kind === "text" ? m.spans.map((s) => s.text) : []))
      .filter((text) => /loop|×/.test(text));
  expect(step.loops(0).map((loop) => loop.starts)).toEqual([[0, 300_000, 600_000]]);
  expect(texts(1000)).toEqual(["loop, 3 iterations"]);
  expect(texts(1000, { from: 1_000_000, to: 1_040_000 })).toEqual([]);
  expect(layout.loops).toBeGreaterThan(0);
  expect(layoutOf(model("many"), 1000).loops).toBe(0);
});

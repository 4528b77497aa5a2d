/** The chart of memory: where steps stand, what is drawn of many, what never gets lost. */
import { expect, test } from "vitest";
import type { BarsMark, Mark } from "../../../src/draw/marks";
import { memoryScene } from "../../../src/program/memory/scene/card";
import { boundsOf, chartMarks, columnsOf, cursorMarks } from "../../../src/program/memory/scene/chart";
import { layoutOf, stepAt, xOf } from "../../../src/program/memory/scene/layout";
import { lineMarks } from "../../../src/program/memory/scene/lines";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../../golden";
import { large, MEMORIES, model } from "./memories";

const bars = (marks: readonly Mark[]) => marks.filter((m): m is BarsMark => m.kind === "bars");
const texts = (marks: readonly Mark[]) => marks.flatMap((m) => (m.kind === "text" ? m.spans.map((s) => s.text) : []));

test.each(SCHEMES)("training, %s", async (scheme) => {
  await expectSceneInGallery(
    memoryScene(model("tight"), { width: 1100, scheme }),
    "train_step",
    "program-memory",
    scheme,
  );
});

test.each(MEMORIES)("%s: nothing stands outside of its picture, at any width", (name) => {
  expectInsideAtAnyWidth((width) => memoryScene(model(name), { width, scheme: "light" }));
});

test("a step and its place are found again", () => {
  for (const width of [448, 668, 868, 1300]) {
    const layout = layoutOf(120, width);
    for (const step of [0, 1, 60, 119]) expect(stepAt(layout, xOf(layout, step) + 0.01)).toBe(step);
  }
});

test("the stack is as high as what is alive, in every column", () => {
  const m = model("training");
  const layout = layoutOf(m.steps, 868);
  const bounds = boundsOf(m, null);
  const heights = new Float64Array(Math.round(layout.span));
  for (const { boxes } of bars(chartMarks(m, layout, bounds, "light"))) {
    for (let i = 0; i < boxes.length; i += 4) {
      const [x, w, h] = [boxes[i] ?? 0, boxes[i + 2] ?? 0, boxes[i + 3] ?? 0];
      for (let c = x; c < x + w; c++) heights[c] = (heights[c] ?? 0) + h;
    }
  }
  const peak = Math.round(xOf(layout, m.peak) - layout.left) + 1;
  expect(heights[peak]).toBeCloseTo((layout.plot * m.peakBytes) / bounds.most);
  expect(Math.max(...heights)).toBeCloseTo(heights[peak] ?? 0);
});

test("a limit far above is not drawn, one that is near or passed is", () => {
  const m = model("training");
  expect(boundsOf(m, 16 * 2 ** 30).drawn).toBe(false);
  const tight = boundsOf(m, 192 * 2 ** 20);
  expect(tight.drawn).toBe(true);
  const layout = layoutOf(m.steps, 868);
  const limits = chartMarks(m, layout, tight, "light").filter((k) => k.kind === "line" && k.stroke.color === "error");
  expect(limits).toHaveLength(1);
  expect(texts(chartMarks(m, layout, tight, "light"))).toContain("192 MiB of the device");
});

test("loops are named once, under their brackets", () => {
  const m = model("training");
  const said = texts(chartMarks(m, layoutOf(m.steps, 868), boundsOf(m, null), "light"));
  expect(said.filter((t) => t.startsWith("scan"))).toEqual(["scan, backward, 12 times", "scan, 12 times"]);
});

test("many steps cost no more marks than pixels, and the peak stays", () => {
  const m = large(20_000);
  const layout = layoutOf(m.steps, 868);
  const columns = columnsOf(m, layout);
  expect(columns).toContain(m.peak);
  const drawn = bars(chartMarks(m, layout, boundsOf(m, null), "light")).reduce((n, b) => n + b.boxes.length / 4, 0);
  expect(drawn).toBeLessThan(2 * layout.span);
  expect(bars(lineMarks(m, m.lines, layout)).reduce((n, b) => n + b.boxes.length / 4, 0)).toBeLessThan(layout.span);
});

test("collectives have the ink of their axis", () => {
  const m = model("training");
  const colors = bars(chartMarks(m, layoutOf(m.steps, 868), boundsOf(m, null), "light")).map((b) => b.color);
  expect(colors).toEqual(expect.arrayContaining(["axis0", "axis1", "k0"]));
});

test("the cursor stands in the middle of its step", () => {
  const layout = layoutOf(120, 868);
  const [mark] = cursorMarks(layout, 30, null, null).slice(-1);
  const middle = (xOf(layout, 30) + xOf(layout, 31)) / 2;
  expect(mark?.kind === "line" && mark.points[0]?.[0]).toBeCloseTo(middle);
});

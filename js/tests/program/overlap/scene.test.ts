/** The overlap of a program: lines, lanes, what is found at a place, the roofline. */
import { expect, test } from "vitest";
import type { Mark } from "../../../src/draw/marks";
import { OverlapModel, type Row, sentenceOf } from "../../../src/program/overlap/model/overlap";
import { overlapScene } from "../../../src/program/overlap/scene/card";
import { ceilingMarks } from "../../../src/program/overlap/scene/ceilings";
import { rooflineMarks } from "../../../src/program/overlap/scene/roofline";
import { rowAt, spanOf, tableMarks, tableOf } from "../../../src/program/overlap/scene/table";
import { chosenMarks, timeMarks, timeOf, transferAt } from "../../../src/program/overlap/scene/time";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../../golden";
import { measured, model, OVERLAPS } from "./overlaps";

const texts = (marks: readonly Mark[]) =>
  marks.flatMap((m) => (m.kind === "text" ? m.spans.map((s) => s.text).join("") : []));

test.each(SCHEMES)("training, %s", async (scheme) => {
  await expectSceneInGallery(overlapScene(model("training"), { width: 1100 }), "train_step", "program-overlap", scheme);
});

test.each(OVERLAPS)("%s: nothing stands outside of its picture, at any width", (name) => {
  expectInsideAtAnyWidth((width) => overlapScene(model(name), { width }));
});

test("a measured run stands beside the estimate, in the bars and in each line", () => {
  const m = measured("training");
  expectInsideAtAnyWidth((width) => overlapScene(m, { width }));
  expect(texts(ceilingMarks(m, 1100))).toContain("measured");
  expect(texts(ceilingMarks(model("training"), 1100))).not.toContain("measured");
  const table = texts(tableMarks(tableOf(m, 1100, m.rows), -1));
  expect(table.filter((text) => text === "measured")).toHaveLength(m.rows.length);
  expect(sentenceOf(m, m.rows[0] as Row)).toMatch(/ Measured: 22 ms, 22 ms of it with nothing computed\.$/);
});

test("what is exposed adds up, and is one row a line, axis and pass", () => {
  const m = model("training");
  expect(m.rows.reduce((sum, row) => sum + row.exposed, 0)).toBeCloseTo(m.doc.exposed, 12);
  expect(m.rows.map((row) => [row.kind, row.axes.join(), row.backward])).toEqual([
    ["all-reduce", "model", false],
    ["all-reduce", "model", true],
    ["reduce-scatter", "data,model", false],
    ["collective-permute", "", false],
    ["all-gather", "data", false],
  ]);
  expect(m.lanes).toEqual(["data", "model", ""]);
  expect(m.rows.slice(0, 2).map((row) => sentenceOf(m, row))).toEqual([
    "all-reduce over model, line 22 · ×12: takes 11 ms, all of it exposed; XLA runs it at once, and nothing beside it.",
    "all-reduce over model, line 21 · backward · ×12: takes 11 ms, 8 ms exposed; beside it: nothing, it is needed at once.",
  ]);
});

test("three times of a call, on one scale", () => {
  const said = texts(ceilingMarks(model("training"), 934));
  expect(said).toEqual(expect.arrayContaining(["60 ms", "45 ms", "39 ms", "1.33× faster", "1.54× faster"]));
});

test("a transfer is found where it is drawn, in each lane that it takes", () => {
  const m = model("training");
  const time = timeOf(m, 934);
  for (const transfer of m.doc.transfers.keys())
    for (const mark of chosenMarks(time, [transfer]))
      if (mark.kind === "rect") expect(transferAt(time, mark.x + mark.w / 2, mark.y + 3)).toBe(transfer);
  expect(chosenMarks(time, [2])).toHaveLength(2);
  expect(texts(timeMarks(time))).toContain("loop, line 20: 12 turns drawn as one");
});

test("a row is found at its height", () => {
  const m = model("training");
  for (const width of [934, 700, 480]) {
    const table = tableOf(m, width, m.rows);
    for (const k of m.rows.keys()) expect(rowAt(table, spanOf(table, k)[0] + 1)).toBe(k);
    expect(rowAt(table, 3)).toBeNull();
  }
});

test("the roofline has both ridges, and only lines with products", () => {
  const m = model("training");
  const marks = rooflineMarks(m, 934);
  expect(texts(marks)).toEqual(expect.arrayContaining(["memory 243", "a link 2189"]));
  expect(marks.filter((k) => k.kind === "rect")).toHaveLength(2);
});

test("a time is written alike in the sentence, the table and on the axis, whatever is below it", () => {
  const { doc } = model("training");
  const [first, ...others] = doc.transfers;
  if (!first) throw new Error("it has a transfer");
  const scaled = [{ ...first, seconds: 1.49e-3, exposed: 1.49e-3 }].concat(
    others.map((other, k) => ({ ...other, seconds: 186e-6 + k * 1e-6, exposed: 186e-6 + k * 1e-6 })),
  );
  const m = new OverlapModel({ ...doc, compute: 2.1e-3, exposed: 2e-3, transfers: scaled });
  expect(m.rows.length).toBeGreaterThan(2);
  const written = texts(tableMarks(tableOf(m, 1100, m.rows), -1)).join(" ");
  for (const row of m.rows) {
    const [, takes] = / takes ([\d.]+ ms), /.exec(sentenceOf(m, row)) ?? [];
    expect(written).toContain(takes);
  }
  expect(written).toContain("1.49 ms");
  const axis = texts(timeMarks(timeOf(m, 1100))).filter((text) => /^[\d.]+ [µm]s$/.test(text));
  expect(axis).toEqual(axis.filter((text) => text.endsWith(" ms")));
  expect(axis.length).toBeGreaterThan(2);
});

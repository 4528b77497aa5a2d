/** Differences: rows, orders, totals, words; where bars are. */
import { expect, test } from "vitest";
import { sentenceOf } from "../../src/diff/model/diff";
import { decodeDiff } from "../../src/diff/model/kinds";
import { noteOf, statusOf } from "../../src/diff/model/steps";
import { stepScene } from "../../src/diff/scene/steps";
import { rowAt, tableScene } from "../../src/diff/scene/table";
import { tracesScene } from "../../src/diff/scene/traces";
import type { Mark } from "../../src/draw/marks";
import { diff, traces, wire } from "./diffs";

test("the greatest difference comes first, in the order that is asked for", () => {
  const changes = diff("training").rows.map((row) => Math.abs((row.after?.size ?? 0) - (row.before?.size ?? 0)));
  expect(changes).toEqual([...changes].sort((a, b) => b - a));
  const lines = diff("training", "line").rows.map(({ lines: [a, b] }) => (b ?? a)?.line ?? 0);
  expect(lines).toEqual([...lines].sort((a, b) => a - b));
  expect(diff("training", "bytes").heads.difference).toBe("sent a call");
});

test("totals are the sums of their parts", () => {
  for (const order of ["time", "bytes"] as const) {
    const { totals, rows, same } = diff("training", order);
    const sums = (["before", "after"] as const).map((which) =>
      [...rows, ...same].reduce((n, row) => n + (row[which]?.size ?? 0), 0),
    );
    const parts = totals[0]?.sides.map((side) => side.parts.reduce((n, part) => n + part.size, 0)) ?? [];
    for (const [k, part] of parts.entries()) expect(part).toBeCloseTo(sums[k] ?? 0, 9);
  }
});

test("a row says what it is, where it was, how it changed", () => {
  const { rows, sides, mesh } = diff("training");
  const said = rows.map((row) => sentenceOf(row, sides, mesh));
  expect(said[0]).toMatch(/^(added|gone|changed): [a-z-]+ over (data|model), /);
  expect(said.join("\n")).toContain("line 24, was 22");
  expect(said.find((one) => one.startsWith("gone"))).toMatch(/, after none$/);
});

test("bars of both sides begin at one line, on one scale", () => {
  const { rows, ...rest } = diff("training");
  const { marks } = tableScene({ ...rest, rows }, rows, 934, -1);
  const rects = marks.filter((m): m is Extract<Mark, { kind: "rect" }> => m.kind === "rect");
  const middle = rects.find((m) => m.w === 1.4);
  const at = (middle?.x ?? 0) + 0.7;
  for (const bar of rects.filter((m) => m.h === 14 && m.w > 5))
    expect(Math.min(Math.abs(bar.x - at), Math.abs(bar.x + bar.w - at))).toBeLessThan(0.01);
  const row = rows.find(({ before, after }) => before && after);
  const wide = rects.filter((m) => m.h === 14).map((m) => m.w);
  expect(
    wide.some((a) => wide.some((b) => Math.abs(a / b - (row?.after?.size ?? 0) / (row?.before?.size ?? 1)) < 0.01)),
  ).toBe(true);
});

test("a click finds its row, in wide and narrow cards", () => {
  const shown = diff("lowered");
  for (const width of [934, 480]) {
    const table = tableScene(shown, shown.rows, width, -1);
    const top = table.height - table.rows.length * table.line;
    expect(rowAt(table, top + 1.5 * table.line)).toBe(shown.rows[1]?.index);
    if (top > 0) expect(rowAt(table, 3)).toBeNull();
  }
});

test("of a comparison each thing that differs is a row; a type that follows its sharding is not said twice", () => {
  const things = diff("comparison").rows.map((row) => [row.index, row.name, row.before?.text, row.after?.text]);
  expect(things).toContainEqual([0, "error", "ShardingTypeError: Contracting dimensions are sharded", "runs"]);
  expect(things).toContainEqual([0, "collectives", "none", "all-gather over model"]);
  expect(things).toContainEqual([1, "sharding", "f32[512@model]", "f32[512]"]);
  expect(things.filter(([index]) => index === 2)).toEqual([[2, "sharding", undefined, "f32[512@model]"]]);
});

test("two searches: figures known in the same way, the greatest difference first, by time or by memory", () => {
  const apart = (of: ReturnType<typeof diff>) =>
    of.rows
      .filter((row) => row.before && row.after)
      .map((row) => Math.abs((row.after?.size ?? 0) - (row.before?.size ?? 0)));
  for (const order of ["time", "bytes"] as const)
    expect(apart(diff("searches", order))).toEqual(apart(diff("searches", order)).sort((a, b) => b - a));
  const { rows, sameText, verdict } = diff("searches");
  expect(rows.map(({ change }) => change)).toEqual(["changed", "changed", "changed", "added", "gone"]);
  expect(rows[2]?.why).toContain("Compiled before alone: 180 ms, 2.75 GiB.");
  expect(rows[1]?.why[0]).toBe("A step is 1.55× faster.");
  expect(sameText).toMatch(/^8 unchanged candidates; 1 faster, 1 slower/);
  expect(verdict).toContain("1.09× faster than FSDP 16 was");
});

test("a document without rows is damaged", () => {
  expect(() => decodeDiff({ ...wire("training"), rows: undefined })).toThrow("it has no rows");
  expect(() => decodeDiff({ kind: "program", version: 1 })).toThrow("this page draws");
});

test("cells that differ are framed, solid in mine and dashed in the reference", () => {
  const doc = traces();
  const step = doc.steps[doc.first];
  if (!step) throw new Error("no step");
  const { marks } = stepScene({ ...step, counterpart: "theirs" }, doc.mesh, 934, "light");
  const named = marks.flatMap((m) => (m.kind === "text" ? m.spans : [])).map(({ text }) => text);
  expect(named).toEqual(expect.arrayContaining([step.name, "theirs"]));
  // In the ink of the page: that of a block's digits is not seen on a dark one.
  const frames = marks.filter((m) => m.kind === "rect" && m.stroke?.width === 2 && m.stroke.color === "ink");
  const dashed = frames.filter((m) => m.kind === "rect" && m.stroke?.dash);
  const parted = step.cells.reduce((n, { parted }) => n + parted.length, 0);
  expect([frames.length, dashed.length]).toEqual([2 * parted, parted]);
  // Copies, and a rail on each side.
  expect(marks.filter((m) => m.kind === "line" && m.arrow).length).toBe(8 + 2);
});

test("beside the devices stand the axes of their mesh, the inner one once for each coordinate of the outer one", () => {
  const doc = traces();
  const step = doc.steps[doc.first];
  if (!step) throw new Error("no step");
  const said = (scene: { marks: readonly Mark[] }) =>
    scene.marks.flatMap((m) => (m.kind === "text" && /^[xy]=/.test(m.spans[0]?.text ?? "") ? [m.spans[0]?.text] : []));
  const line = ["x=0", "x=1", "x=2", "x=3"];
  expect(said(stepScene(step, doc.mesh, 934, "light"))).toEqual([...line, ...line]);
  const axes = ["x", "y"].map((name) => ({ name, size: 2, type: "Auto" as const }));
  const grid = ["x=0", "x=1", "y=0", "y=1", "y=0", "y=1"];
  expect(said(stepScene(step, { ...doc.mesh, axes }, 934, "light"))).toEqual([...grid, ...grid]);
  // A global array is on no device.
  const whole = { ...step, cells: step.cells.slice(0, 1).map((cells) => ({ ...cells, device: -1 })) };
  expect(said(stepScene(whole, doc.mesh, 934, "light"))).toEqual([]);
});

test("values have room for their numbers beside operands that are longer and are not drawn", () => {
  const doc = traces();
  const step = doc.steps[doc.first];
  if (!step) throw new Error("no step");
  const operand = ["0.4516", "-1.2083", "0.1161", "-0.8241", "1.5502", "0.0318"];
  const cells = step.cells.map((one) => ({
    ...one,
    senders: [-1, -1] as const,
    mine: ["-1.567", "-1.164"],
    reference: ["-0.7835", "-0.5822"],
    operands: [operand, operand.slice(0, 2)] as const,
  }));
  for (const width of [360, 480, 560, 700, 934]) {
    const { marks } = stepScene({ ...step, cells } as unknown as typeof step, doc.mesh, width, "light");
    const texts = marks.flatMap((m) => (m.kind === "text" ? m.spans.map(({ text }) => text) : []));
    expect(
      texts.filter((text) => /\d…$/.test(text)),
      `at ${width}`,
    ).toEqual([]);
    expect(texts.filter((text) => text === "-0.7835").length).toBe(cells.length);
  }
});

test("numbers that were not moved are in the ink of the ground", () => {
  const doc = traces();
  const step = doc.steps[doc.first];
  if (!step) throw new Error("no step");
  const cells = step.cells.map((one) => ({ ...one, origins: [-1, -1], senders: [-1, -1] }) as typeof one);
  const { marks } = stepScene({ ...step, cells }, doc.mesh, 934, "dark");
  expect(marks.filter((m) => m.kind === "rect" && m.fill === "cell")).toHaveLength(8);
  const dark = marks.filter((m) => (m.kind === "text" ? m.color : m.kind === "rect" && m.stroke?.color) === "tile-ink");
  expect(dark).toEqual([]);
});

test("what both do otherwise is said beside where they part", () => {
  const doc = traces();
  const texts = tracesScene(doc, { width: 934, scheme: "light", selection: -1 }).marks.flatMap((m) =>
    m.kind === "text" ? m.spans.map(({ text }) => text) : [],
  );
  expect(doc.cause).toMatch(/^line \d+ sends to i − 1, the reference to i \+ 1$/);
  expect(texts).toEqual(expect.arrayContaining([doc.verdict, doc.cause]));
});

test("a block that was only moved has the colour of the device that it comes from, on both sides", () => {
  const doc = traces();
  const step = doc.steps[doc.first];
  if (!step) throw new Error("no step");
  const { marks } = stepScene(step, doc.mesh, 934, "light");
  const fills = marks.flatMap((m) => (m.kind === "rect" && m.h === 24 ? [m.fill] : []));
  expect(new Set(fills).size).toBe(4);
  expect(fills.length).toBe(16);
  expect(noteOf(step)).toBe("");
  expect(statusOf(step)).toMatch(/^≠ \d+ of 16$/);
});

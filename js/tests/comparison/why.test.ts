import { expect, test } from "vitest";
import { ComparisonModel } from "../../src/comparison/model/comparison";
import { below, waysOf } from "../../src/comparison/model/gutter";
import type { Line } from "../../src/comparison/model/lines";
import { argumentOf, reasonsOf, whyOf } from "../../src/comparison/model/why";
import type { Reason } from "../../src/core/document.gen";
import { comparison } from "./comparisons";

const PLAIN: Reason = {
  row: 0,
  value: 0,
  dim: 0,
  axis: "y",
  given: "",
  through: [],
  back: false,
  giver: -1,
  step: -1,
  lost: [],
  because: "",
  wanted: -1,
  group: -1,
};

/** `layer` with `w1` given over y, which `h` has from it, and `x` that asked for y too. */
function model(): ComparisonModel {
  const reasons = [
    { ...PLAIN, given: "argument" as const },
    { ...PLAIN, value: 1, dim: 1, given: "argument" as const },
    { ...PLAIN, row: 1, dim: 1, through: [1], giver: 1, step: 2, lost: [0], because: "One dimension of an array." },
    { ...PLAIN, row: 2, dim: 1, through: [2], giver: 2, step: 3, group: 0 },
    { ...PLAIN, row: 1, dim: 0, axis: "x", through: [1, 5], back: true, given: "shard_map" as const },
  ];
  return new ComparisonModel({ ...comparison("layer"), reasons, groups: [{ reasons: [0, 1] }], steps: 4 });
}

test("a chain leads from what was given to the value, and names who lost", () => {
  const why = whyOf(model(), 2);
  expect(why?.answer).toBe("h is split over y because w1 (argument 1) is, through dot_general, line 2.");
  expect(why?.chain.map((l) => l.value.name)).toEqual(["w1", "h"]);
  expect(why?.lost.map((l) => l.value.name)).toEqual(["x"]);
  expect(why?.because).toBe("One dimension of an array.");
});

test("an argument has its number among those of the function, not among their arrays", () => {
  const [row] = comparison("layer").rows;
  const [value] = row?.values ?? [];
  if (!row || !value) throw new Error("it has arguments");
  const names = ["params['up']", "opt[0].mu['down']", "p[1]", "args[0]", "args[1]['w']"];
  const inputs = ["params", "act", "opt", "p", "args[0]", "args[1]"];
  const step = { ...row, inputs, values: names.map((name) => ({ ...value, name })) };
  expect(names.map((_, k) => argumentOf(step, k))).toEqual(["0", "2", "3", "4", "5"].map((k) => `argument ${k}`));
});

test("what passed it on is counted, and what was given the same is named", () => {
  const why = whyOf(model(), 3);
  expect(why?.answer).toMatch(/ is split over y because w1 \(argument 1\) is, through 2 operations, the last /);
  expect(why?.also).toEqual(["x"]);
});

test("a region that takes its operand so", () => {
  expect(whyOf(model(), 4)?.answer).toMatch(/^h is split over x because the shard_map.* takes h so, back through /);
});

test("what a region takes whole and is split before it is made whole", () => {
  const doc = comparison("layer");
  const at = doc.rows[0]?.values.findIndex((v) => v.concrete?.dims?.[0]?.axes.length) ?? -1;
  const reason = { ...PLAIN, row: 0, value: at, dim: 0, axis: "", given: "shard_map" as const, through: [1] };
  const made = new ComparisonModel({ ...doc, reasons: [reason], steps: 4 });
  expect(whyOf(made, 0)?.answer).toMatch(/^\w+ is made whole along dim 0 because the shard_map.* takes \w+ so\.$/);
});

test("what is whole names who asked for it, and the collectives that follow from that", () => {
  const reasons = [
    { ...PLAIN, row: 1, dim: 1, axis: "", given: "constraint" as const },
    { ...PLAIN, row: 1, given: "argument" as const },
    { ...PLAIN, row: 2, dim: 1, axis: "", through: [2], giver: 0 },
  ];
  const causes = [
    { collective: 0, row: 1, reasons: [1] },
    { collective: 1, row: 1, reasons: [0, 1] },
  ];
  const doc = comparison("layer");
  const rows = doc.rows.map((row, k) => (k === 1 ? { ...row, decision: "with_sharding_constraint" as const } : row));
  const whole = new ComparisonModel({ ...doc, rows, reasons, causes, steps: 4 });
  expect(whyOf(whole, 0)?.answer).toBe(
    "h is whole along dim 1 because with_sharding_constraint in line 2 asks for it.",
  );
  expect(whyOf(whole, 2)?.answer).toMatch(/ is whole along dim 1 because with_sharding_.* asks for it, through /);
  expect(whyOf(whole, 2)?.collectives).toEqual([1]);
  expect(reasonsOf(whole, 1)).toEqual([1, 0]);
});

test("a row's reasons: those in which somebody lost come first", () => {
  expect(reasonsOf(model(), 1)).toEqual([2, 4]);
  expect(reasonsOf(model(), 3)).toEqual([]);
});

test("a constraint in a helper is told with the line that calls it", () => {
  const doc = comparison("layer");
  const called = { file: "call.py", line: 30, text: "", function: "call" };
  const rows = doc.rows.map((row, k) =>
    k === 1 ? { ...row, decision: "reshard" as const, called_from: called } : row,
  );
  const reasons = [{ ...PLAIN, row: 1, dim: 1, given: "constraint" as const }];
  const why = whyOf(new ComparisonModel({ ...doc, rows, reasons, steps: 1 }), 0);
  expect(why?.answer).toBe(
    `h is split over y because reshard in line 2 of ${doc.rows[1]?.source?.file}, called from line 30, asks for it.`,
  );
});

test("the way of the axis is beside the lines from what gave it to the row, and that of who lost beside it", () => {
  const place = { depth: 0, bracket: 0, head: 0, again: false, trail: [] };
  const lines = [0, 1, 2].flatMap((row): Line[] => [
    { ...place, key: `r${row}`, row, kind: "row", members: [row] },
    { ...place, key: `s${row}`, row, kind: "stop" },
  ]);
  expect(waysOf(lines, whyOf(model(), 2))).toEqual(["b from|b from", "ab|ab", "a to|a to", "", "", ""]);
  expect(waysOf(lines, whyOf(model(), 1))).toEqual(["", "", "", "", "", ""]);
  const reasons = [
    { ...PLAIN, row: 2, given: "constraint" as const },
    { ...PLAIN, row: 0, through: [1], back: true, giver: 0 },
  ];
  const back = whyOf(new ComparisonModel({ ...comparison("layer"), reasons, steps: 1 }), 1);
  const ways = waysOf(lines, back);
  expect(ways).toEqual(["b to|", "ab|", "ab|", "ab|", "a from|", ""]);
  expect(ways.map(below)).toEqual(["ab|", "ab|", "ab|", "ab|", "", ""]);
  // What is folded stands for its rows.
  const fold: Line = { ...place, key: "f", row: 0, kind: "fold", scope: 0, stop: 2, open: false };
  expect(waysOf([fold, ...lines.slice(4)], back)).toEqual([]);
  expect(waysOf([fold, ...lines.slice(4)], whyOf(model(), 3))).toEqual(["b from|b from", "a to|a to", ""]);
  expect(waysOf(lines, null)).toEqual([]);
});

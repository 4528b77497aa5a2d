/** The sentence in the head of an array: what its sharding comes to. */
import { expect, test } from "vitest";
import { summarize } from "../../src/array/model/summary";
import type { Placement } from "../../src/core/document.gen";
import { PlacementModel } from "../../src/core/placement";
import { alone, array, mesh } from "../documents";

const GRID = mesh({ x: 4, y: 2 });
const summary = (document: Placement) => summarize(new PlacementModel(document));
const written = (document: Placement) =>
  summary(document).parts.map(({ title, text, result, after }) =>
    `${title} ${text.map((t) => t.text).join("")}${result}${after}`.trim(),
  );

test.each<[string, Placement]>([
  ["8 different blocks, one on each of 8 devices", array(GRID, [8, 16], ["x", "y"])],
  ["4 different blocks, each on 2 devices along y", array(GRID, [8, 16], ["x"])],
  ["2 different blocks, each on 4 devices along a, c", array(mesh({ a: 2, b: 2, c: 2 }), [8], ["b"])],
  ["All of it on each of 8 devices", array(GRID, [8, 16])],
  ["All of it on one device", array(mesh({ x: 1 }), [8, 16])],
  ["Not added yet: each device holds a partial sum over y", array(GRID, [8, 16], ["x"], { unreduced: ["y"] })],
  [
    "Not combined yet: each device holds a partial max over y",
    array(GRID, [8, 16], ["x"], { unreduced: ["y"], unreduced_kind: "max" }),
  ],
  ["Deleted or donated: no data is left", array(GRID, [8, 16], ["x", "y"], { state: "deleted" })],
  ["8 devices in a mesh of 4 × 2", alone(GRID)],
  ["8 devices along x", alone(mesh({ x: 8 }))],
])("%s", (says, document) => {
  expect(summary(document).says).toBe(says);
});

test("what is left of each dimension, and the spec where the type does not say it", () => {
  expect(written(array(GRID, [16, 16], [["x", "y"], null]))).toEqual(["dim 0 16 ÷ 4·2 = 2", "dim 1 16 whole"]);
  expect(written(array(GRID, [8], ["x"], { unreduced: ["y"] }))).toEqual(["dim 0 8 ÷ 4 = 2", "y sum pending"]);
  const spec = (document: Placement) =>
    summary(document)
      .spec.map((t) => t.text)
      .join("");
  expect(spec(array(GRID, [8, 16], ["x", "y"]))).toBe("");
  expect(spec(array(GRID, [8, 16], ["x", "y"], { agreement: "silent" }))).toBe("P('x', 'y')");
});

test("where the type says another sharding than the array has, a badge says so", () => {
  const badges = (document: Placement) => summary(document).badges.filter(({ tone }) => tone === "error");
  expect(badges(array(GRID, [8, 16], ["x", "y"], { agreement: "differs" }))).toHaveLength(1);
  expect(badges(array(GRID, [8, 16], ["x", "y"]))).toEqual([]);
});

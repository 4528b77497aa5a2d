/** Golden pictures of searches. */
import { expect, test } from "vitest";
import { searchScene } from "../../src/search/scene/card";
import { candidateAt, chartOf } from "../../src/search/scene/chart";
import { axisAt, rowAt, tableOf } from "../../src/search/scene/table";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../golden";
import { SEARCHES, type SearchName, search } from "./searches";

const GOLDEN: Readonly<Record<string, { of: SearchName; width: number }>> = {
  compiled: { of: "compiled", width: 934 },
  narrow: { of: "compiled", width: 480 },
  paper: { of: "paper", width: 934 },
  "nothing-fits": { of: "nothing fits", width: 934 },
  many: { of: "many", width: 934 },
  stopped: { of: "stopped", width: 700 },
};

for (const [name, { of, width }] of Object.entries(GOLDEN)) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    await expectSceneInGallery(searchScene(search(of), { width, scheme, candidate: -1 }), of, `search-${name}`, scheme);
  });
}

test.each(SEARCHES)("%s: nothing stands outside of its picture, at any width", (name) => {
  const model = search(name);
  expectInsideAtAnyWidth((width) => searchScene(model, { width, scheme: "light", candidate: -1 }));
});

test("a click finds the candidate that is drawn there", () => {
  const model = search("compiled");
  const chart = chartOf(model, 430);
  const { x, y } = chart.points[0] as { x: number; y: number };
  expect(candidateAt(chart, x, y)).toBe(0);
  expect(candidateAt(chart, -50, -50)).toBeNull();
  const table = tableOf(model, 934, model.rows);
  expect(rowAt(table, 28 + 2.5 * table.line)).toBe(2);
  expect(rowAt(table, 3)).toBeNull();
  // Names of axes in the head: "tensor" is the second axis of the mesh.
  const axes = Array.from({ length: 934 }, (_, x) => axisAt(table, x, 17)).filter((axis) => axis !== null);
  expect([...new Set(axes)]).toEqual([0, 1, 2]);
  expect(axisAt(table, 500, 60)).toBeNull();
});

/** Golden pictures of trees. */
import { expect, test } from "vitest";
import { modelScene } from "../../src/tree/scene/card";
import type { Tile } from "../../src/tree/scene/treemap";
import { layoutTreemap } from "../../src/tree/scene/treemap";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../golden";
import { MODELS, rows, tree } from "./models";

const PLAIN = { sort: "tree", search: "" } as const;

for (const [name, of, width] of [
  ["model-state", "state", 1100],
  ["model-narrow", "state", 480],
  ["model-odd", "odd", 1100],
] as const) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    await expectSceneInGallery(modelScene(tree(of), { width, ...PLAIN }), of, name, scheme);
  });
}

test.each(MODELS)("%s: nothing stands outside of its picture, at any width", (name) => {
  expectInsideAtAnyWidth((width) => modelScene(tree(name), { width, ...PLAIN }));
});

test.each(MODELS)("%s: tiles have the area of their bytes, and do not overlap", (name) => {
  const of = tree(name);
  const map = layoutTreemap(of, rows(of, { flat: true }), 400, 300);
  const area = (t: Tile) => (t.w * t.h) / t.row.sums.here;
  for (const tile of map.tiles) expect(area(tile) / area(map.tiles[0] as Tile)).toBeCloseTo(1, 1);
  map.tiles.forEach((a, i) => {
    for (const b of map.tiles.slice(i + 1)) {
      const overlaps =
        a.x + a.w > b.x + 0.01 && b.x + b.w > a.x + 0.01 && a.y + a.h > b.y + 0.01 && b.y + b.h > a.y + 0.01;
      expect(overlaps, `${a.row.name} and ${b.row.name}`).toBe(false);
    }
  });
});

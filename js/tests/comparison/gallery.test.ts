/** Golden pictures of comparisons. */
import { test } from "vitest";
import { comparisonScene } from "../../src/comparison/scene/card";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../golden";
import { COMPARISONS, type ComparisonName, model } from "./comparisons";

const GOLDEN: Readonly<Record<string, { of: ComparisonName; width?: number }>> = {
  layer: { of: "layer" },
  training: { of: "training" },
  scopes: { of: "scopes" },
  arrays: { of: "arrays" },
  narrow: { of: "layer", width: 480 },
};

for (const [name, { of, width = 1100 }] of Object.entries(GOLDEN)) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    const m = model(of);
    await expectSceneInGallery(comparisonScene(m, { width, scheme }), m.doc.name, `comparison-${name}`, scheme);
  });
}

test.each(COMPARISONS)("%s: nothing stands outside of its picture, at any width", (name) => {
  expectInsideAtAnyWidth((width) => comparisonScene(model(name), { width, scheme: "light" }));
});

/** Golden pictures of comparisons: each is an example of the gallery. */
import { expect, test } from "vitest";
import { pngDataUri } from "../../src/paint/png";
import { paintSvg } from "../../src/paint/svg";
import { theme } from "../../src/paint/theme";
import { comparisonScene } from "../../src/scene/comparison";
import type { Mark } from "../../src/scene/scene";
import { COMPARISONS, type ComparisonName, model } from "./comparisons";

const GOLDEN: Readonly<Record<string, { of: ComparisonName; width?: number }>> = {
  layer: { of: "layer" },
  training: { of: "training" },
  scopes: { of: "scopes" },
  arrays: { of: "arrays" },
  narrow: { of: "layer", width: 480 },
};

for (const [name, { of, width = 1100 }] of Object.entries(GOLDEN)) {
  test.each(["light", "dark"] as const)(`${name}, %s`, async (scheme) => {
    const m = model(of);
    const picture = paintSvg(comparisonScene(m, { width, scheme }), theme(scheme), m.doc.name, pngDataUri);
    await expect(`${picture}\n`).toMatchFileSnapshot(`../../../docs/gallery/comparison-${name}.${scheme}.svg`);
  });
}

test.each(COMPARISONS)("%s: nothing stands outside of its picture, at any width", (name) => {
  for (const width of [320, 480, 800, 1100, 1600]) {
    const scene = comparisonScene(model(name), { width, scheme: "light" });
    for (const mark of scene.marks) {
      const [x, y] = cornerOf(mark);
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(width);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(scene.height);
    }
  }
});

function cornerOf(mark: Mark): readonly [number, number] {
  if (mark.kind === "line") return mark.points.at(-1) ?? [0, 0];
  if (mark.kind === "rect") return [mark.x + mark.w, mark.y + mark.h];
  return [mark.x, mark.y];
}

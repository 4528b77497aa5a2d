/** Golden pictures of differences. */
import { test } from "vitest";
import { diffScene } from "../../src/diff/scene/card";
import { tracesScene } from "../../src/diff/scene/traces";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../golden";
import { DIFFS, type DiffName, diff, traces } from "./diffs";

const GOLDEN: Readonly<Record<string, { of: DiffName; width: number }>> = {
  training: { of: "training", width: 934 },
  narrow: { of: "training", width: 480 },
  lowered: { of: "lowered", width: 934 },
  memory: { of: "memory", width: 934 },
  comparison: { of: "comparison", width: 934 },
  searches: { of: "searches", width: 934 },
};

for (const [name, { of, width }] of Object.entries(GOLDEN)) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    await expectSceneInGallery(diffScene(diff(of), { width, selected: -1 }), of, `diff-${name}`, scheme);
  });
}

test.each(SCHEMES)("traces, %s", async (scheme) => {
  const look = { width: 934, scheme, selection: -1 };
  await expectSceneInGallery(tracesScene(traces(), look), "traces", "diff-traces", scheme);
});

test("two traces: nothing stands outside of the picture, at any width and step", () => {
  const doc = traces();
  for (const selection of doc.steps.keys())
    expectInsideAtAnyWidth((width) => tracesScene(doc, { width, scheme: "light", selection }));
});

test.each(DIFFS)("%s: nothing stands outside of its picture, at any width", (name) => {
  const shown = diff(name);
  expectInsideAtAnyWidth((width) => diffScene(shown, { width, selected: 0 }));
});

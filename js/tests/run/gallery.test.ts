/** Golden pictures of measured runs. */
import { expect, test } from "vitest";
import { runScene } from "../../src/run/scene/card";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../golden";
import { models, RUNS, type RunName } from "./runs";

const GOLDEN: Readonly<Record<string, { of: RunName; width?: number; selection?: number }>> = {
  step: { of: "step" },
  selected: { of: "step", selection: 1 },
  compared: { of: "compared" },
  narrow: { of: "step", width: 480 },
  alone: { of: "alone" },
};

const picture = (name: RunName, width: number, selection: number | null = null) =>
  runScene(models(name), { width, call: null, selection });

for (const [name, { of, width = 1000, selection }] of Object.entries(GOLDEN)) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    await expectSceneInGallery(picture(of, width, selection), of, `run-${name}`, scheme);
  });
}

test.each(RUNS)("%s: nothing stands outside of its picture, at any width", (name) => {
  expectInsideAtAnyWidth((width) => picture(name, width));
});

test("a call that does not exist is none", () => {
  expect(picture("alone", 600).height).toBeGreaterThan(0);
});

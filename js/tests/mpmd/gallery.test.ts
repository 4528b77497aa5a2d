/** Golden pictures of arrays on groups, and what their model counts. */
import { expect, test } from "vitest";
import { badgesOf, foldText, notesOf, whereText } from "../../src/mpmd/model/mpmd";
import { mpmdScene } from "../../src/mpmd/scene/card";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../golden";
import { MPMDS, mpmd } from "./mpmds";

for (const [name, of, width] of [
  ["mpmd-remote", "remote", 1100],
  ["mpmd-large", "large", 1100],
  ["mpmd-deleted", "deleted", 700],
] as const) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    await expectSceneInGallery(mpmdScene(mpmd(of), { width, scheme, group: null }), of, name, scheme);
  });
}

test.each(MPMDS)("%s: nothing stands outside of its picture, at any width", (name) => {
  expectInsideAtAnyWidth((width) => mpmdScene(mpmd(name), { width, scheme: "light", group: 0 }));
});

test("groups of many fold where they are alike, and each group is in one panel", () => {
  const model = mpmd("large");
  expect(model.folds.map((fold) => fold.groups.length)).toEqual([1, 32, 31]);
  expect(model.folds.flatMap((fold) => fold.groups).sort((a, b) => a - b)).toEqual(Array.from(Array(64).keys()));
  expect(model.folds.length).toBeLessThan(mpmd("remote").folds.length);
});

test("words say what each group has", () => {
  const model = mpmd("remote");
  const [first, , third] = model.folds;
  expect(whereText(model)).toBe("on stage 0, 2 of 4 groups");
  expect(first && foldText(model, first)).toBe(
    "stage 0, devices 0 to 3, process 0, here: holds it, 128 B on each of 4 devices",
  );
  expect(third && foldText(model, third)).toContain("process 2: holds it, known from metadata");
  expect(badgesOf(model).map((b) => b.strong)).toEqual(["128 B", "1 KiB", "768 B"]);
  expect(notesOf(mpmd("deleted")).join()).toContain("no longer has");
  expect(whereText(mpmd("empty"))).toBe("on no group of 2 groups");
});

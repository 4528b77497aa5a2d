/** Golden pictures of the Inspector. */
import { expect, test } from "vitest";
import { deviceWords, labelOf, listed } from "../../src/inspector/model/words";
import { namespaceScene } from "../../src/inspector/scene/card";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../golden";
import { model, NAMESPACES } from "./documents";

for (const [name, width] of [
  ["inspector", 760],
  ["inspector-narrow", 480],
] as const) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    await expectSceneInGallery(namespaceScene(model("after"), { width, scheme }), "arrays", name, scheme);
  });
}

test.each(NAMESPACES)("%s: nothing stands outside of its picture, at any width", (name) => {
  expectInsideAtAnyWidth((width) => namespaceScene(model(name), { width, scheme: "light" }));
});

test("what is filtered, and what is said of a line", () => {
  const of = model("after");
  expect(listed(of, "changed", "").map((h) => h.name)).toEqual(["params", "out", "h", "table"]);
  expect(listed(of, "all", "@data out").map((h) => h.name)).toEqual(["out"]);
  expect(listed(of, "flagged", "").map((h) => h.name)).toContain("params");
  const label = labelOf(of, of.doc.holders.find((h) => h.name === "params") as (typeof of.doc.holders)[number]);
  expect(label).toContain("resharded −12 KiB ['up'], was f32[64,128@model]");
  expect(deviceWords(of).change).toBe("28 KiB less than before");
});

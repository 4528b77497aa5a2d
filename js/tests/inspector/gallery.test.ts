/** Golden pictures of the Inspector. */
import { expect, test } from "vitest";
import { NamespaceModel } from "../../src/inspector/model/namespace";
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

test("bytes on devices are in one unit, however much one of them holds", () => {
  const { doc } = model("session");
  const [one, others] = doc.groups;
  if (!one || !others) throw new Error("all devices hold the same");
  const held = [4649 * 2 ** 10, 532 * 2 ** 10] as const;
  const of = new NamespaceModel({
    ...doc,
    groups: [
      { ...one, held: held[0] },
      { ...others, held: held[1] },
    ],
  });
  expect(deviceWords(of).held).toBe("532 KiB, and 4649 KiB on device 0");
  const scene = namespaceScene(of, { width: 760, scheme: "light" });
  const texts = scene.marks.flatMap((m) => (m.kind === "text" ? [m.spans.map(({ text }) => text).join("")] : []));
  expect(texts.filter((text) => /^[\d.]+ [KMG]iB$/.test(text))).toContain("4649 KiB");
});

/** Device orders on chips: golden pictures, links that are found where they are drawn, and their sentences. */
import { expect, test } from "vitest";
import { OrderModel, sentenceOf } from "../../src/links/model/links";
import { boardOf, lines, linksOf } from "../../src/links/scene/board";
import { layoutOf, linksScene, placeAt } from "../../src/links/scene/card";
import { expectInsideAtAnyWidth, expectSceneInGallery, expectTextsApart, SCHEMES } from "../golden";
import { LINKS, shown, wire } from "./links";

for (const [name, of, width] of [
  ["orders", "orders", 934],
  ["cores", "two cores", 480],
] as const) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    await expectSceneInGallery(linksScene(wire(of), shown(of), width, scheme), of, `links-${name}`, scheme);
  });
}

test.each(LINKS)("%s: nothing stands outside of its picture, at any width", (name) => {
  expectInsideAtAnyWidth((width) => linksScene(wire(name), shown(name), width, "light"));
});

test.each(LINKS)("%s: no text comes close to the next, at any width", (name) => {
  expectTextsApart((width) => linksScene(wire(name), shown(name), width, "light"), 4);
});

test("a link is found where it is drawn, in both orders", () => {
  const found = shown("orders");
  const layout = layoutOf(found, 934);
  for (const panel of layout.panels)
    for (const link of linksOf(panel.model, 0)) {
      const [line] = lines(panel.model, panel.board, link);
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = line ?? [];
      const at = placeAt(layout, 0, panel.x + (x0 + x1) / 2, 28 + (y0 + y1) / 2);
      expect(at).toEqual({ order: panel.index, link });
    }
});

test("every link is in one plane, once", () => {
  const [model] = shown("orders").models;
  const all = [0, 1, 2, 3].flatMap((plane) => (model ? linksOf(model, plane) : []));
  expect(all.length).toBe(192);
});

test("the sentence of a link says what crosses it", () => {
  const [model] = shown("orders").models;
  if (!model) throw new Error("no order");
  const said = linksOf(model, 0).map((link) => sentenceOf(model, link));
  expect(said[0]).toBe("The link along x from chip (0, 0, 0) to (1, 0, 0): fsdp: 2 hops; tensor: 2 hops");
  expect(said.filter((s) => s.endsWith(": idle")).length).toBeGreaterThan(0);
  expect(boardOf(model, 480, 312).width).toBe(480);
});

test("of many that cross a link the first are named", () => {
  const [model] = shown("orders").models;
  const [crossing] = model?.order.crossings ?? [];
  if (!model || !crossing) throw new Error("no order");
  const many = new OrderModel({ ...model.order, crossings: Array(7).fill(crossing) });
  const [said = ""] = linksOf(many, 0).map((link) => sentenceOf(many, link));
  expect(said.split("; ").length).toBe(5);
  expect(said.endsWith("; … 3 more")).toBe(true);
});

test("a long name of a row is whole where there is room for it", () => {
  const found = shown("program");
  const [model] = found.models;
  const [crossing] = model?.order.crossings ?? [];
  if (!model || !crossing) throw new Error("no order");
  const named = { ...crossing, name: "model, 1→0 2→1 3→2" };
  const models = [new OrderModel({ ...model.order, crossings: [named] })];
  const texts = linksScene(wire("program"), { ...found, models }, 446, "light").marks.flatMap((mark) =>
    mark.kind === "text" ? [mark.spans.map((span) => span.text).join("")] : [],
  );
  expect(texts).toContain("model, 1→0 2→1 3→2 4");
});

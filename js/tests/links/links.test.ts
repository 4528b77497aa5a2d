/** Device orders on chips: golden pictures, links that are found where they are drawn, and their sentences. */
import { expect, test } from "vitest";
import { OrderModel, sentenceOf, totalOf } from "../../src/links/model/links";
import { boardMarks, boardOf, lines, linksOf } from "../../src/links/scene/board";
import { layoutOf, linksScene, placeAt, rowAt, type Shown } from "../../src/links/scene/card";
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

/** The program with its crossing several times, under other names. */
function renamed(...names: string[]): Shown {
  const found = shown("program");
  const [model] = found.models;
  const [crossing] = model?.order.crossings ?? [];
  if (!model || !crossing) throw new Error("no order");
  const crossings = names.map((name) => ({ ...crossing, name }));
  return { ...found, models: [new OrderModel({ ...model.order, crossings })] };
}

const LONG = "model, 0→1 1→2 2→3 3→4 …";

test.each([446, 460, 500, 560, 640, 934])(
  "a long name of a row is whole at %i px, its figures under it if need be",
  (width) => {
    const found = renamed("model, 1→0 2→1 3→2", LONG);
    const { marks } = linksScene(wire("program"), found, width, "light");
    const texts = marks.flatMap((mark) => (mark.kind === "text" ? [mark.spans.map((span) => span.text).join("")] : []));
    for (const name of ["model, 1→0 2→1 3→2 4", `${LONG} 4`]) expect(texts).toContain(name);
    const layout = layoutOf(found, width);
    const [panel] = layout.panels;
    const bottom = panel ? 56 + panel.board.height + 2 * panel.columns.line : 0;
    expect(rowAt(layout, 40, bottom - 3)).toBe(1);
    expect(rowAt(layout, 40, bottom + 3)).toBe(-1);
  },
);

test("beside a long name no text comes close to the next, at any width", () => {
  expectTextsApart((width) => linksScene(wire("program"), renamed(LONG, LONG), width, "light"), 4);
});

test("the strands of a link are together no wider than a tile", () => {
  const found = renamed(...Array.from({ length: 24 }, (_, k) => `model, +${k}`));
  const [{ board, model } = { board: null, model: null }] = layoutOf(found, 480).panels;
  if (!board || !model) throw new Error("no panel");
  const link = linksOf(model, 0).find((one) => model.load(0, one) > 0);
  const [line] = link ? lines(model, board, link) : [];
  if (!link || !line) throw new Error("no link");
  const across = link.axis === 0 ? 1 : 0;
  const [from, middle] = [line[1 - across] ?? 0, line[across] ?? 0];
  const edges = boardMarks(model, board, 0, -1, null).flatMap((mark) => {
    if (mark.kind !== "line" || mark.points[0]?.[1 - across] !== from) return [];
    const at = mark.points[0]?.[across] ?? 0;
    return Math.abs(at - middle) < board.pitch / 2 ? [at - mark.stroke.width / 2, at + mark.stroke.width / 2] : [];
  });
  expect(edges.length).toBe(48);
  expect(Math.max(...edges) - Math.min(...edges)).toBeLessThanOrEqual(board.tile);
});

test.each([320, 480, 934])("what is said of all transfers together is whole at %i px", (width) => {
  for (const name of LINKS) {
    const found = shown(name);
    const { marks } = linksScene(wire(name), found, width, "light");
    const said = marks.flatMap((mark) => (mark.kind === "text" ? [mark.spans.map((span) => span.text).join("")] : []));
    const order = found.models[0]?.order;
    expect(said.join(" ")).toContain(order ? totalOf(order) : "no order");
  }
});

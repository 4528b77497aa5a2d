import { expect, test } from "vitest";
import { tileBoxes, WHOLE } from "../../src/array/scene/faces";
import { layoutBody } from "../../src/array/scene/layout";
import { canMorph, morphMarks, type Shown } from "../../src/array/scene/morph";
import type { Placement } from "../../src/core/document.gen";
import { PlacementModel } from "../../src/core/placement";
import type { Box } from "../../src/draw/marks";
import { array, mesh } from "../documents";
import { paintsWith } from "./cases";

const GRID = mesh({ x: 4, y: 2 });
const shown = (document: Placement, width = 900): Shown => {
  const model = new PlacementModel(document);
  return { model, layout: layoutBody(model, WHOLE, width, true), paints: paintsWith(model, "position") };
};
const [rows, columns] = [shown(array(GRID, [8, 16], ["x", null])), shown(array(GRID, [8, 16], [null, "x"]))];

/** Where the array panel holds a device's tile. */
function home({ model, layout }: Shown, position: number): Box[] {
  const panel = layout.array;
  if (!panel) return [];
  const boxes = tileBoxes(model, panel.faces, model.tileAt[position] ?? 0);
  return boxes.map((b) => ({ ...b, x: b.x + panel.x, y: b.y + panel.y }));
}

test.each([
  [0, rows],
  [1, columns],
])("at time %i the block of every device lies where its placement has it", (t, at) => {
  const moving = morphMarks(rows, columns, t).flatMap((m) =>
    m.kind === "rect" && m.alpha === 0.9 ? [{ x: m.x, y: m.y, w: m.w, h: m.h }] : [],
  );
  const about = (b: Box | undefined) => b && [b.x, b.y, b.w, b.h].map((v) => v.toFixed(6)).join();
  for (let p = 0; p < 8; p++) expect(moving.map(about)).toContain(about(home(at, p)[0]));
});

test("half way a block is half way", () => {
  const [from, to] = [home(rows, 7)[0], home(columns, 7)[0]];
  const moving = morphMarks(rows, columns, 0.5).flatMap((m) => (m.kind === "rect" && m.alpha === 0.9 ? [m.x] : []));
  expect(moving).toContainEqual(((from?.x ?? 0) + (to?.x ?? 0)) / 2);
});

test("a change is shown between the same devices, where few enough have room for a ghost", () => {
  expect(canMorph(rows, columns)).toBe(true);
  expect(canMorph(rows, shown(array(mesh({ x: 8, y: 2 }), [8, 16], ["x", null])))).toBe(false);
  const turned = mesh({ x: 4, y: 2 }, { device_ids: { ...GRID.device_ids, start: 7, strides: [-1] } });
  expect(canMorph(rows, shown(array(turned, [8, 16], ["x", null])))).toBe(false);
  const large = shown(array(mesh({ x: 16, y: 8 }), [16, 16], ["x", "y"]));
  expect(canMorph(large, large)).toBe(false);
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { highlightDevice, highlightOf, highlightTile, selectionOf } from "../../src/array/model/selection";
import { PlacementModel } from "../../src/core/placement";
import { placements } from "../arbitrary";
import { alone, array, mesh, raw } from "../documents";

test("what is pinned comes back from the selection that says it", () => {
  fc.assert(
    fc.property(placements(), fc.nat(), (document, k) => {
      const model = new PlacementModel(document);
      const device = highlightDevice(model, k % model.size);
      expect(highlightOf(model, selectionOf(model, device))).toEqual(device);
      const axis = { tile: null, positions: [], axis: k % model.axes.length };
      expect(highlightOf(model, selectionOf(model, axis))).toEqual(axis);
      const tile = highlightTile(model, k % model.tiles);
      expect(highlightOf(model, { tile: model.parts(k % model.tiles) })).toEqual(tile);
      expect([...tile.positions].sort((a, b) => a - b)).toEqual(model.holders(k % model.tiles));
    }),
  );
});

test("a device is meant by its id, not by its position", () => {
  const model = new PlacementModel(array(mesh({ x: 2 }, { device_ids: raw([7, 3]) }), [2], ["x"]));
  expect(highlightOf(model, { device: 7 })).toEqual({ tile: 0, positions: [0], axis: null });
});

test("what the mesh does not have lights nothing", () => {
  const model = new PlacementModel(array(mesh({ x: 2 }), [2], ["x"]));
  expect([{ device: 9 }, { axis: "y" }, null].map((s) => highlightOf(model, s))).toEqual([null, null, null]);
});

test("the holder whose values can be shown comes first", () => {
  const on = mesh({ x: 2 }, { process: raw([1, 0]) });
  expect(highlightTile(new PlacementModel(array(on, [4])), 0).positions).toEqual([1, 0]);
});

test("on a mesh alone a device is lit without a tile", () => {
  const model = new PlacementModel(alone(mesh({ x: 2 })));
  expect(selectionOf(model, highlightDevice(model, 1))).toEqual({ device: 1 });
});

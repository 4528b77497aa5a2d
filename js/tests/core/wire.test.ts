import { expect, test } from "vitest";
import { decodePlacement, PlacementModel } from "../../src/core/placement";
import { DocumentError } from "../../src/core/wire";
import { array, mesh, raw } from "../documents";

const GOOD = array(mesh({ x: 2 }), [4], ["x"]);

test.each([
  ["nothing", null, "Make the view again"],
  ["no object", "text", "Make the view again"],
  ["another object", { a: 1 }, "Make the view again"],
  ["a newer version", { ...GOOD, version: 2 }, "has version 2; this page draws up to version 1. Update shardwidget"],
  ["a version that is not a number", { ...GOOD, version: "1" }, "is damaged"],
  ["an unknown kind", { ...GOOD, kind: "trace" }, 'of kind "trace"; this page draws "placement"'],
  ["no mesh", { ...GOOD, mesh: null }, "it has no mesh. Make the view again"],
  ["no axes", { ...GOOD, mesh: { ...GOOD.mesh, axes: undefined } }, "its mesh has no axes"],
  ["no ids", { ...GOOD, mesh: { ...GOOD.mesh, device_ids: [0, 1] } }, "its device ids cannot be read"],
  ["lost bytes", { ...GOOD, mesh: { ...GOOD.mesh, process: { ...raw([0]), raw: null } } }, "ids cannot be read"],
  ["no dimensions", { ...GOOD, dims: null }, "it has no dimensions"],
  ["too few dimensions", { ...GOOD, shape: [4, 4] }, "its shape does not match its dimensions"],
  ["an axis too many", { ...GOOD, dims: [{ ...GOOD.dims[0], axes: ["q"] }] }, 'the axis "q"'],
])("%s is refused with what to do", (_, wire, message) => {
  expect(() => decodePlacement(wire)).toThrow(DocumentError);
  expect(() => decodePlacement(wire)).toThrow(message);
  expect(() => decodePlacement(wire)).toThrow(/\.$/);
});

test.each([
  ["ArrayBuffer", (b: Uint8Array) => b.slice().buffer],
  ["DataView", (b: Uint8Array) => new DataView(b.slice().buffer)],
  ["a view into a larger buffer", (b: Uint8Array) => Uint8Array.from([9, 9, 9, ...b]).subarray(3)],
])("bytes are read from %s", (_, give) => {
  const ids = give(Uint8Array.from([5, 0, 0, 0, 3, 0, 0, 0]));
  const wire = { ...GOOD, mesh: { ...GOOD.mesh, device_ids: { ...raw([0, 0]), raw: ids } } };
  expect([...new PlacementModel(decodePlacement(wire)).ids]).toEqual([5, 3]);
});

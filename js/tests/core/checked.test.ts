/** Documents that somebody edited: a size that cannot be is refused, and none freezes the page or draws forever. */
import { expect, test } from "vitest";
import { checkNumbers } from "../../src/core/checked";
import { DocumentError } from "../../src/core/wire";
import { array, mesh } from "../documents";

const GOOD = array(mesh({ x: 2, y: 2 }), [4, 4], ["x", "y"]);
const [X, Y] = GOOD.mesh.axes;
const nested = (shape: number[]) => ({ ...GOOD.mesh.device_ids, shape });

const decode = (wire: unknown) => () => checkNumbers(wire);

test.each([
  [
    "a mesh axis of 1e9",
    { mesh: { ...GOOD.mesh, axes: [{ ...X, size: 1e9 }, Y] } },
    "its mesh of 1000000000 × 2 has 4 devices",
  ],
  [
    "a negative mesh axis",
    { mesh: { ...GOOD.mesh, axes: [{ ...X, size: -2 }, Y] } },
    "its mesh of -2 × 2 has 4 devices",
  ],
  ["an empty mesh axis", { mesh: { ...GOOD.mesh, axes: [{ ...X, size: 0 }, Y] } }, "its mesh of 0 × 2"],
  ["half an axis", { mesh: { ...GOOD.mesh, axes: [{ ...X, size: 1.5 }, Y] } }, "its mesh of 1.5 × 2"],
  ["an axis of text", { mesh: { ...GOOD.mesh, axes: [{ ...X, size: "2" }, Y] } }, "its size is"],
  ["an axis too large", { mesh: { ...GOOD.mesh, axes: [{ ...X, size: 4 }, Y] } }, "mesh of 4 × 2 has 4 devices"],
  ["too many devices", { mesh: { ...GOOD.mesh, device_ids: nested([1e9]) } }, "mesh of 2 × 2 has 1000000000 devices"],
  ["negative devices", { mesh: { ...GOOD.mesh, device_ids: nested([-2, -2]) } }, "its shape is -2"],
  ["endless devices", { mesh: { ...GOOD.mesh, device_ids: nested([Number.NaN]) } }, "mesh of 2 × 2 has NaN devices"],
  ["fewer processes", { mesh: { ...GOOD.mesh, process: nested([2]) } }, "mesh of 2 × 2 has 4 devices"],
  ["a negative dimension", { dims: [{ ...GOOD.dims[0], size: -4 }, GOOD.dims[1]] }, "its size is -4"],
  ["an endless dimension", { shape: [Number.POSITIVE_INFINITY, 4] }, "its shape is Infinity"],
  ["a shape of 65 dimensions", { shape: new Array(65).fill(1) }, "it has a shape of 65 dimensions"],
  [
    "a mesh inside",
    { regions: [{ mesh: { ...GOOD.mesh, axes: [{ ...X, size: 1e9 }, Y] } }] },
    "its mesh of 1000000000 × 2",
  ],
  ["too many tasks", { order: { stages: 2e4, microbatches: 2e4, ranks: 4 } }, "20000 stages and 20000 microbatches"],
  ["too many ranks", { order: { stages: 4, microbatches: 4, ranks: 1e9 } }, "its ranks is 1000000000"],
  ["too large a group", { n: 1e9 }, "its n is 1000000000"],
  ["too many inputs", { fields: [{ form: "grid", shape: [1e5, 1e5] }] }, "a grid has 10000000000 numbers"],
  [
    "fewer values",
    { values: { blocks: [{ shape: [2, 2], format: "f4", data: new ArrayBuffer(4) }] } },
    "values of shape (2, 2) have 4 bytes",
  ],
  [
    "fewer integers",
    { table: { shape: [2], raw_bytes: 4, raw: new ArrayBuffer(4) } },
    "2 integers are packed in 4 bytes",
  ],
])("%s is refused", (_, change, message) => {
  expect(decode({ ...GOOD, ...change })).toThrow(DocumentError);
  expect(decode({ ...GOOD, ...change })).toThrow(message);
});

test("what is legal is drawn: empty dimensions, a scalar, large sizes, a mesh alone", () => {
  for (const change of [
    { shape: [0, 4] },
    { shape: [] },
    { shape: [2 ** 40, 4] },
    { shape: null },
    { begins: [1795470352495737600] },
  ]) {
    expect(decode({ ...GOOD, ...change })).not.toThrow();
  }
});

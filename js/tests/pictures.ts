/** The documents of the gallery: one of each thing that a picture of a placement can say. */
import type { Placement } from "../src/core/document.gen";
import { alone, array, block, counting, mesh, meshOf, values } from "./documents";

export interface Picture {
  document: Placement;
  /** Traits of the widget beside the document. */
  traits?: object;
  width?: number;
}

const GRID = mesh({ x: 4, y: 2 });
const halves = { start: 0, shape: [2, 4], strides: [1, 0], raw: counting(0).raw, raw_bytes: 4 } as const;
const pod = mesh(
  { x: 64, y: 64 },
  // Hosts of 2 × 2 chips.
  { process: { ...halves, shape: [32, 2, 32, 2], strides: [32, 0, 1, 0] }, kind: "TPU v5p", platform: "tpu" },
);
const numbers = (n: number, of: (i: number) => number) => Array.from({ length: n }, (_, i) => of(i));

export const PICTURES: Readonly<Record<string, Picture>> = {
  sharded: { document: array(GRID, [8, 16], ["x", "y"]) },
  selected: { document: array(GRID, [8, 16], ["x", "y"]), traits: { selection: { device: 5 } } },
  replicated: { document: array(GRID, [8, 16], ["x", null]) },
  unreduced: { document: array(GRID, [8, 16], ["x", null], { unreduced: ["y"] }) },
  reduced: { document: array(GRID, [8, 16], ["x", null], { reduced: ["y"] }) },
  remote: { document: array(mesh({ x: 4, y: 2 }, { process: halves, kind: "TPU v5e" }), [8, 16], ["x", "y"]) },
  deleted: { document: array(GRID, [8, 16], ["x", "y"], { state: "deleted" }) },
  abstract: {
    document: array(mesh({ x: 4, y: 2 }, { abstract: true, kind: "", platform: "" }), [8, 16], ["x", "y"], {
      state: "abstract",
    }),
  },
  facets: { document: array(GRID, [4, 8, 16], ["y", "x", null]) },
  "two-axes": { document: array(GRID, [16], [["x", "y"]]) },
  "four-axes": { document: array(mesh({ a: 2, b: 2, c: 2, d: 2 }), [8, 8], [["a", "c"], "b"]) },
  "three-axes": { document: array(mesh({ data: 2, model: 4, expert: 2 }), [16, 64], [["data", "expert"], "model"]) },
  "128-devices": { document: array(mesh({ x: 16, y: 8 }), [1024, 512], ["x", "y"], { dtype: "bfloat16", bits: 16 }) },
  "4096-devices": { document: array(pod, [65536, 65536], ["x", "y"], { name: "w" }) },
  "one-axis-32": { document: array(mesh({ batch: 32 }), [256, 128], ["batch", null], { name: "inputs" }) },
  ring: { document: array(mesh({ i: 8 }, { ring: true, kind: "TPU v5 lite", platform: "tpu" }), [16, 32], ["i"]) },
  mesh: { document: alone(mesh({ x: 4, y: 2 })) },
  "one-device": {
    document: array(meshOf([], { device_ids: counting(1), process: counting(1) }), [3, 5], [], {
      spec: null,
      sharding: "SingleDeviceSharding",
      agreement: "",
    }),
  },
  scalar: { document: array(GRID, [], []) },
  values: {
    document: array(GRID, [8, 8], ["x", "y"], {
      values: values(
        ...numbers(8, (d) => d).map((d) =>
          block(
            d,
            [2, 4],
            numbers(8, (i) => d * 8 + i - 20),
          ),
        ),
      ),
    }),
    traits: { color_by: "values" },
  },
  "odd-values": {
    document: array(mesh({ x: 2 }), [2, 4], ["x", null], {
      values: values(
        block(0, [1, 4], [1.5, Number.NaN, -2.25, 1e-7]),
        block(1, [1, 4], [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 3, 0]),
      ),
    }),
    traits: { color_by: "values" },
  },
  "by-device": { document: array(GRID, [8, 16], ["x", null]), traits: { color_by: "device" } },
  narrow: { document: array(GRID, [8, 16], ["x", null]), width: 480 },
};

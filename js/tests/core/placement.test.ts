import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Block, Placement } from "../../src/core/document.gen";
import { PlacementModel } from "../../src/core/placement";
import { holdings, placements } from "../arbitrary";
import { array, mesh, raw } from "../documents";

const each = (check: (model: PlacementModel, held: ReturnType<typeof holdings>) => void) =>
  fc.assert(fc.property(placements(), (document) => check(new PlacementModel(document), holdings(document))));

test("each device holds the tile and the slice that counting gives", () =>
  each((model, held) => {
    expect(model.size).toBe(held.length);
    held.forEach(({ parts, slice }, position) => {
      const tile = model.tileAt[position] ?? -1;
      expect(model.parts(tile)).toEqual(parts);
      expect(parts.map((part, d) => model.bounds(d, part))).toEqual(slice);
      expect(model.holders(tile)).toContain(position);
    });
  }));

test("tiles cover the array exactly once", () =>
  each((model) => {
    model.doc.dims.forEach((dim, d) => {
      let reached = 0;
      for (let part = 0; part < (model.grid[d] ?? 0); part++) {
        const [start, stop] = model.bounds(d, part);
        expect(start).toBe(reached);
        reached = stop;
      }
      expect(reached).toBe(dim.size);
    });
  }));

test("devices that hold the same data are counted: tiles × partials × copies = devices", () =>
  each((model, held) => {
    const groups = new Map<string, number>();
    for (const h of held) {
      const key = `${h.parts} ${h.summand}`;
      groups.set(key, (groups.get(key) ?? 0) + 1);
    }
    expect(model.copies).toBe(Math.max(...groups.values()));
    if (model.doc.dims.some((d) => d.cut)) return;
    expect(model.tiles * model.partials).toBe(groups.size);
    expect(model.tiles * model.partials * model.copies).toBe(model.size);
  }));

test("bytes per device, of the array, and spent on replicas", () =>
  each((model, held) => {
    const bytes = (slice: readonly (readonly [number, number])[]) =>
      Math.ceil((slice.reduce((n, [a, b]) => n * (b - a), 1) * model.doc.bits) / 8);
    const once = new Map(held.map((h) => [`${h.parts} ${h.summand}`, bytes(h.slice)]));
    const sum = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0);
    expect(model.bytesPerDevice).toBe(Math.max(...held.map((h) => bytes(h.slice))));
    expect(model.bytes).toBe(bytes((model.doc.shape ?? []).map((n) => [0, n] as const)));
    expect(model.wasted).toBe(sum(held.map((h) => bytes(h.slice))) - sum(once.values()));
  }));

test("a tile's index is that of its parts", () =>
  each((model) => {
    for (let tile = 0; tile < Math.min(model.tiles, 300); tile++) expect(model.tileIndex(model.parts(tile))).toBe(tile);
  }));

test("links along an axis say what its devices have of each other's data", () => {
  const on = mesh({ x: 2, y: 2, z: 2, w: 2, one: 1 });
  const model = new PlacementModel(array(on, [4], ["x"], { unreduced: ["y"], reduced: ["z"] }));
  expect(model.axes.map((_, axis) => model.link(axis))).toEqual([null, "unreduced", "reduced", "replicated", null]);
});

test("devices of other processes have values where they came with the document", () => {
  const document = array(mesh({ x: 4 }, { process: raw([0, 0, 1, 1]) }), [8], ["x"]);
  const shown = (values: Placement["values"]) =>
    [0, 1, 2, 3].map((p) => new PlacementModel({ ...document, values }).addressable(p));
  expect(shown(null)).toEqual([true, true, false, false]);
  expect(shown({ note: "", blocks: [{ device_id: 3 } as Block] })).toEqual([true, true, false, true]);
});

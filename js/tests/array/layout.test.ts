import * as fc from "fast-check";
import { expect, test } from "vitest";
import { highlightDevice } from "../../src/array/model/selection";
import { arrayMarks } from "../../src/array/scene/array";
import { cardScene } from "../../src/array/scene/card";
import { type Faces, tileAtPoint, tileBoxes, WHOLE } from "../../src/array/scene/faces";
import { bodyMarks, layoutBody } from "../../src/array/scene/layout";
import { LENS } from "../../src/array/scene/lens";
import { ghostBoxes, meshMarks } from "../../src/array/scene/mesh";
import { overlayMarks } from "../../src/array/scene/overlay";
import { paintsOf } from "../../src/array/scene/paints";
import { PlacementModel } from "../../src/core/placement";
import { BlockView } from "../../src/core/values";
import { deviceAtPoint, deviceBox } from "../../src/draw/grid";
import { around, type Box, inside } from "../../src/draw/marks";
import { array, block, mesh } from "../documents";
import { PICTURES } from "../pictures";
import { each, extent, marksOf, paintsWith } from "./cases";

test("every number of a mark is finite and every length is not negative", () =>
  each((model, layout, { lit }) => {
    expect([layout.width, layout.height].every(Number.isFinite)).toBe(true);
    for (const mark of marksOf(model, layout, lit)) {
      for (const [key, value] of Object.entries(mark)) {
        const numbers = key === "points" ? (value as number[][]).flat() : typeof value === "number" ? [value] : [];
        if (!numbers.every(Number.isFinite)) expect.fail(`${key} of ${JSON.stringify(mark)}`);
        if (["w", "h", "r"].includes(key) && value < 0) expect.fail(`${key} of ${JSON.stringify(mark)}`);
      }
      if (mark.kind === "text") {
        for (const { text } of mark.spans) expect(text).not.toMatch(/NaN|undefined|null|Infinity/);
      }
      if (mark.kind === "field") expect(mark.rgb.length).toBe(mark.rows * mark.columns * 3);
    }
  }));

test("no mark is more than 12 px outside the layout", () =>
  each((model, layout, { lit }) => {
    for (const mark of marksOf(model, layout, lit)) {
      const { x, y, w, h } = extent(mark);
      const out = Math.max(-x, -y, x + w - layout.width, y + h - layout.height);
      if (out > 12) expect.fail(`${out} px outside ${layout.width} × ${layout.height}: ${JSON.stringify(mark)}`);
    }
  }));

test("layout is a function of what it is given", () =>
  each((model, layout, { choice, width, docked, lit }) => {
    expect(layoutBody(model, choice, width, docked)).toEqual(layout);
    expect(marksOf(model, layout, lit)).toEqual(marksOf(model, layout, lit));
  }, 30));

const center = (b: Box) => [b.x + b.w / 2, b.y + b.h / 2] as const;

/** Tiles of which something is in view, found by their boxes. */
function shown(model: PlacementModel, faces: Faces): Map<number, Box[]> {
  const tiles = Array.from({ length: Math.min(model.tiles, 600) }, (_, i) => Math.floor((i * model.tiles) / 600));
  const all = model.tiles <= 600 ? [...tiles.keys()].slice(0, model.tiles) : tiles;
  return new Map(all.map((tile) => [tile, tileBoxes(model, faces, tile)]));
}

test("the middle of a tile's box is that tile", () =>
  each((model, { array }) => {
    if (!array) return;
    for (const [tile, boxes] of shown(model, array.faces)) {
      for (const b of boxes) {
        if (b.w > 0 && b.h > 0) expect(tileAtPoint(model, array.faces, ...center(b))).toBe(tile);
      }
    }
  }));

test("the middle of a device's box is that device", () =>
  each((model, { mesh }) => {
    for (let p = 0; p < model.size; p++) {
      expect(deviceAtPoint(model, mesh, ...center(deviceBox(model, mesh, p)))).toBe(p);
    }
  }));

const WIDTHS = [320, 400, 480, 559, 560, 640, 760, 860, 960, 1280];

function expectApart(boxes: readonly (Box & { what?: string })[]): void {
  for (const [i, a] of boxes.entries()) {
    for (const b of boxes.slice(i + 1)) {
      const across = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
      const down = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
      if (Math.min(across, down) > 1e-6) expect.fail(`${JSON.stringify(a)} and ${JSON.stringify(b)} overlap`);
    }
  }
}

test("boxes of tiles, and of devices, do not overlap", () =>
  each((model, { array, mesh }) => {
    if (array) expectApart([...shown(model, array.faces).values()].flat().slice(0, 150));
    expectApart(Array.from({ length: Math.min(model.size, 150) }, (_, p) => deviceBox(model, mesh, p)));
  }));

test("every tile is on some page of facets", () =>
  each((model, { array }, { choice, width, docked }) => {
    if (!array || choice.window || model.tiles > 600) return;
    const reached = new Set<number>();
    const [acrossTotal, downTotal] = array.faces.total;
    let across = 0;
    while (across < acrossTotal) {
      let down = 0;
      let wide = 0;
      while (down < downTotal) {
        const page = layoutBody(model, { ...choice, facet: [across, down] }, width, docked).array;
        if (!page) return expect.fail("the array went away");
        for (const [tile, boxes] of shown(model, page.faces)) if (boxes.length > 0) reached.add(tile);
        wide = page.faces.across.segments.length;
        expect(Math.min(wide, page.faces.down.length)).toBeGreaterThan(0);
        down += page.faces.down.length;
      }
      across += wide;
    }
    expect(reached.size).toBe(model.tiles);
  }, 60));

const RANKS = [
  array(mesh({ x: 4, y: 2 }), [8, 4, 6], ["x", "y"]),
  array(mesh({ x: 4, y: 2 }), [4, 2, 4, 2, 6], ["x", null, "y"]),
  array(mesh({ x: 16, y: 16, z: 16 }), [4096, 8192, 128], ["x", ["y", "z"]]),
];

test.each(RANKS)("facets can be told apart and read at any width, and devices show all that they hold", (document) => {
  const model = new PlacementModel(document);
  for (const width of WIDTHS) {
    const { array: panel, mesh: devices } = layoutBody(model, WHOLE, width, true);
    if (!panel) return expect.fail("there is no array");
    const { faceWidth, faceHeight } = panel.faces;
    expect(Math.min(faceWidth, faceHeight), `${width} px: ${faceWidth} × ${faceHeight}`).toBeGreaterThan(13);
    const texts = arrayMarks(model, panel, paintsWith(model, "position")).flatMap((m) =>
      m.kind === "text" ? m.spans.map((s) => s.text) : [],
    );
    expect(texts.join(" ")).not.toContain("…");
    for (let p = 0; p < Math.min(model.size, 64); p++)
      expect(ghostBoxes(model, devices, p, model.tileAt[p] ?? 0), `device ${p}`).not.toHaveLength(0);
  }
});

test("a mesh says whether it is abstract, and what the ids in its lens are", () => {
  const titles = (size: number, abstract: boolean) => {
    const model = new PlacementModel(array(mesh({ x: size, y: size }, { abstract }), [4096, 4096], ["x"]));
    return layoutBody(model, WHOLE, 900, true).titles.map((t) => t.note);
  };
  expect(titles(4, true)).toContain("positions of an abstract mesh");
  expect(titles(4, false)).toEqual(["", ""]);
  expect(titles(64, true)).toContain("5×5 of 4096 positions");
  expect(titles(64, false)).toContain("5×5 of 4096 devices, by id");
});

test("panels stand apart", () =>
  each((_, { array, mesh, lens, dock }) => {
    const lensBox = lens && { x: lens.x, y: lens.y, w: LENS * (lens.w + 3), h: LENS * (lens.h + 3) };
    const boxes = [array?.box, mesh.box, lensBox, dock].filter((b) => b != null);
    expectApart(boxes);
  }));

test.each(Object.entries(PICTURES))("labels of %s do not touch one another at any width", (_, { document }) => {
  const model = new PlacementModel(document);
  for (const width of WIDTHS) {
    const { marks } = cardScene(model, { width, scheme: "light" });
    const texts = marks.flatMap((m) => (m.kind === "text" && m.spans.some((s) => s.text.trim()) ? [m] : []));
    expectApart(texts.map((m) => ({ ...extent(m), what: `${width} px: ${m.spans.map((s) => s.text).join("")}` })));
  }
});

const NAMES = [
  ["replica", "data", "sequence", "model"],
  ["replica_group", "data_parallel", "sequence_parallel", "tensor_model"],
  ["d", "expert_parallel", "fsdp", "context"],
];
const SIZES = [
  [2, 2, 2],
  [2, 4, 2],
  [4, 4, 4],
  [16, 16, 16],
  [2, 2, 2, 2],
  [4, 4, 2, 4],
  [2, 8, 4, 8],
];

test.each(NAMES)("labels do not touch and keep their indices on meshes of the axes %s, %s, %s, %s", (...names) => {
  let turn = 0;
  for (const sizes of SIZES) {
    const axes = Object.fromEntries(sizes.map((size, i) => [names[i] ?? "", size]));
    const [a = "", b = "", c = "", d = ""] = Object.keys(axes);
    const specs = [
      [[a, b], d ? [c, d] : c],
      [c, null],
      [null, d || a],
    ];
    for (const spec of specs) {
      const model = new PlacementModel(array(mesh(axes), [256, 512], spec));
      // Each width comes to every other of them.
      for (let width = 254 + 40 * (turn++ % 2); width <= 1614; width += 80) {
        const layout = layoutBody(model, WHOLE, width, true);
        const marks = bodyMarks(model, layout, paintsWith(model, "position"));
        const texts = marks.flatMap((m) => (m.kind === "text" ? [m] : []));
        const written = texts.map((m) => ({
          ...extent(m),
          what: `${width} px: ${m.spans.map((s) => s.text).join("")}`,
        }));
        const signs = marks.flatMap((m) => (m.kind === "disc" ? [{ ...extent(m), what: `${width} px: a sign` }] : []));
        expectApart([...written.filter((t) => t.w > 0), ...signs.slice(0, 40)]);
        // A name that has its index beside it is not cut so that the index is lost.
        for (const { text } of texts.flatMap((m) => (m.weight === 700 && m.mono ? m.spans : [])))
          if (text.endsWith("…"))
            expect(
              names.some((name) => name.length > 8 && name.startsWith(text.slice(0, -1).trim())),
              text,
            ).toBe(true);
      }
    }
  }
});

test("no text stands on the stripes of a partial sum", () => {
  const { document } = PICTURES.unreduced ?? {};
  if (!document) return expect.fail("there is no such picture");
  for (const width of [480, 960]) {
    const { marks } = cardScene(new PlacementModel(document), { width, scheme: "dark" });
    const labels = marks.flatMap((m, i) => (m.kind === "text" && m.color === "tile-ink" ? [{ ...extent(m), i }] : []));
    expect(labels).toHaveLength(4);
    for (const { i, ...text } of labels) {
      const under = marks.slice(0, i).findLast((m) => m.kind === "rect" && inside(m, ...center(text)));
      if (under?.kind !== "rect") return expect.fail("there is nothing under the text");
      expect(under.hatch ?? false).toBe(false);
      expect(text.x).toBeGreaterThanOrEqual(under.x);
      expect(text.x + text.w).toBeLessThanOrEqual(under.x + under.w);
    }
  }
});

test("what is pinned has a dot at its tile and its device, whatever else is lit", () => {
  const model = new PlacementModel(array(mesh({ x: 4, y: 2 }), [8, 16], ["x", "y"]));
  const layout = layoutBody(model, WHOLE, 900, true);
  const paints = paintsWith(model, "position");
  const [pinned, other] = [highlightDevice(model, 5), highlightDevice(model, 2)];
  const dots = (lit: typeof other | null, pin: typeof other | null) =>
    overlayMarks(model, layout, paints, lit, pin).flatMap((m) => (m.kind === "rect" && m.fill === "ink" ? [m] : []));
  expect(dots(pinned, null)).toEqual([]);
  const at = dots(pinned, pinned);
  expect(at).toHaveLength(2);
  expect(dots(other, pinned)).toEqual(at);
  const device = deviceBox(model, layout.mesh, 5);
  expect(at.some(({ x, y, w, h }) => x + w / 2 === device.x && y + h / 2 === device.y)).toBe(true);
});

test.each([4, 6, 8, 16])("a ring of %i is two rows, and all its links are as short as each other", (n) => {
  for (const width of [328, 448, 868, 1366]) {
    const model = new PlacementModel(array(mesh({ sequence: n }, { ring: true }), [4 * n, 8], []));
    const { mesh: panel } = layoutBody(model, WHOLE, width, true);
    const boxes = Array.from({ length: n }, (_, p) => deviceBox(model, panel, p));
    expect(new Set(boxes.map((b) => b.y)).size).toBe(2);
    const links = meshMarks(model, panel, paintsWith(model, "position")).flatMap((m) =>
      m.kind === "line" && m.stroke.color === "axis0" ? [m.points] : [],
    );
    expect(links).toHaveLength(n);
    for (const [p, points] of links.entries()) {
      const [[x0, y0], [x1, y1]] = points as [[number, number], [number, number]];
      expect(Math.hypot(x1 - x0, y1 - y0)).toBeCloseTo(panel.pitch[0] - panel.w);
      const ends = [boxes[p], boxes[(p + 1) % n]].map((b) => b && around([b], 0.5));
      for (const b of ends) expect(b && (inside(b, x0, y0) || inside(b, x1, y1))).toBe(true);
    }
    // What neighbours have in common stands on the link between them, the last and the first included.
    const discs = meshMarks(model, panel, paintsWith(model, "position")).filter((m) => m.kind === "disc");
    expect(discs).toHaveLength(panel.density === "cell" ? 1 : n);
  }
});

test("a line is no ring, and neither is one of more devices than stand in two rows", () => {
  const rows = (n: number, ring: boolean) => {
    const model = new PlacementModel(array(mesh({ i: n }, { ring }), [n, 8], ["i"]));
    const { mesh: panel } = layoutBody(model, WHOLE, 868, true);
    return { ring: panel.ring, rows: panel.rows };
  };
  expect(rows(8, false)).toEqual({ ring: false, rows: 8 });
  expect(rows(32, true)).toEqual({ ring: false, rows: 4 });
  expect(rows(16, true)).toEqual({ ring: true, rows: 2 });
});

test("numbers in cells have room and three digits of the greatest, or there are none", () => {
  const kinds = {
    f4: fc.oneof(fc.float(), fc.float({ min: -8, max: 8 })),
    f8: fc.oneof(
      fc.double({ min: -1e100, max: 1e100 }).map((v) => (Math.abs(v) < 1e-100 ? 0 : v)),
      fc.integer({ min: -999, max: 999 }).map((k) => k / 1000),
    ),
    i4: fc.oneof(fc.integer({ min: -9, max: 9 }), fc.integer()),
    b1: fc.nat({ max: 1 }),
  } as const;
  const arrays = { f4: Float32Array, f8: Float64Array, i4: Int32Array, b1: Uint8Array } as const;
  const drawn = fc.constantFrom(...(["f4", "f8", "i4", "b1"] as const)).chain((format) =>
    fc.record({
      format: fc.constant(format),
      numbers: fc.array<number>(kinds[format], { minLength: 8, maxLength: 8 }),
      columns: fc.constantFrom(1, 2, 4, 8),
      width: fc.integer({ min: 280, max: 1300 }),
    }),
  );
  fc.assert(
    fc.property(drawn, ({ format, numbers, columns, width }) => {
      const shape = [8 / columns, columns];
      const document = array(mesh({ x: 1 }), shape, []);
      const model = new PlacementModel(document);
      const data = new DataView(arrays[format].from(numbers).buffer);
      const view = new BlockView({ ...block(0, shape, numbers), format, data });
      const paints = paintsOf(model, "light", "values", new Map([[0, view]]));
      const { array: panel } = layoutBody(model, { ...WHOLE, cell: paints.cell }, width, true);
      if (!panel) return expect.fail("there is no array");
      const texts = arrayMarks(model, panel, paints).flatMap((m) =>
        m.kind === "text" && m.color === "tile-ink" ? [m] : [],
      );
      // Cells are as wide as the widest number needs, wherever there is room for that.
      if (texts.length === 0) {
        expect(columns * (paints.cell ?? 0)).toBeGreaterThan(width / 4);
        return;
      }
      expect(texts).toHaveLength(8);
      const { low, high, power } = paints.range;
      for (const [i, m] of texts.entries()) {
        expect(extent(m).w).toBeLessThanOrEqual(panel.faces.faceWidth / columns);
        const [text = "", v] = [m.spans[0]?.text, view.number(i)];
        if (format === "b1") expect(text[0]).toBe(v ? "T" : "F");
        else if (Number.isFinite(v)) {
          const most = Math.max(Math.abs(v), Math.abs(low), Math.abs(high));
          expect(Math.abs(Number(text) * 10 ** power - v)).toBeLessThanOrEqual(0.0051 * most);
        } else expect(text).toBe(Number.isNaN(v) ? "nan" : v > 0 ? "inf" : "-inf");
      }
    }),
    { numRuns: 200 },
  );
});

test("coloured by values, every plane has a facet of its own, and says which it is", () => {
  const shape = [4, 12, 2, 4];
  const model = new PlacementModel(array(mesh({ x: 2, y: 2 }), shape, ["x", null, "y", null]));
  const numbers = Array.from({ length: 2 * 12 * 4 }, (_, i) => i);
  const views = [...model.ids].map((id): [number, BlockView] => [id, new BlockView(block(id, [2, 12, 1, 4], numbers))]);
  const paints = paintsOf(model, "light", "values", new Map(views));
  const seen = new Set<string>();
  const step = (from: number, total: number, shown: number) => Math.min(from + shown, total);
  for (let across = 0; across < 4; ) {
    let wide = 0;
    for (let down = 0; down < 12; ) {
      const choice = { ...WHOLE, cell: paints.cell, facet: [across, down] as const };
      const { array: panel } = layoutBody(model, choice, 900, true);
      if (!panel) return expect.fail("there is no array");
      expect(panel.faces.total).toEqual([4, 12]);
      wide = panel.faces.across.segments.length;
      for (const m of arrayMarks(model, panel, paints))
        if (m.kind === "text" && m.spans[0]?.text.startsWith("[")) seen.add(m.spans[0].text);
      down = step(down, 12, panel.faces.down.length);
    }
    across = step(across, 4, wide);
  }
  const planes = [...seen].map((text) => text.match(/\d+/g)?.map(Number));
  expect(planes.sort()).toEqual(Array.from({ length: 48 }, (_, i) => [Math.floor(i / 4), i % 4]).sort());
});

test("the legend says what the colours of values are of", () => {
  const legendOf = (format: "f4" | "c8" | "b1", numbers: readonly number[]) => {
    const model = new PlacementModel(array(mesh({ x: 1 }), [4]));
    const arrays = { f4: Float32Array, c8: Float32Array, b1: Uint8Array };
    const data = new DataView(arrays[format].from(numbers).buffer);
    const view = new BlockView({ ...block(0, [4], numbers), format, data });
    const paints = paintsOf(model, "light", "values", new Map([[0, view]]));
    const marks = bodyMarks(model, layoutBody(model, { ...WHOLE, cell: paints.cell }, 900, true), paints);
    const words = marks.flatMap((m) => (m.kind === "text" ? [m.spans.map((s) => s.text).join("")] : []));
    return words.find((text) => text.includes("■"))?.replace(/ +/g, " ");
  };
  expect(legendOf("f4", [1, 2, 3, 4])).toBe("Logical array ≤ 1 ■■■■■■■■■ ≥ 4");
  expect(legendOf("f4", [1, 2, 3, Number.NaN])).toBe("Logical array ≤ 1 ■■■■■■■■■ ≥ 3 ■ nan, inf");
  expect(legendOf("c8", [3, 4, 0, 0, 0, 1, 0, 2])).toBe("Logical array |z| ≤ 0 ■■■■■■■■■ |z| ≥ 5");
  expect(legendOf("b1", [0, 1, 0, 1])).toBe("Logical array False ■■■■■■■■■ True");
});

test("a dimension is named beside its size, however low its picture is", () => {
  const placed = array(mesh({ data: 4, fsdp: 4, tensor: 2 }), [64, 128, 256], ["data", "fsdp", "tensor"]);
  const model = new PlacementModel(placed);
  const layout = layoutBody(model, { ...WHOLE, inOrder: true }, 478, true, 200);
  const turned = marksOf(model, layout, null).flatMap((mark) =>
    mark.kind === "text" && mark.turned ? mark.spans.map((span) => span.text).join("") : [],
  );
  expect(turned).toContain("dim 1 128");
});

import { expect, test } from "vitest";
import type { PlacementModel } from "../../src/model/placement";
import { type Faces, tileAtPoint, tileBoxes } from "../../src/scene/faces";
import { layoutBody } from "../../src/scene/layout";
import { deviceAtPoint, deviceBox } from "../../src/scene/mesh";
import type { Box } from "../../src/scene/scene";
import { each, extent, marksOf } from "./cases";

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

test("boxes of tiles, and of devices, do not overlap", () =>
  each((model, { array, mesh }) => {
    const apart = (boxes: readonly Box[]) => {
      for (const [i, a] of boxes.entries()) {
        for (const b of boxes.slice(i + 1)) {
          const overlap = Math.min(
            Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x),
            Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y),
          );
          if (overlap > 1e-6) expect.fail(`${JSON.stringify(a)} and ${JSON.stringify(b)}`);
        }
      }
    };
    if (array) apart([...shown(model, array.faces).values()].flat().slice(0, 150));
    apart(Array.from({ length: Math.min(model.size, 150) }, (_, p) => deviceBox(model, mesh, p)));
  }));

test("every tile is on some page of facets", () =>
  each((model, { array }, { choice, width, docked }) => {
    if (!array || choice.window || model.tiles > 600) return;
    const reached = new Set<number>();
    const { acrossTotal, downTotal } = array.faces;
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

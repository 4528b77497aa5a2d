import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MINI, miniMarks, miniOf, tileIn } from "../../src/comparison/scene/mini";
import { PlacementModel } from "../../src/core/placement";
import { broken } from "../../src/draw/broken";
import { textWidth } from "../../src/draw/measure";
import { array, mesh, type Split } from "../documents";

const place = (axes: Record<string, number>, shape: number[], split: Split[], rest = {}) =>
  new PlacementModel(array(mesh(axes), shape, split, rest));
const fills = (p: PlacementModel) =>
  miniMarks(p, miniOf(p), "light").flatMap((m) => (m.kind === "rect" ? [m.fill] : []));

test("a tile a rectangle, in the colour that it has everywhere", () => {
  const p = place({ x: 4, y: 2 }, [8, 16], ["x", "y"]);
  expect(fills(p)).toEqual(["#aad1fd", "#5a9be2", "#baf3d0", "#5ec48e", "#e6cf98", "#bc962e", "#f3b7cd", "#d17399"]);
  expect(miniOf(p).cells.map((c) => c.tile)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test("one split dimension runs down, or across where it is the last; none is one rectangle", () => {
  const rows = miniOf(place({ x: 4, y: 2 }, [8, 16], ["x", null])).cells;
  expect(new Set(rows.map((c) => c.x)).size).toBe(1);
  const columns = miniOf(place({ x: 4, y: 2 }, [8, 16], [null, "y"])).cells;
  expect(new Set(columns.map((c) => c.y)).size).toBe(1);
  expect(miniOf(place({ x: 4, y: 2 }, [16], ["y"])).cells).toHaveLength(2);
  expect(miniOf(place({ x: 4, y: 2 }, [], [])).cells).toHaveLength(1);
});

test("partial sums are hatched, with a dashed edge", () => {
  const p = place({ x: 4, y: 2 }, [8, 16], ["x", null], { unreduced: ["y"] });
  for (const mark of miniMarks(p, miniOf(p), "dark"))
    expect(mark).toMatchObject({ hatch: true, stroke: { dash: [2, 1.5] } });
});

const SIZES = fc.constantFrom(1, 2, 3, 4, 8, 16, 64);

test("every picture keeps its size, shows tiles of its own, and knows each by its middle", () => {
  fc.assert(
    fc.property(SIZES, SIZES, SIZES, fc.constantFrom(0, 1, 2, 3), (a, b, c, extra) => {
      const shape = [a * 2, b * 2, c * 2, ...Array.from({ length: extra }, () => 3)];
      const p = place({ a, b, c }, shape, ["a", "b", "c", ...Array.from({ length: extra }, () => null)]);
      const mini = miniOf(p);
      expect(mini.height).toBeLessThanOrEqual(MINI.height + 1e-9);
      expect(new Set(mini.cells.map((cell) => cell.tile)).size).toBe(mini.cells.length);
      for (const cell of mini.cells) {
        expect(cell.tile).toBeLessThan(p.tiles);
        expect(cell.x + cell.w).toBeLessThanOrEqual(MINI.width + 1e-9);
        expect(tileIn(mini, cell.x + cell.w / 2, cell.y + cell.h / 2)).toBe(cell.tile);
      }
    }),
  );
});

test("outside of the tiles there is none", () => {
  const mini = miniOf(place({ x: 4, y: 2 }, [8, 16], ["x", "y"]));
  expect([tileIn(mini, -1, 3), tileIn(mini, 3, 60), tileIn(mini, 90, 3)]).toEqual([null, null, null]);
});

test("long code goes on behind commas, and nothing of it is lost", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 9 }), (pieces) => {
      const text = pieces.map((p) => p.replace(/\n/g, " ")).join(",");
      const lines = broken([{ text }], 120, 12, 99).map((line) => line.map((s) => s.text).join(""));
      if (lines.every((l) => !l.endsWith("…"))) expect(lines.join("")).toBe(text);
      for (const line of lines) expect(textWidth(line, 12, true)).toBeLessThanOrEqual(120);
    }),
  );
  const one = broken([{ text: "f32[128", weight: 600 }, { text: "@x" }, { text: ",256]" }], 75, 12);
  expect(one.map((line) => line.map((s) => s.text))).toEqual([["f32[128", "@x", ","], ["256]"]]);
});

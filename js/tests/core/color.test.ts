import {
  type Color,
  clampChroma,
  differenceEuclidean,
  filterDeficiencyDeuter,
  filterDeficiencyProt,
  filterDeficiencyTrit,
  rgb,
  wcagContrast,
} from "culori";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hex, oklch, positionColor, type Rgb, type Scheme, tileColors, valueColor } from "../../src/core/color";
import { PlacementModel } from "../../src/core/placement";
import { theme } from "../../src/draw/paint/theme";
import { placements } from "../arbitrary";
import { array, mesh } from "../documents";

const SCHEMES = ["light", "dark"] as const;
const ALL = [...SCHEMES, "light-safe", "dark-safe"] as const;

// The table of the visual language: 4 × 2 tiles, row by row.
const GRID: Readonly<Record<(typeof SCHEMES)[number], string>> = {
  light: "#aad1fd #5a9be2 #baf3d0 #5ec48e #e6cf98 #bc962e #f3b7cd #d17399",
  dark: "#9ac6f8 #5394da #a8e9c3 #56bc87 #ddc385 #b48e23 #eca9c2 #c86b92",
};

test.each(SCHEMES)("the eight tiles of a 4 × 2 grid have the designed colours, %s", (scheme) => {
  const color = tileColors(new PlacementModel(array(mesh({ x: 4, y: 2 }), [8, 16], ["x", "y"])), scheme);
  expect(Array.from({ length: 8 }, (_, tile) => hex(color(tile))).join(" ")).toBe(GRID[scheme]);
});

test("OKLCH becomes sRGB as in culori, chroma reduced where sRGB ends", () => {
  for (let h = 0; h < 360; h += 7) {
    for (const c of [0, 0.04, 0.125, 0.3]) {
      for (const l of [0.3, 0.6, 0.9]) {
        const theirs = rgb(clampChroma({ mode: "oklch", l, c, h }, "oklch", "rgb"));
        const ours = oklch(l, c, h);
        [theirs.r, theirs.g, theirs.b].forEach((v, i) => {
          expect(Math.abs((ours[i] ?? 0) - 255 * v), `l=${l} c=${c} h=${h}`).toBeLessThanOrEqual(1.5);
        });
      }
    }
  }
});

test("the most split dimension chooses hue, wherever it stands", () => {
  const on = mesh({ x: 4, y: 2 });
  const a = tileColors(new PlacementModel(array(on, [8, 16], ["x", "y"])), "light");
  const b = new PlacementModel(array(on, [8, 16], ["y", "x"]));
  expect(tileColors(b, "light")(b.tileIndex([1, 2]))).toEqual(a(5));
});

test.each(ALL)("blocks have equal colours where they are equal, and only there, %s", (scheme) => {
  fc.assert(
    fc.property(placements(256), (document) => {
      const model = new PlacementModel(document);
      fc.pre(model.tiles <= 256);
      const color = tileColors(model, scheme);
      const seen = new Map<string, number>();
      model.tileAt.forEach((tile) => {
        const look = hex(color(tile));
        expect(seen.get(look) ?? tile, look).toBe(tile);
        seen.set(look, tile);
      });
      expect(seen.size).toBe(new Set(model.tileAt).size);
    }),
    { numRuns: 100 },
  );
});

/** Least contrast of the ink of tiles on colours. */
function least(colors: Iterable<Rgb>, scheme: Scheme): number {
  const ink = theme(scheme).tokens["tile-ink"] ?? "";
  return Math.min(...[...new Set([...colors].map(hex))].map((c) => wcagContrast(c, ink)));
}

// The least is 5.39, on one of the designed colours above.
test.each(ALL)("text on tiles has a contrast of 5.38 on every colour up to 64 × 64, %s", (scheme) => {
  const all: Rgb[] = [];
  for (const n of [...Array.from({ length: 20 }, (_, i) => i + 1), 32, 48, 64]) {
    for (const m of [1, 2, 3, 5, 16, 64].filter((k) => k <= n)) {
      for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) all.push(positionColor(i, n, j, m, scheme));
    }
  }
  expect(least(all, scheme)).toBeGreaterThanOrEqual(5.38);
});

test.each(SCHEMES)("numbers on heat cells can be read: a contrast of 4.5, %s", (scheme) => {
  const ramp = (low: number, high: number) =>
    Array.from({ length: 101 }, (_, i) => valueColor(low + ((high - low) * i) / 100, low, high, scheme));
  expect(least([...ramp(-1, 1), ...ramp(0, 1), ...ramp(-1, 0), ...ramp(2, 2)], scheme)).toBeGreaterThanOrEqual(4.5);
});

const VISIONS = [
  (c: Color) => c,
  ...[filterDeficiencyProt, filterDeficiencyDeuter, filterDeficiencyTrit].map((f) => f()),
];
const apart = differenceEuclidean("oklab");

/** The least distance between any two colours, in any vision. */
function closest(colors: readonly string[]): number {
  const seen = VISIONS.map((vision) => colors.map((c) => vision(rgb(c) ?? c)));
  const pairs = seen.flatMap((all) => all.flatMap((a, i) => all.slice(i + 1).map((b) => apart(a, b))));
  return Math.min(...pairs);
}

test.each(["light-safe", "dark-safe"] as const)(
  "the safe palette stays apart for every colour vision, %s",
  (scheme) => {
    for (const n of [2, 3, 4, 5, 6, 7, 8]) {
      const tiles = Array.from({ length: n }, (_, i) => hex(positionColor(i, n, 0, 1, scheme)));
      expect(closest(tiles), `${n} tiles`).toBeGreaterThan(0.065);
    }
    const grid = Array.from({ length: 8 }, (_, k) => hex(positionColor(k >> 1, 4, k & 1, 2, scheme)));
    expect(closest(grid)).toBeGreaterThan(0.065);
    const { tokens } = theme(scheme);
    const axes = Array.from({ length: 6 }, (_, i) => tokens[`axis${i}`] ?? "");
    expect(closest(axes)).toBeGreaterThan(0.12);
    for (const axis of axes) expect(wcagContrast(axis, tokens.bg ?? "")).toBeGreaterThanOrEqual(4.5);
  },
);

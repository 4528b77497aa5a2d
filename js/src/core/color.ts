/** Colours of data. A tile's colour says where it lies in the global array, so replicas repeat it. */

import type { PlacementModel } from "./placement";

/** Ground and palette. The safe palette keeps colours apart for protanopia, deuteranopia and tritanopia. */
export type Scheme = "light" | "dark" | "light-safe" | "dark-safe";
export type Rgb = readonly [number, number, number];

/** Zeros, and blocks of which it is not known whose they are. */
export const NOBODYS: Rgb = [150, 158, 168];

const FEW_HUES: Readonly<Record<number, readonly (readonly [hue: number, dL: number])[]>> = {
  1: [[252, -0.037]],
  2: [
    [252, -0.037],
    [75, 0],
  ],
  3: [
    [252, -0.037],
    [158, 0.031],
    [75, -0.02],
  ],
  4: [
    [252, -0.037],
    [158, 0.031],
    [88, -0.025],
    [355, -0.044],
  ],
};

/**
 * One to eight colours that differ for every kind of colour vision: lightness and chroma in thousandths, hue. Found by
 * a search for the largest minimum distance in OKLab under Machado's simulations, at lightnesses on which dark text
 * can be read.
 */
// biome-ignore format: a line for each number of colours
const SAFE = [
  800, 100, 252,
  760, 120, 252, 940, 100, 100,
  710, 160, 260, 710, 160, 48, 940, 32, 78,
  732, 116, 264, 711, 160, 33, 929, 114, 197, 876, 153, 101,
  786, 111, 297, 710, 98, 172, 710, 144, 88, 880, 62, 176, 903, 153, 101,
  808, 128, 256, 710, 135, 68, 925, 76, 205, 819, 90, 86, 710, 1, 19, 938, 96, 105,
  744, 94, 247, 710, 160, 63, 935, 116, 211, 812, 160, 89, 710, 36, 90, 919, 85, 86, 816, 17, 137,
  838, 160, 211, 710, 145, 70, 761, 54, 322, 836, 104, 94, 710, 100, 147, 935, 28, 168, 710, 149, 323, 837, 37, 153,
];

/** Colour k of n in the safe palette; beyond eight, from dark blue to light yellow. */
function safeColor(k: number, n: number, dark: boolean): Rgb {
  const t = n > 1 ? k / (n - 1) : 0;
  const at = 3 * ((n * (n - 1)) / 2 + k);
  const [l, c, h] = n > 8 ? [700 + 240 * t, 130 * Math.abs(1 - 2 * t), t < 0.5 ? 252 : 100] : SAFE.slice(at, at + 3);
  return oklch((l ?? 0) / 1000 - (dark ? 0.01 : 0), (c ?? 0) / 1000, h ?? 0);
}

/** Whether the ground is dark. */
export function isDark(scheme: Scheme): boolean {
  return scheme.startsWith("dark");
}

/** Whether the palette is the safe one. */
function isSafe(scheme: Scheme): boolean {
  return scheme.endsWith("-safe");
}

/** Colour of position (i of n) in the most split dimension and (j of m) in the next: hue, then lightness. */
export function positionColor(i: number, n: number, j: number, m: number, scheme: Scheme): Rgb {
  if (isSafe(scheme)) return safeColor(i * m + j, n * m, isDark(scheme));
  const few = FEW_HUES[n]?.[i];
  const hue = few ? few[0] : 252 - (262 * i) / (n - 1);
  const dL = few ? few[1] : n <= 16 ? (i % 2 === 0 ? 0.012 : -0.02) : 0;
  const t = m > 1 ? j / (m - 1) : 0.3;
  const [l0, l1, c0, c1] = isDark(scheme) ? [0.85, 0.69, 0.085, 0.125] : [0.885, 0.715, 0.075, 0.125];
  return oklch(l0 + (l1 - l0) * t + dL, c0 + (c1 - c0) * t, hue);
}

/**
 * The colour of every tile by its place, another for each: the dimensions, most parts first, choose hue and lightness
 * in turn. The third of them divides the hues of the first.
 */
export function tileColors(model: PlacementModel, scheme: Scheme): (tile: number) => Rgb {
  const { grid } = model;
  const order = [...grid.keys()].sort((a, b) => (grid[b] ?? 1) - (grid[a] ?? 1) || a - b);
  const known = new Map<number, Rgb>();
  return (tile) => {
    let color = known.get(tile);
    if (!color) {
      const parts = model.parts(tile);
      const [at, of] = [[0, 0] as [number, number], [1, 1] as [number, number]];
      order.forEach((dim, k) => {
        const i = k % 2 === 0 ? 0 : 1;
        at[i] = at[i] * (grid[dim] ?? 1) + (parts[dim] ?? 0);
        of[i] *= grid[dim] ?? 1;
      });
      color = positionColor(at[0], of[0], at[1], of[1], scheme);
      known.set(tile, color);
    }
    return color;
  };
}

/** Colour of a value: one ramp, or two from a neutral middle where the range crosses zero; red for NaN and infinities. */
export function valueColor(value: number, low: number, high: number, scheme: Scheme): Rgb {
  if (!Number.isFinite(value)) return [230, 114, 104];
  if (low < 0 && high > 0) {
    const reach = Math.max(-low, high);
    const t = clamp(Math.abs(value) / reach);
    const hue = value < 0 ? 252 : 55;
    return isDark(scheme) ? oklch(0.6 + 0.22 * t, 0.13 * t, hue) : oklch(0.96 - 0.3 * t, 0.15 * t, hue);
  }
  const t = high > low ? clamp((value - low) / (high - low)) : 0.5;
  return isDark(scheme)
    ? oklch(0.62 + 0.26 * t, 0.09, 290 - 90 * t)
    : oklch(0.95 - 0.33 * t, 0.03 + 0.1 * t, 215 + 75 * t);
}

/** Colour of a device id, a neutral ramp: ids have no place in the array, so they get no hue. */
export function idColor(rank: number, count: number, scheme: Scheme): Rgb {
  const t = count > 1 ? rank / (count - 1) : 0;
  return isDark(scheme) ? oklch(0.66 + 0.2 * t, 0.012, 250) : oklch(0.93 - 0.2 * t, 0.012, 250);
}

export function hex([r, g, b]: Rgb): `#${string}` {
  return `#${((1 << 24) | (r << 16) | (g << 8) | b).toString(16).slice(1)}`;
}

/** OKLCH to sRGB bytes; chroma is reduced by bisection until the colour is one that sRGB has. */
export function oklch(lightness: number, chroma: number, hue: number): Rgb {
  let rgb = linear(lightness, chroma, hue);
  if (!inGamut(rgb)) {
    let low = 0;
    let high = chroma;
    for (let step = 0; step < 12; step++) {
      const middle = (low + high) / 2;
      if (inGamut(linear(lightness, middle, hue))) low = middle;
      else high = middle;
    }
    rgb = linear(lightness, low, hue);
  }
  return [gamma(rgb[0]), gamma(rgb[1]), gamma(rgb[2])];
}

// Björn Ottosson, "A perceptual color space for image processing" (2020).
function linear(L: number, C: number, hue: number): Rgb {
  const a = C * Math.cos((hue * Math.PI) / 180);
  const b = C * Math.sin((hue * Math.PI) / 180);
  const l = (L + 0.396338 * a + 0.215804 * b) ** 3;
  const m = (L - 0.105561 * a - 0.063854 * b) ** 3;
  const s = (L - 0.089484 * a - 1.291486 * b) ** 3;
  return [
    4.076742 * l - 3.307712 * m + 0.23097 * s,
    -1.268438 * l + 2.609757 * m - 0.341319 * s,
    -0.004196 * l - 0.703419 * m + 1.707615 * s,
  ];
}

function inGamut(rgb: Rgb): boolean {
  return rgb.every((v) => v >= -1e-4 && v <= 1.0001);
}

function gamma(v: number): number {
  const c = clamp(v);
  return Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));
}

function clamp(t: number): number {
  return Math.min(1, Math.max(0, t));
}

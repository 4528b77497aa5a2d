/** Colours of data. A tile's colour says where it lies in the global array, so replicas repeat it. */

import type { PlacementModel } from "./placement";

/** Ground and palette. The safe palette keeps colours apart for protanopia, deuteranopia and tritanopia. */
export type Scheme = "light" | "dark" | "light-safe" | "dark-safe";
export type Rgb = readonly [number, number, number];

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
 * Up to eight colours that stay apart for every colour vision: lightness, chroma and hue. Found by a search for the
 * greatest least distance in OKLab under Machado's simulations, at lightnesses on which dark text can be read.
 */
const SAFE: readonly (readonly (readonly [number, number, number])[])[] = [
  [[0.8, 0.1, 252]],
  [
    [0.76, 0.12, 252],
    [0.94, 0.1, 100],
  ],
  [
    [0.71, 0.16, 260],
    [0.71, 0.16, 48],
    [0.94, 0.032, 78],
  ],
  [
    [0.732, 0.116, 264],
    [0.711, 0.16, 33],
    [0.929, 0.114, 197],
    [0.876, 0.153, 101],
  ],
  [
    [0.786, 0.111, 297],
    [0.71, 0.098, 172],
    [0.71, 0.144, 88],
    [0.88, 0.062, 176],
    [0.903, 0.153, 101],
  ],
  [
    [0.808, 0.128, 256],
    [0.71, 0.135, 68],
    [0.925, 0.076, 205],
    [0.819, 0.09, 86],
    [0.71, 0.001, 19],
    [0.938, 0.096, 105],
  ],
  [
    [0.744, 0.094, 247],
    [0.71, 0.16, 63],
    [0.935, 0.116, 211],
    [0.812, 0.16, 89],
    [0.71, 0.036, 90],
    [0.919, 0.085, 86],
    [0.816, 0.017, 137],
  ],
  [
    [0.838, 0.16, 211],
    [0.71, 0.145, 70],
    [0.761, 0.054, 322],
    [0.836, 0.104, 94],
    [0.71, 0.1, 147],
    [0.935, 0.028, 168],
    [0.71, 0.149, 323],
    [0.837, 0.037, 153],
  ],
];

/** Colour k of n in the safe palette; beyond eight, from dark blue to light yellow. */
function safeColor(k: number, n: number, dark: boolean): Rgb {
  const t = n > 1 ? k / (n - 1) : 0;
  const [l, c, h] = SAFE[n - 1]?.[k] ?? [0.7 + 0.24 * t, 0.13 * Math.abs(1 - 2 * t), t < 0.5 ? 252 : 100];
  return oklch(dark ? l - 0.01 : l, c, h);
}

/** Whether the ground is dark. */
export function isDark(scheme: Scheme): boolean {
  return scheme.startsWith("dark");
}

/** Whether the palette is the safe one. */
export function isSafe(scheme: Scheme): boolean {
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

/** The colour of every tile by its place; the two dimensions with most parts choose hue and lightness. */
export function tileColors(model: PlacementModel, scheme: Scheme): (tile: number) => Rgb {
  const order = model.grid.map((_, d) => d).sort((a, b) => (model.grid[b] ?? 1) - (model.grid[a] ?? 1) || a - b);
  const [hue, light] = order;
  const n = hue === undefined ? 1 : (model.grid[hue] ?? 1);
  const m = light === undefined ? 1 : (model.grid[light] ?? 1);
  const known = new Map<number, Rgb>();
  return (tile) => {
    const parts = model.parts(tile);
    const i = hue === undefined ? 0 : (parts[hue] ?? 0);
    const j = light === undefined ? 0 : (parts[light] ?? 0);
    const key = i * m + j;
    let color = known.get(key);
    if (!color) {
      color = positionColor(i, n, j, m, scheme);
      known.set(key, color);
    }
    return color;
  };
}

/** Colour of a value: one ramp, or two from a neutral middle where the range crosses zero. */
export function valueColor(value: number, low: number, high: number, scheme: Scheme): Rgb {
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
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
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

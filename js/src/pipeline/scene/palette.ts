/** Colours of microbatches: a place in the batch is a place in data, so it has the colours of data. */
import { hex, isDark, positionColor, type Rgb, type Scheme } from "../../core/color";
import { F, W } from "../model/tasks";

export interface Palette {
  readonly scheme: Scheme;
  /** By microbatch: a forward task is light, a backward task dark, a weight half in between. */
  readonly forward: readonly Rgb[];
  readonly backward: readonly Rgb[];
  readonly weight: readonly Rgb[];
  readonly idle: Rgb;
  /** What colours fade to. */
  readonly ground: Rgb;
}

export function paletteOf(microbatches: number, scheme: Scheme): Palette {
  const of = (j: number) =>
    Array.from({ length: microbatches }, (_, k) => positionColor(k, microbatches, j, 3, scheme));
  const idle: Rgb = isDark(scheme) ? [36, 42, 49] : [233, 236, 240];
  const ground: Rgb = isDark(scheme) ? [22, 25, 29] : [255, 255, 255];
  return { scheme, forward: of(0), weight: of(1), backward: of(2), idle, ground };
}

export function rgbOf(palette: Palette, kind: number, microbatch: number): Rgb {
  const row = kind === F ? palette.forward : kind === W ? palette.weight : palette.backward;
  return row[microbatch] ?? palette.idle;
}

export function colorOf(palette: Palette, kind: number, microbatch: number): `#${string}` {
  return hex(rgbOf(palette, kind, microbatch));
}

/** A colour on its way to another: what is not followed fades. */
export function faded([r, g, b]: Rgb, [x, y, z]: Rgb, alpha: number): Rgb {
  const mix = (from: number, to: number) => Math.round(to + (from - to) * alpha);
  return [mix(r, x), mix(g, y), mix(b, z)];
}

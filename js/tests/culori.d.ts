declare module "culori" {
  interface Oklch {
    mode: "oklch";
    l: number;
    c: number;
    h: number;
  }
  interface Rgb {
    mode: "rgb";
    r: number;
    g: number;
    b: number;
  }
  export function parse(color: string): Rgb;
  export function rgb(color: string | Oklch | Rgb): Rgb;
  export function toGamut(gamut: "rgb", mode: "oklch", difference: null, jnd: number): (color: Oklch) => Rgb;
  export function clampChroma(color: Oklch, mode: "oklch", gamut: "rgb"): Oklch;
  export function wcagContrast(a: string | Rgb, b: string | Rgb): number;
  export function interpolate(colors: readonly string[], mode: "rgb"): (t: number) => Rgb;
  type Color = Rgb | Oklch;
  export function differenceEuclidean(mode: string): (a: Color, b: Color) => number;
  export function filterDeficiencyProt(): (color: Color) => Color;
  export function filterDeficiencyDeuter(): (color: Color) => Color;
  export function filterDeficiencyTrit(): (color: Color) => Color;
}

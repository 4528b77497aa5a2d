/** What the colour tokens of a scene mean in the light and the dark theme. */
import { isDark, type Scheme } from "../../core/color";
import type { Color } from "../marks";
import { copiesBackground } from "./shapes";

export interface Theme {
  scheme: Scheme;
  ui: string;
  mono: string;
  tokens: Readonly<Record<string, string>>;
}

const AXES: Readonly<Record<Scheme, readonly string[]>> = {
  light: ["#0B5FC0", "#B54700", "#7A1450", "#007A64", "#756300", "#6B5BD2"],
  dark: ["#6DB0FF", "#FF9F5A", "#F3C6E4", "#4FD1A5", "#E0C84E", "#B79CFF"],
  "light-safe": ["#0D0182", "#985A80", "#4B8006", "#634301", "#18435E", "#3B2302"],
  "dark-safe": ["#56A9FF", "#FE71AB", "#DDDF1D", "#68DDFC", "#B3AC54", "#D2FEBE"],
};

const TOKENS: Readonly<Record<"light" | "dark", Readonly<Record<string, string>>>> = {
  light: {
    ink: "#1B1F24",
    muted: "#57606C",
    faint: "#B4BCC6",
    line: "#DDE2E8",
    bg: "#FFFFFF",
    panel: "#F5F6F8",
    edge: "rgba(27,31,36,0.46)",
    cell: "rgba(255,255,255,0.55)",
    "tile-ink": "#14181D",
    error: "#B3261E",
    warn: "#7A5200",
    ok: "#14703A",
  },
  dark: {
    ink: "#E8ECF1",
    muted: "#A7B0BC",
    faint: "#56606D",
    line: "#333B45",
    bg: "#16191D",
    panel: "#1E2329",
    edge: "rgba(14,17,20,0.6)",
    cell: "rgba(14,17,20,0.35)",
    "tile-ink": "#0E1114",
    error: "#FF9C93",
    warn: "#FFCB74",
    ok: "#7FDFA5",
  },
};

/** Of bytes and times. */
const BYTES: typeof TOKENS = {
  light: {
    area: "#DCE6F3",
    tick: "#8FA6C4",
    cpb: "#FBEBCF",
    cph: "#AD7214",
    k0: "#C5CDD8",
    kedge: "rgba(27,31,36,0.46)",
    gap: "#E9ECF0",
  },
  dark: {
    area: "#2A3B53",
    tick: "#7F93AD",
    cpb: "#3B2E14",
    cph: "#C79A48",
    k0: "#5E6B7A",
    kedge: "rgba(232,236,241,0.4)",
    gap: "#242A31",
  },
};

export const UI_FONT = '"DejaVu Sans Condensed", system-ui, sans-serif';
export const MONO_FONT = '"DejaVu Sans Mono", ui-monospace, Menlo, Consolas, monospace';

/**
 * Our own theme, with a page's own neutral colours and fonts in their places where it gives them. With more `contrast`,
 * what is grey comes nearer to the ink.
 */
export function theme(
  scheme: Scheme,
  page: Readonly<Record<string, string>> = {},
  ui = UI_FONT,
  mono = MONO_FONT,
  contrast = false,
): Theme {
  const ground = isDark(scheme) ? "dark" : "light";
  const bytes = DRAWS_BYTES ? { ...BYTES[ground], copies: copiesBackground() } : {};
  const tokens: Record<string, string> = { ...TOKENS[ground], ...bytes, ...page };
  if (contrast) {
    const { ink = "", muted = "" } = tokens;
    Object.assign(tokens, { muted: ink, edge: ink, faint: muted, line: muted });
  }
  AXES[scheme].forEach((color, i) => {
    tokens[`axis${i}`] = color;
  });
  return { scheme, ui, mono, tokens };
}

export function resolve(color: Color, t: Theme): string {
  return t.tokens[color] ?? color;
}

/** Light or dark, neutral colours and fonts, read from the page around the widget: Jupyter, VS Code, marimo, or none. */
import { MONO_FONT, type Theme, theme, UI_FONT } from "../draw/paint/theme";

/** Page variables to use for a token, in order of preference. Ours stay where a page's would be unreadable. */
const GROUNDS = ["--jp-layout-color0", "--vscode-editor-background", "--background"];

/** What Python chose: a theme of its own or that of the page, and a palette. */
export interface Look {
  theme: "auto" | "light" | "dark";
  palette: "standard" | "colorblind";
}

export function pageTheme(el: Element, look: Partial<Look> = {}): Theme {
  const style = getComputedStyle(el);
  const read = (names: readonly string[]) =>
    names.map((n) => style.getPropertyValue(n).trim()).find((v) => v !== "") ?? "";
  const ground = rgbOf(read(GROUNDS)) ?? groundOf(el);
  const dark = ground ? luminance(ground) < 0.4 : matchMedia(DARK).matches;
  const scheme = look.theme && look.theme !== "auto" ? look.theme : dark ? "dark" : "light";
  // On a page of the other scheme the card keeps its own background.
  const page = ground && (scheme === "dark") === dark ? { bg: `rgb(${ground})` } : {};
  const ui = read(["--jp-ui-font-family", "--vscode-font-family"]);
  const mono = read(["--jp-code-font-family", "--vscode-editor-font-family"]);
  const palette = look.palette === "colorblind" ? (`${scheme}-safe` as const) : scheme;
  return theme(palette, page, ui || UI_FONT, mono || MONO_FONT, matchMedia(CONTRAST).matches);
}

const DARK = "(prefers-color-scheme: dark)";
const CONTRAST = "(prefers-contrast: more)";

/**
 * Tells a view when the page around may have changed its theme, and when the page is printed.
 *
 * It does not keep the view alive, and neither does anything it closes over: a page may replace an element without
 * removing its view.
 */
export class PageWatch {
  readonly stop: () => void;

  constructor(view: WeakRef<{ retheme(): void; print(printing: boolean): void }>) {
    const printed = ({ type }: Event) => view.deref()?.print(type === "beforeprint");
    const end = new AbortController();
    for (const type of ["beforeprint", "afterprint"]) addEventListener(type, printed, end);
    const changed = () => view.deref()?.retheme();
    const seen = new MutationObserver(changed);
    for (const root of [document.documentElement, document.body]) {
      seen.observe(root, { attributes: true, attributeFilter: THEME_ATTRIBUTES });
    }
    for (const query of [DARK, CONTRAST]) matchMedia(query).addEventListener("change", changed, end);
    this.stop = () => {
      seen.disconnect();
      end.abort();
    };
  }
}

const THEME_ATTRIBUTES = ["class", "style", "data-jp-theme-name", "data-vscode-theme-kind", "data-theme"];

type Channels = readonly [number, number, number];

/** First opaque background of the element and those around it, out of shadow roots too. */
function groundOf(el: Element): Channels | null {
  for (let at: Element | undefined = el; at; at = at.parentElement ?? (at.getRootNode() as ShadowRoot).host) {
    const rgb = rgbOf(getComputedStyle(at).backgroundColor);
    if (rgb) return rgb;
  }
  return null;
}

/** Any CSS colour as sRGB bytes; null for none and for a transparent one. */
function rgbOf(color: string): Channels | null {
  // As browsers write most colours of a page: a canvas for each would take milliseconds.
  const written = color.startsWith("rgb") && color.match(/[\d.]+/g);
  const [r = 0, g = 0, b = 0, a = 1] = written ? written.map(Number) : pixel(color);
  return a < 0.5 ? null : [r, g, b];
}

/** Red, green, blue and alpha of a pixel of that colour; of none, transparent. */
function pixel(color: string): readonly number[] {
  const ctx = color ? new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true }) : null;
  if (!ctx) return [0, 0, 0, 0];
  ctx.fillStyle = "#0000";
  ctx.fillStyle = color;
  ctx.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0, a = 0] = ctx.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
}

/** Relative luminance, 0 to 1, with a gamma of 2: near enough to tell light from dark. */
function luminance([r, g, b]: Channels): number {
  return (0.2126 * r ** 2 + 0.7152 * g ** 2 + 0.0722 * b ** 2) / 255 ** 2;
}

/** Writes a scene as an SVG document. */
import type { Mark, Scene, Stroke, TextMark } from "../marks";
import { arrowHead, barsPath, COPIES, gridPath, HATCH, IDLE, linePath, n, signPath, strokesPath } from "./shapes";
import { resolve, type Theme } from "./theme";

/** A PNG of RGB bytes as a data URI: a page lets its canvas write it, a bare engine does it by hand. */
export type PngWriter = (columns: number, rows: number, rgb: Uint8Array) => string;

export function paintSvg(scene: Scene, theme: Theme, title: string, png: PngWriter): string {
  const writer = new SvgWriter(theme, png);
  return writer.document(scene, title, scene.marks.map((m) => writer.mark(m)).join("\n"));
}

interface Frame {
  x?: number;
  y?: number;
  width: number;
  height: number;
}

/** Writes marks, and remembers the patterns that they need. */
export class SvgWriter {
  readonly #hatches = new Map<string, string>();
  #copies = false;

  constructor(
    readonly theme: Theme,
    readonly png: PngWriter,
  ) {}

  mark(m: Mark): string {
    if (m.kind === "rect" && m.copies) this.#copies = true;
    return write(m, this.theme, this.#hatches, this.png);
  }

  /** A document of what was written: a scene, or a part of one. */
  document({ x = 0, y = 0, width, height }: Frame, title: string, body: string, style = ""): string {
    const defs = [...this.#hatches].map(([key, id]) => pattern(key, id));
    if (this.#copies) defs.push(copiesPattern(this.theme));
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="${n(x)} ${n(y)} ${n(width)} ${n(height)}" role="img">`,
      `<title>${escapeXml(title)}</title>`,
      ...(style ? [`<style>${style}</style>`] : []),
      ...(defs.length > 0 ? [`<defs>${defs.join("")}</defs>`] : []),
      `<rect${x > 0 ? ` x="${n(x)}"` : ""}${y > 0 ? ` y="${n(y)}"` : ""} width="100%" height="100%" fill="${escapeXml(resolve("bg", this.theme))}"/>`,
      body,
      "</svg>",
    ].join("\n");
  }
}

function pattern(key: string, id: string): string {
  const color = key.replace(/^lines /, "");
  if (color !== key) {
    return (
      `<pattern id="${id}" width="${IDLE.pitch}" height="${IDLE.pitch}" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">` +
      `<rect width="${IDLE.width}" height="${IDLE.pitch}" fill="${color}"/></pattern>`
    );
  }
  return (
    `<pattern id="${id}" width="${HATCH.pitch}" height="${HATCH.pitch}" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
    `<rect width="${HATCH.pitch}" height="${HATCH.pitch}" fill="${color}" fill-opacity="0.5"/>` +
    `<rect width="${HATCH.width}" height="${HATCH.pitch}" fill="${color}"/></pattern>`
  );
}

function copiesPattern(theme: Theme): string {
  const [ground, line] = [escapeXml(resolve("cpb", theme)), escapeXml(resolve("cph", theme))];
  const { height, width, lines } = COPIES;
  const rects = lines.map(
    ([y, o]) => `<rect y="${y}" width="8" height="${width}" fill="${line}" fill-opacity="${o}"/>`,
  );
  return `<pattern id="copies" width="8" height="${height}" patternUnits="userSpaceOnUse"><rect width="8" height="${height}" fill="${ground}"/>${rects.join("")}</pattern>`;
}

function escapeXml(text: string): string {
  return (
    text
      .replace(/&/g, "&amp;")
      .replace(/</g, "&lt;")
      .replace(/>/g, "&gt;")
      .replace(/"/g, "&quot;")
      // Control characters are not legal in XML, escaped or not.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "�")
  );
}

function write(m: Mark, theme: Theme, hatches: Map<string, string>, png: PngWriter): string {
  const opacity = "alpha" in m && m.alpha !== undefined && m.alpha < 1 ? ` opacity="${n(m.alpha)}"` : "";
  switch (m.kind) {
    case "rect": {
      let fill = m.copies ? "url(#copies)" : "none";
      if (m.fill) {
        fill = escapeXml(resolve(m.fill, theme));
        if (m.hatch || m.lines) {
          const key = m.lines ? `lines ${fill}` : fill;
          const id = hatches.get(key) ?? `h${hatches.size}`;
          hatches.set(key, id);
          fill = `url(#${id})`;
        }
      }
      const round = m.r ? ` rx="${n(m.r)}"` : "";
      return `<rect x="${n(m.x)}" y="${n(m.y)}" width="${n(m.w)}" height="${n(m.h)}"${round} fill="${fill}"${stroke(m.stroke, theme)}${opacity}/>`;
    }
    case "line": {
      const line = `<path d="${linePath(m)}" fill="none"${stroke(m.stroke, theme)}/>`;
      const head = arrowHead(m);
      return head ? `${line}<polygon points="${head}" fill="${escapeXml(resolve(m.stroke.color, theme))}"/>` : line;
    }
    case "text":
      return text(m, theme, opacity);
    case "grid":
      return `<path d="${gridPath(m)}" fill="none"${stroke({ color: m.color, width: 1 }, theme)}/>`;
    case "field":
      return `<image x="${n(m.x)}" y="${n(m.y)}" width="${n(m.w)}" height="${n(m.h)}" preserveAspectRatio="none" style="image-rendering:pixelated" href="${png(m.columns, m.rows, m.rgb)}"${opacity}/>`;
    case "bars":
      return `<path d="${barsPath(m)}" fill="${escapeXml(resolve(m.color, theme))}"${opacity}/>`;
    case "strokes":
      return `<path d="${strokesPath(m)}" fill="none"${stroke({ color: m.color, width: m.width }, theme)}${opacity}/>`;
    case "disc": {
      const ground = resolve("bg", theme);
      const color = resolve(m.color, theme);
      return (
        `<circle cx="${n(m.x)}" cy="${n(m.y)}" r="${n(m.r)}" fill="${escapeXml(m.hollow ? ground : color)}"${stroke({ color: m.color, width: 1.8 }, theme)}/>` +
        `<path d="${signPath(m)}" stroke="${escapeXml(m.hollow ? color : ground)}" stroke-width="1.8"/>`
      );
    }
  }
}

function text(m: TextMark, theme: Theme, opacity: string): string {
  const anchor = m.anchor ? ` text-anchor="${m.anchor}"` : "";
  const turn = m.turned ? ` transform="rotate(-90 ${n(m.x)} ${n(m.y)})"` : "";
  const weight = m.weight ? ` font-weight="${m.weight}"` : "";
  const spans = m.spans.map((s) => {
    const own = `${s.color ? ` fill="${escapeXml(resolve(s.color, theme))}"` : ""}${s.weight ? ` font-weight="${s.weight}"` : ""}`;
    return own ? `<tspan${own}>${escapeXml(s.text)}</tspan>` : escapeXml(s.text);
  });
  const family = escapeXml(m.mono ? theme.mono : theme.ui);
  return (
    `<text x="${n(m.x)}" y="${n(m.y)}" font-family="${family}" font-size="${n(m.size)}"${weight}${anchor}${turn}` +
    ` fill="${escapeXml(resolve(m.color, theme))}" xml:space="preserve"${opacity}>${spans.join("")}</text>`
  );
}

function stroke(s: Stroke | undefined, theme: Theme): string {
  if (!s) return "";
  const dash = s.dash && s.dash.length > 0 ? ` stroke-dasharray="${s.dash.join(" ")}"` : "";
  return ` stroke="${escapeXml(resolve(s.color, theme))}" stroke-width="${n(s.width)}"${dash}`;
}

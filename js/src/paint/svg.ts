/** Writes a scene as an SVG document. */
import type { Mark, Scene, Stroke, TextMark } from "../scene/scene";
import { arrowHead, HATCH, signStrokes } from "./shapes";
import { resolve, type Theme } from "./theme";

/** A PNG of RGB bytes as a data URI: a page lets its canvas write it, a bare engine does it by hand. */
export type PngWriter = (columns: number, rows: number, rgb: Uint8Array) => string;

export function paintSvg(scene: Scene, theme: Theme, title: string, png: PngWriter): string {
  const { width, height } = scene;
  const hatches = new Map<string, string>();
  const body = scene.marks.map((m) => write(m, theme, hatches, png)).join("\n");
  const defs = [...hatches].map(
    ([color, id]) =>
      `<pattern id="${id}" width="${HATCH.pitch}" height="${HATCH.pitch}" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
      `<rect width="${HATCH.pitch}" height="${HATCH.pitch}" fill="${color}" fill-opacity="0.5"/>` +
      `<rect width="${HATCH.width}" height="${HATCH.pitch}" fill="${color}"/></pattern>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    ...(defs.length > 0 ? [`<defs>${defs.join("")}</defs>`] : []),
    `<rect width="100%" height="100%" fill="${escapeXml(resolve("bg", theme))}"/>`,
    body,
    "</svg>",
  ].join("\n");
}

export function escapeXml(text: string): string {
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
      let fill = "none";
      if (m.fill) {
        fill = escapeXml(resolve(m.fill, theme));
        if (m.hatch) {
          const id = hatches.get(fill) ?? `h${hatches.size}`;
          hatches.set(fill, id);
          fill = `url(#${id})`;
        }
      }
      const round = m.r ? ` rx="${n(m.r)}"` : "";
      return `<rect x="${n(m.x)}" y="${n(m.y)}" width="${n(m.w)}" height="${n(m.h)}"${round} fill="${fill}"${stroke(m.stroke, theme)}${opacity}/>`;
    }
    case "line": {
      const line = `<path d="${path(m.points, m.r ?? 0)}" fill="none"${stroke(m.stroke, theme)}/>`;
      const [tail, head] = [m.points.at(-2), m.points.at(-1)];
      if (!m.arrow || !tail || !head) return line;
      const corners = arrowHead(tail, head).map(([x, y]) => `${n(x)},${n(y)}`);
      return `${line}<polygon points="${corners.join(" ")}" fill="${escapeXml(resolve(m.stroke.color, theme))}"/>`;
    }
    case "text":
      return text(m, theme, opacity);
    case "grid": {
      let d = "";
      for (let i = 1; i < m.columns; i++) d += `M${n(m.x + (m.w * i) / m.columns)} ${n(m.y)}v${n(m.h)}`;
      for (let i = 1; i < m.rows; i++) d += `M${n(m.x)} ${n(m.y + (m.h * i) / m.rows)}h${n(m.w)}`;
      return `<path d="${d}" fill="none"${stroke({ color: m.color, width: 1 }, theme)}/>`;
    }
    case "field":
      return `<image x="${n(m.x)}" y="${n(m.y)}" width="${n(m.w)}" height="${n(m.h)}" preserveAspectRatio="none" style="image-rendering:pixelated" href="${png(m.columns, m.rows, m.rgb)}"${opacity}/>`;
    case "disc": {
      const ground = resolve("bg", theme);
      const color = resolve(m.color, theme);
      const d = signStrokes(m.sign, m.r).map(
        ([a, b, c, e]) => `M${n(m.x + a)} ${n(m.y + b)}L${n(m.x + c)} ${n(m.y + e)}`,
      );
      return (
        `<circle cx="${n(m.x)}" cy="${n(m.y)}" r="${n(m.r)}" fill="${escapeXml(m.hollow ? ground : color)}"${stroke({ color: m.color, width: 1.8 }, theme)}/>` +
        `<path d="${d.join("")}" stroke="${escapeXml(m.hollow ? color : ground)}" stroke-width="1.8"/>`
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

function path(points: readonly (readonly [number, number])[], r: number): string {
  return points
    .map(([x, y], i) => {
      const before = points[i - 1];
      const after = points[i + 1];
      if (!before) return `M${n(x)} ${n(y)}`;
      if (!r || !after) return `L${n(x)} ${n(y)}`;
      const [ax, ay] = toward([x, y], before, r);
      const [bx, by] = toward([x, y], after, r);
      return `L${n(ax)} ${n(ay)}Q${n(x)} ${n(y)} ${n(bx)} ${n(by)}`;
    })
    .join("");
}

function toward(from: readonly [number, number], to: readonly [number, number], r: number): readonly [number, number] {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const step = Math.min(r, length / 2);
  return [from[0] + ((to[0] - from[0]) / length) * step, from[1] + ((to[1] - from[1]) / length) * step];
}

function stroke(s: Stroke | undefined, theme: Theme): string {
  if (!s) return "";
  const dash = s.dash && s.dash.length > 0 ? ` stroke-dasharray="${s.dash.join(" ")}"` : "";
  return ` stroke="${escapeXml(resolve(s.color, theme))}" stroke-width="${n(s.width)}"${dash}`;
}

/** At most two decimals: snapshots stay readable. */
function n(value: number): string {
  return String(Math.round(value * 100) / 100);
}

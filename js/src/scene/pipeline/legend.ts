/** What the shapes of cells mean. */
import { hex } from "../../model/color";
import type { Band } from "../bands";
import { textWidth } from "../measure";
import { label, type Mark } from "../scene";
import type { Palette } from "./palette";

const ENTRIES = [
  "F forward, sends on",
  "B backward, sends back",
  "W gradient of weights",
  "idle",
  "kept for the backward pass",
] as const;
const SWATCH = 24;

export function legendMarks(palette: Palette, width: number): Band {
  const marks: Mark[] = [];
  let [x, y] = [0, 0];
  const k = Math.floor(palette.forward.length / 3);
  ENTRIES.forEach((text, i) => {
    const w = SWATCH + 8 + textWidth(text, 11.5) + 16;
    if (x > 0 && x + w > width) [x, y] = [0, y + 20];
    marks.push(...swatch(i, palette, k, x, y + 3), label(x + SWATCH + 8, y + 14, text, 11.5, "muted"));
    x += w;
  });
  return { marks, height: y + 26 };
}

function swatch(i: number, palette: Palette, k: number, x: number, y: number): Mark[] {
  const at = { x, y, w: SWATCH, h: 13 };
  const colors = [palette.forward, palette.backward, palette.weight][i];
  const fill = hex(colors?.[k] ?? palette.idle);
  const edge = { color: "edge", width: 0.75 } as const;
  if (i === 0)
    return [
      { kind: "rect", ...at, r: 2, fill, stroke: edge },
      { kind: "rect", ...at, y: y + 10.5, h: 2.5, fill: "edge" },
    ];
  if (i === 1)
    return [
      { kind: "rect", ...at, r: 2, fill, stroke: edge },
      { kind: "rect", ...at, h: 2.5, fill: "edge" },
    ];
  if (i === 2) return [{ kind: "rect", ...at, y: y + 2.5, h: 8, r: 2, fill, stroke: edge }];
  if (i === 3) return [{ kind: "rect", ...at, fill: "faint", lines: true, stroke: { color: "line", width: 1 } }];
  return [0, 1, 2].map((n) => {
    const color = hex(palette.backward[Math.min(palette.backward.length - 1, k + n)] ?? palette.idle);
    return { kind: "rect", x: x + 4 * n, y: y + 1 + 4 * n, w: SWATCH - 8, h: 2.4, fill: color };
  });
}

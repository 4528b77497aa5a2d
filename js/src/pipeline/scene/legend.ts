/** What the shapes of cells mean: the kinds that occur. */
import { hex } from "../../core/color";
import type { Band } from "../../draw/bands";
import { type Color, label, type Mark } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import type { ScheduleModel } from "../model/schedule";
import { B, F, I, W } from "../model/tasks";
import type { Palette } from "./palette";

const SWATCH = 24;

export function legendMarks(models: readonly ScheduleModel[], palette: Palette, width: number): Band {
  const kinds = new Set(models.flatMap((m) => [...m.kinds]));
  const entries: readonly (readonly [shown: boolean, text: string, marks: Swatch])[] = [
    [kinds.has(F), "F forward", task(palette.forward, 10.5)],
    [kinds.has(B), "B backward", task(palette.backward, 0)],
    [kinds.has(I), "I input gradient", task(palette.backward, 0)],
    [kinds.has(W), "W weight gradient", weights],
    [true, "idle", idle],
    [models.some((m) => m.run.wasted.some((w) => w > 0)), "computed, not used", unused],
    [models.some((m) => m.trains), "kept for the backward pass", kept],
  ];
  const marks: Mark[] = [];
  let [x, y] = [0, 0];
  for (const [shown, text, swatch] of entries) {
    if (!shown) continue;
    const w = SWATCH + 8 + textWidth(text, 11.5) + 16;
    if (x > 0 && x + w > width) [x, y] = [0, y + 20];
    marks.push(...swatch(palette, x, y + 3), label(x + SWATCH + 8, y + 14, text, 11.5, "muted"));
    x += w;
  }
  return { marks, height: y + 26 };
}

type Swatch = (palette: Palette, x: number, y: number) => readonly Mark[];

const EDGE = { color: "edge", width: 0.75 } as const;

/** The colour of an early microbatch. */
function early(palette: Palette, colors: Palette["forward"], more = 0): Color {
  const at = Math.floor(palette.forward.length / 3) + more;
  return hex(colors[Math.min(colors.length - 1, at)] ?? palette.idle);
}

/** A cell with the bar that says to where it sends. */
function task(colors: Palette["forward"], bar: number): Swatch {
  return (palette, x, y) => [
    { kind: "rect", x, y, w: SWATCH, h: 13, r: 2, fill: early(palette, colors), stroke: EDGE },
    { kind: "rect", x, y: y + bar, w: SWATCH, h: 2.5, fill: "edge" },
  ];
}

function weights(palette: Palette, x: number, y: number): readonly Mark[] {
  return [{ kind: "rect", x, y: y + 2.5, w: SWATCH, h: 8, r: 2, fill: early(palette, palette.weight), stroke: EDGE }];
}

function idle(_: Palette, x: number, y: number): readonly Mark[] {
  return [{ kind: "rect", x, y, w: SWATCH, h: 13, fill: "faint", lines: true, stroke: { color: "line", width: 1 } }];
}

function unused(palette: Palette, x: number, y: number): readonly Mark[] {
  const fill = early(palette, palette.forward);
  const points = [
    [x, y + 13],
    [x + SWATCH, y],
  ] as const;
  return [
    { kind: "rect", x, y, w: SWATCH, h: 13, r: 2, fill, alpha: 0.45, stroke: EDGE },
    { kind: "line", points, stroke: { color: "muted", width: 1 } },
  ];
}

function kept(palette: Palette, x: number, y: number): readonly Mark[] {
  return [0, 1, 2].map((n) => {
    const fill = early(palette, palette.backward, n);
    return { kind: "rect", x: x + 4 * n, y: y + 1 + 4 * n, w: SWATCH - 8, h: 2.4, fill };
  });
}

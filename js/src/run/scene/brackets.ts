/** Brackets over the lanes: which stretch is a loop, and where its iterations begin. */

import { count } from "../../core/text";
import { label, type Mark } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import type { RunModel } from "../model/run";
import { type RunLayout, type Span, xOf } from "./layout";

const SIZE = 10.5;
/** Iterations closer than this are not drawn apart. */
const APART = 4;

export function loopMarks(model: RunModel, layout: RunLayout, call: number, span: Span): Mark[] {
  if (layout.loops === 0) return [];
  const y = layout.top - 6;
  const right = layout.left + layout.span;
  return model.loops(call).flatMap((loop): Mark[] => {
    const [a, b] = [xOf(layout, span, loop.from), xOf(layout, span, loop.to)];
    const [from, to] = [Math.max(layout.left, a), Math.min(right, b)];
    if (to - from < 2) return [];
    const segments = [from - layout.left, 0, to - layout.left, 0];
    const tick = (x: number, h: number) => segments.push(x - layout.left, 0, x - layout.left, h);
    if (a >= layout.left) tick(a, 5);
    if (b <= right) tick(b, 5);
    const each = (b - a) / loop.starts.length;
    if (each >= APART)
      for (const start of loop.starts.slice(1)) {
        const x = xOf(layout, span, start);
        if (x > from && x < to) tick(x, 3);
      }
    const marks: Mark[] = [
      { kind: "strokes", x: layout.left, y, w: layout.span, h: 5, color: "muted", width: 1.2, segments },
    ];
    const texts = [`loop, ${count(loop.starts.length, "iteration")}`, `× ${loop.starts.length}`];
    const text = texts.find((t) => textWidth(t, SIZE) + 8 <= to - from);
    if (text) marks.push(label((from + to) / 2, y - 3, text, SIZE, "muted", { anchor: "middle" }));
    return marks;
  });
}

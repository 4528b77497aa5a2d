/** When the schedule works on each of the user's lines: one row of bars a line, on the chart's x. */

import type { Mark } from "../../../draw/marks";
import type { MemoryModel, WorkedLine } from "../model/memory";
import { inkColor } from "./chart";
import { type MemoryLayout, xOf } from "./layout";

/** Height of a row. */
export const LINE = 18;

export function lineMarks(model: MemoryModel, lines: readonly WorkedLine[], layout: MemoryLayout): Mark[] {
  const collectives = model.doc.buffers.filter((b) => b.kind === "collective");
  return lines.flatMap(({ source, forward, backward }, row): Mark[] => {
    const y = row * LINE + 4;
    const box = { x: layout.left, y, w: layout.span, h: LINE - 8 };
    const bars = (steps: readonly number[]) => boxes(steps, layout);
    return [
      { kind: "rect", x: layout.left, y: y + LINE - 5, w: layout.span, h: 1, fill: "line" },
      { kind: "bars", ...box, color: "faint", boxes: bars(backward) },
      { kind: "bars", ...box, color: "muted", boxes: bars(forward) },
      ...collectives
        .filter((b) => b.source?.line === source.line && b.source.file === source.file)
        .map(
          (b): Mark => ({
            kind: "rect",
            x: xOf(layout, b.born),
            y: y - 1,
            w: 3,
            h: LINE - 6,
            fill: inkColor(model, b),
          }),
        ),
    ];
  });
}

/** Neighbouring steps are one bar; each is at least a pixel wide. */
function boxes(steps: readonly number[], layout: MemoryLayout): number[] {
  const out: number[] = [];
  for (const step of steps) {
    const [x, right] = [xOf(layout, step) - layout.left, xOf(layout, step + 1) - layout.left];
    const end = out.length;
    const reach = end > 0 ? (out[end - 4] ?? 0) + (out[end - 2] ?? 0) : Number.NEGATIVE_INFINITY;
    if (x <= reach + 0.1) out[end - 2] = Math.max(right, reach) - (out[end - 4] ?? 0);
    else out.push(x, 0, Math.max(1.5, right - x), LINE - 8);
  }
  return out;
}

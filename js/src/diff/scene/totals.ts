/**
 * What both sides come to: for each total its title and difference, and a bar for each side on one scale.
 *
 *   in collectives a call        +29.9 ms │ memory on each device      −2.5 GiB
 *   before ████▒▒▒▒   111.8 ms            │ before ███████  5.6 GiB
 *   after  █████▒▒▒▒▒ 141.7 ms            │ after  ████     3.1 GiB
 */
import { label, type Mark, MONO, PAD, type Scene } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import type { Diff, Total } from "../model/diff";
import { barMarks } from "./bars";

const HEIGHT = 70;
/** Least width of a total. */
const ROOM = 216;
const LABEL = 62;

export function totalsScene({ totals }: Diff, width: number): Scene {
  const shown = totals.slice(0, Math.max(1, Math.min(totals.length, 3, Math.floor(width / ROOM))));
  const wide = width / Math.max(1, shown.length);
  const marks = shown.flatMap((total, i) => [
    ...totalMarks(total, i * wide, wide),
    ...(i > 0 ? [{ kind: "rect", x: i * wide, y: 0, w: 1, h: HEIGHT, fill: "line" } as const] : []),
  ]);
  return { width, height: shown.length > 0 ? HEIGHT : 0, marks };
}

function totalMarks({ title, difference, sides }: Total, x: number, width: number): Mark[] {
  const [left, end] = [x + PAD, x + width - PAD];
  const figure = Math.max(...sides.map(({ text }) => textWidth(text, 12, true)));
  const room = Math.max(8, end - left - LABEL - figure - 8);
  const most = Math.max(1e-12, ...sides.map(({ parts }) => parts.reduce((n, { size }) => n + size, 0)));
  const titled = end - left - (difference ? textWidth(difference, 13, true) + 10 : 0);
  const marks: Mark[] = [
    label(left, 20, fit(title, titled, 12), 12, "muted"),
    label(end, 20, difference, 13, "ink", { ...MONO, weight: 700, anchor: "end" }),
  ];
  sides.forEach(({ label: name, text, parts }, k) => {
    const y = 31 + 19 * k;
    let at = left + LABEL;
    marks.push(label(left, y + 10, fit(name, LABEL - 4, 12), 12, "muted"));
    for (const { axes, size } of parts) {
      const w = (room * size) / most;
      if (size > 0) marks.push(...barMarks(axes, { x: at, y, w: Math.max(1, w), h: 11 }));
      at += w;
    }
    marks.push(label(at + 8, y + 10, text, 12, "ink", { ...MONO, weight: 600 }));
  });
  return marks;
}

/** Three times of a call as bars on one scale: as scheduled, if everything overlapped, without communication. */
import { axesOf } from "../../../core/cells";
import { duration } from "../../../core/format";
import { axisBar } from "../../../draw/cells";
import { type Box, CENTER, label, type Mark, MONO, PAD } from "../../../draw/marks";
import { textWidth } from "../../../draw/measure";
import type { OverlapModel } from "../model/overlap";

const LINE = 27;
const BAR = 18;
/** Under this width the names stand above their bars. */
const NARROW = 560;

export function ceilingsHeight(width: number): number {
  return 12 + 3 * (width < NARROW ? LINE + 16 : LINE);
}

export function ceilingMarks(model: OverlapModel, width: number): Mark[] {
  const { doc, now, waits } = model;
  const narrow = width < NARROW;
  const left = narrow ? PAD : 190;
  const room = width - left - (narrow ? PAD + 74 : 190);
  const scale = now > 0 ? room / Math.max(now, doc.overlapped) : 0;
  const marks: Mark[] = [];
  const rows = [
    ["now, as scheduled", now],
    ["if everything overlapped", doc.overlapped],
    ["without communication", doc.compute],
  ] as const;
  rows.forEach(([name, seconds], k) => {
    const y = 8 + k * (narrow ? LINE + 16 : LINE) + (narrow ? 16 : 0);
    const at = narrow ? y - 5 : y + 13;
    marks.push(label(PAD, at, name, 12.5, "ink", k === 0 ? { weight: 600 } : {}));
    const compute = { x: left, y, w: doc.compute * scale, h: BAR };
    marks.push({ kind: "rect", ...compute, fill: "k0" }, ...inside(compute, `compute ${duration(doc.compute)}`, "ink"));
    let x = left + compute.w;
    if (k === 0) {
      for (const { axes, seconds: waited } of waits) {
        const box = { x, y, w: waited * scale, h: BAR };
        marks.push(...axisBar(axesOf(model.mesh, axes), box), ...inside(box, `exposed ${duration(waited)}`, "bg"));
        x += box.w;
      }
    } else if (seconds > doc.compute * 1.001) {
      const box = { x, y, w: (seconds - doc.compute) * scale, h: BAR };
      marks.push({ kind: "rect", ...box, stroke: { color: "muted", width: 1, dash: [4, 3] } });
      marks.push(...inside(box, `links: ${duration(seconds - doc.compute)} more`, "muted"));
      x += box.w;
    }
    const end = narrow ? width - PAD : width - 112;
    marks.push(label(end, y + 13, duration(seconds), 13, "ink", { ...MONO, weight: 700, anchor: "end" }));
    const ratio = k > 0 && seconds > 0 && now > seconds * 1.005 ? `${(now / seconds).toFixed(2)}× faster` : "";
    if (ratio) marks.push(label(narrow ? width - PAD : end + 12, at, ratio, 12, "muted", narrow ? END : {}));
  });
  return marks;
}

const END = { anchor: "end" } as const;

/** Text in the middle of a bar, where it has room. */
function inside({ x, y, w }: Box, text: string, color: "ink" | "bg" | "muted"): Mark[] {
  const weight = color === "bg" ? { weight: 700 } : {};
  return textWidth(text, 11, true) + 8 <= w
    ? [label(x + w / 2, y + 13, text, 11, color, { ...CENTER, ...weight })]
    : [];
}

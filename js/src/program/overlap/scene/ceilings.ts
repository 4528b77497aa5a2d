/** Three times of a call as bars on one scale: as scheduled, if everything overlapped, without communication. */
import { axesOf } from "../../../core/cells";
import type { MeasuredCall } from "../../../core/document.gen";
import { duration, times } from "../../../core/format";
import { axisBar } from "../../../draw/cells";
import { type Box, CENTER, label, type Mark, MONO, PAD } from "../../../draw/marks";
import { textWidth } from "../../../draw/measure";
import type { OverlapModel } from "../model/overlap";

const LINE = 27;
const BAR = 18;
/** Under this width the names stand above their bars. */
const NARROW = 560;

export function ceilingsHeight({ doc }: OverlapModel, width: number): number {
  return 12 + (doc.measured ? 4 : 3) * (width < NARROW ? LINE + 16 : LINE);
}

export function ceilingMarks(model: OverlapModel, width: number): Mark[] {
  const { doc, now, waits } = model;
  const { measured } = doc;
  const narrow = width < NARROW;
  const left = narrow ? PAD : 190;
  const room = width - left - (narrow ? PAD + 74 : 190);
  const scale = now > 0 ? room / Math.max(now, doc.overlapped, measured?.seconds ?? 0) : 0;
  const marks: Mark[] = [];
  const rows = [
    ["now, as scheduled", now],
    ...(measured ? ([["measured", measured.seconds]] as const) : []),
    ["if everything overlapped", doc.overlapped],
    ["without communication", doc.compute],
  ] as const;
  rows.forEach(([name, seconds], k) => {
    const y = 8 + k * (narrow ? LINE + 16 : LINE) + (narrow ? 16 : 0);
    const at = narrow ? y - 5 : y + 13;
    marks.push(label(PAD, at, name, 12.5, "ink", k === 0 ? { weight: 600 } : {}));
    const ran = name === "measured" ? measured : null;
    const computes = (ran ?? doc).compute;
    const compute = { x: left, y, w: computes * scale, h: BAR };
    marks.push({ kind: "rect", ...compute, fill: "k0" }, ...inside(compute, `compute ${duration(computes)}`, "ink"));
    let x = left + compute.w;
    if (ran) {
      marks.push(...measuredMarks(ran, { x, y, h: BAR }, scale));
    } else if (k === 0) {
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
    const ratio = k > 0 && !ran && seconds > 0 && now > seconds * 1.005 ? `${times(now / seconds)} faster` : "";
    if (ratio) marks.push(label(narrow ? width - PAD : end + 12, at, ratio, 12, "muted", narrow ? END : {}));
  });
  return marks;
}

/** What a device does of a measured call besides computing. */
function measuredMarks(ran: MeasuredCall, at: Omit<Box, "w">, scale: number): Mark[] {
  const parts = [
    ["exposed", ran.exposed, "muted"],
    ["waits for others", ran.waiting, null],
    ["no event", ran.idle, null],
  ] as const;
  let { x } = at;
  return parts.flatMap(([what, seconds, fill]): Mark[] => {
    const box = { ...at, x, w: seconds * scale };
    x += box.w;
    const look = fill ? { fill } : { stroke: { color: "muted", width: 1 } as const };
    return [{ kind: "rect", ...box, ...look }, ...inside(box, `${what} ${duration(seconds)}`, fill ? "bg" : "muted")];
  });
}

const END = { anchor: "end" } as const;

/** Text in the middle of a bar, where it has room. */
function inside({ x, y, w }: Box, text: string, color: "ink" | "bg" | "muted"): Mark[] {
  const weight = color === "bg" ? { weight: 700 } : {};
  return textWidth(text, 11, true) + 8 <= w
    ? [label(x + w / 2, y + 13, text, 11, color, { ...CENTER, ...weight })]
    : [];
}

/** The table of candidates: a bar of compute with exposed communication at its end, what is hidden in a strip below it. */
import { bytesColumn, secondsColumn } from "../../core/format";
import { axisStroke, axisToken, label, type Mark, MONO } from "../../draw/marks";
import { fit } from "../../draw/measure";
import { basisOf, type Row, type SearchModel } from "../model/search";
import { sign } from "./chart";

export interface Table {
  readonly width: number;
  readonly height: number;
  readonly line: number;
  readonly rows: readonly Row[];
  readonly model: SearchModel;
}

const HEAD = 28;
const LINE = 27;
const TALL = 46;
const WIDE = 560;
/** Rows of a picture. */
export const LISTED = 9;

export function tableOf(model: SearchModel, width: number, rows: readonly Row[]): Table {
  const line = width < WIDE ? TALL : LINE;
  return { width, height: HEAD + rows.length * line + 2, line, rows, model };
}

/** Height of the part of a long table that is painted at once. */
export const WINDOW = 640;

/** The row at a height; null for none. */
export function rowAt({ line, rows }: Table, y: number): number | null {
  return rows[Math.floor((y - HEAD) / line)]?.index ?? null;
}

/** A table's marks, or those of its rows from a height on: a canvas is no higher than what is looked at. */
export function tableMarks({ width, line, rows, model }: Table, selected: number, top: number | null = null): Mark[] {
  const tall = line === TALL;
  const most = Math.max(1e-12, ...rows.map((r) => r.time));
  const time = secondsColumn(rows.map((r) => r.time));
  const memory = bytesColumn(rows.map((r) => r.bytes));
  const ends = { time: width - 290, ratio: width - 222, memory: width - 126, basis: width - 110 };
  const name = Math.min(292, Math.max(190, width * 0.3));
  const bar = tall ? { x: 32, w: width * 0.55 } : { x: name + 22, w: ends.time - 84 - name - 22 };
  const marks: Mark[] = [...legend(model, tall ? 32 : bar.x, tall ? width - 48 : bar.w + 20)];
  if (!tall) {
    marks.push(label(36, 18, "candidate", 11.5, "muted"));
    for (const [text, x] of [
      ["a step", ends.time],
      ["to now", ends.ratio],
      ["memory", ends.memory],
    ] as const)
      marks.push(label(x, 18, text, 11.5, "muted", { anchor: "end" }));
    marks.push(label(ends.basis, 18, "known by", 11.5, "muted"));
  }
  const first = Math.max(0, Math.floor(((top ?? 0) - HEAD) / line));
  const last = top === null ? rows.length : first + Math.ceil(WINDOW / line);
  const up = top ?? 0;
  if (up > HEAD) marks.length = 0;
  rows.slice(first, last).forEach((row, k) => {
    const y = HEAD + (first + k) * line - up;
    const bold = row.index === selected || row.now ? { weight: 600 } : {};
    if (row.index === selected || row.now) marks.push({ kind: "rect", x: 0, y, w: width, h: line, fill: "panel" });
    if (row.index === selected) marks.push({ kind: "rect", x: 0, y, w: 4, h: line, fill: "ink" });
    marks.push({ kind: "rect", x: 0, y: y + line - 1, w: width, h: 1, fill: "line" });
    marks.push(...sign(row, 20, y + (tall ? 14 : line / 2)));
    const title = row.now ? `now: ${row.title}` : row.title;
    const ratio = model.ratio(row);
    const over = row.now ? "1" : ratio === null ? "" : `${ratio.toFixed(2)}×`;
    const barY = tall ? y + 26 : y + 6;
    marks.push(...bars(row, bar.x, barY, bar.w / most));
    const right = { ...MONO, anchor: "end", ...bold } as const;
    if (tall) {
      marks.push(
        label(32, y + 18, fit(title, width - 140, 12.5), 12.5, "ink", bold),
        label(width - 14, y + 18, time(row.time), 12, "ink", right),
        label(width - 14, y + 36, [over, memory(row.bytes)].filter(Boolean).join(" · "), 11.5, "muted", {
          ...MONO,
          anchor: "end",
        }),
      );
      return;
    }
    marks.push(
      label(36, y + 18, fit(title, name - 24, 12.5), 12.5, "ink", bold),
      label(ends.time, y + 18, time(row.time), 12, row.compiled ? "ink" : "muted", right),
      label(ends.ratio, y + 18, over, 12, "muted", right),
      label(ends.memory, y + 18, memory(row.bytes), 12, "ink", right),
      label(ends.basis, y + 18, basisOf(row), 12, "muted"),
    );
  });
  return marks;
}

/** Compute, then what is exposed; below it what is hidden. */
function bars({ figures, exposed, hidden }: Row, x: number, y: number, perSecond: number): Mark[] {
  const start = Math.max(figures.compute_s, figures.hidden_s);
  const marks: Mark[] = [{ kind: "rect", x, y, w: Math.max(1, figures.compute_s * perSecond), h: 9, fill: "k0" }];
  let at = x + start * perSecond;
  for (const { axis, seconds } of exposed) {
    const points = [
      [at, y + 4.5],
      [at + seconds * perSecond, y + 4.5],
    ] as const;
    // Its pattern says the axis too, over a line in its ink.
    marks.push({ kind: "line", points, stroke: { color: axisToken(Math.max(0, axis)), width: 4 } });
    marks.push({ kind: "line", points, stroke: axisStroke(Math.max(0, axis), 9) });
    at += seconds * perSecond;
  }
  at = x;
  for (const { axis, seconds } of hidden) {
    const color = axisToken(Math.max(0, axis));
    marks.push({ kind: "rect", x: at, y: y + 11, w: seconds * perSecond, h: 4, fill: color, alpha: 0.4 });
    at += seconds * perSecond;
  }
  return marks;
}

function legend({ axes }: SearchModel, x: number, room: number): Mark[] {
  const all = [
    { text: "compute", color: "k0" as const, alpha: 1 },
    ...axes.map((text, k) => ({ text, color: axisToken(k), alpha: 1 })),
  ];
  const marks: Mark[] = [];
  let at = x;
  for (const { text, color } of [...all, { text: "light: hidden", color: "muted" as const }]) {
    const w = 22 + text.length * 6.4;
    if (at + w > x + room) break;
    marks.push({
      kind: "rect",
      x: at,
      y: 10,
      w: 12,
      h: 8,
      fill: color,
      ...(text === "light: hidden" && { alpha: 0.4 }),
    });
    marks.push(label(at + 16, 18, text, 11, "muted"));
    at += w + 6;
  }
  return marks;
}

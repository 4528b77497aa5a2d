/**
 * The table of what differs. Bars grow from one line, before to the left and after to the right, on one scale; each side is
 * as wide as its longest bar needs.
 *
 *   [+] added  all-gather ▮data  up = gelu(…)           none │█████ 12.3 ms    +12.3 ms
 *                                line 41, was 40             │      ×26
 */
import { chip, chipWidth, lookedAt } from "../../draw/bands";
import { BOLD, label, type Mark, MONO, PAD, type Scene } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import type { Change, Diff, Row, Side } from "../model/diff";
import { barMarks } from "./bars";

export interface Table extends Scene {
  readonly rows: readonly Row[];
  /** Height of a row. */
  readonly line: number;
}

const HEAD = 26;
const LINE = 36;
/** In a narrow card: what it is, its code, and both sides, below one another. */
const TALL = 66;
const NARROW = 780;
/** Room of a figure beside its bar, and of a side without any. */
const FIGURE = 80;
const NONE = 46;
const DIFFERENCE = 84;
const NAME = 96;

export function tableScene(diff: Diff, rows: readonly Row[], width: number, selected: number): Table {
  const narrow = width < NARROW;
  const line = narrow ? TALL : LINE;
  const at = placesOf(diff, rows, width);
  const marks: Mark[] = narrow ? [] : headMarks(diff, at);
  const top = narrow ? 0 : HEAD;
  rows.forEach((row, k) => {
    const y = top + k * line;
    if (row.index === selected) marks.push(...lookedAt({ x: 0, y, w: width, h: line }));
    marks.push({ kind: "rect", x: 0, y: y + line - 1, w: width, h: 1, fill: "line" });
    marks.push(...(narrow ? tallMarks(diff, row, y, at) : rowMarks(diff, row, y, at)));
  });
  const height = top + rows.length * line;
  if (!narrow && !diff.words && rows.length > 0)
    marks.push({ kind: "rect", x: at.middle - 0.7, y: 0, w: 1.4, h: height, fill: "ink" });
  return { width, height, marks, rows, line };
}

/** The row at a height; null for none. */
export function rowAt({ rows, line, height }: Table, y: number): number | null {
  return rows[Math.floor((y - (height - rows.length * line)) / line)]?.index ?? null;
}

/** Where columns begin; of the sides where they meet, and how long a bar of 1 is. */
interface Places {
  readonly width: number;
  readonly name: number;
  readonly code: number;
  /** Where the sides begin. */
  readonly sides: number;
  readonly middle: number;
  readonly scale: number;
  readonly end: number;
}

function placesOf({ words, mesh }: Diff, rows: readonly Row[], width: number): Places {
  const end = width - PAD;
  const name = NAME;
  const names = rows.map((row) => textWidth(row.name, 12.5, true) + overWidth(row, mesh) + 22);
  const code = name + Math.min(Math.max(90, ...names), words ? 130 : width * 0.24);
  if (words) {
    const sides = code + (end - code) * 0.3;
    return { width, name, code, sides, middle: sides + (end - sides) / 2, scale: 0, end };
  }
  const most = (which: "before" | "after") => Math.max(0, ...rows.map((row) => row[which]?.size ?? 0));
  const [left, right] = [most("before"), most("after")];
  const [before, after] = [left > 0 ? FIGURE : NONE, right > 0 ? FIGURE : NONE];
  const bars = Math.min(150, width * 0.15);
  const scale = bars / (left + right || 1);
  const sides = end - DIFFERENCE - before - after - bars;
  return { width, name, code, sides, middle: sides + before + left * scale, scale, end };
}

function overWidth({ axes, over }: Row, mesh: Diff["mesh"]): number {
  if (axes.length === 0) return textWidth(over, 12);
  return axes.reduce((n, axis) => n + chipWidth(mesh?.axes[axis]?.name ?? "") + 4, 0);
}

function headMarks({ heads, sides: [before, after], words }: Diff, at: Places): Mark[] {
  const soft = (x: number, text: string, anchor: "start" | "end" = "start") =>
    label(x, 18, text, 12, "muted", { anchor });
  return [
    soft(PAD, "what"),
    soft(at.name, heads[0]),
    soft(at.code, heads[1]),
    words
      ? label(at.sides, 18, before, 12, "ink", { weight: 600 })
      : label(at.middle - 8, 18, before, 12, "ink", { weight: 600, anchor: "end" }),
    label(words ? at.middle : at.middle + 8, 18, after, 12, "ink", { weight: 600 }),
    soft(at.end, heads[2], "end"),
    { kind: "rect", x: 0, y: HEAD - 1, w: at.width, h: 1, fill: "line" },
  ];
}

const SIGNS: Readonly<Record<Change, string>> = { added: "+", gone: "−", changed: "~", same: "=" };

/** The sign of a change in a box, which is dashed where something is gone, and its word. */
function changeMarks(change: Change, x: number, y: number): Mark[] {
  const box = { x, y, w: 16, h: 16 };
  const color = change === "same" ? "muted" : "ink";
  const stroke = { color, width: 1.2, ...(change === "gone" && { dash: [2.5, 2] }) } as const;
  return [
    { kind: "rect", ...box, r: 3, stroke },
    label(x + 8, y + 12.5, SIGNS[change], 12.5, color, { mono: true, weight: 700, anchor: "middle" }),
  ];
}

function nameMarks(diff: Diff, row: Row, x: number, y: number, end: number): Mark[] {
  const text = fit(row.name, end - x, 12.5, true);
  const marks: Mark[] = [label(x, y, text, 12.5, "ink", BOLD)];
  let at = x + textWidth(text, 12.5, true) + 7;
  if (row.axes.length === 0 && at < end) marks.push(label(at, y, fit(row.over, end - at, 12), 12, "muted"));
  for (const axis of row.axes) {
    const name = diff.mesh?.axes[axis]?.name ?? "";
    const shown = fit(name, end - at - 20, 12, true);
    if (shown.length < Math.min(2, name.length)) break;
    marks.push(...chip(at, y - 15, shown, axis));
    at += chipWidth(shown) + 4;
  }
  return marks;
}

function rowMarks(diff: Diff, row: Row, y: number, at: Places): Mark[] {
  const room = at.sides - at.code - 10;
  const marks = [
    ...changeMarks(row.change, PAD, y + 10),
    label(PAD + 22, y + 23, row.change, 12, "muted"),
    ...nameMarks(diff, row, at.name, y + 23, at.code - 8),
    label(at.code, y + 16, fit(row.code, room, 12, true), 12, "ink", MONO),
    label(at.code, y + 30, fit(row.note, room, 11), 11, "muted"),
  ];
  if (diff.words) return [...marks, ...wordMarks(row, y + 23, at)];
  return [
    ...marks,
    ...sideMarks(row, row.before, -1, y, at),
    ...sideMarks(row, row.after, 1, y, at),
    label(at.end, y + 23, row.difference, 12.5, row.change === "same" ? "muted" : "ink", {
      ...MONO,
      weight: 700,
      anchor: "end",
    }),
  ];
}

function wordMarks({ before, after }: Row, y: number, at: Places): Mark[] {
  const write = (side: Side | null, x: number, end: number) =>
    label(x, y, side ? fit(side.text, end - x, 12, true) : "none", 12, side ? "ink" : "muted", side ? MONO : {});
  return [write(before, at.sides, at.middle - 10), write(after, at.middle, at.end)];
}

/** A bar on its side of the line, its figure at the end, how often it runs below that. */
function sideMarks(row: Row, side: Side | null, to: -1 | 1, y: number, { middle, scale }: Places): Mark[] {
  const anchor = to < 0 ? "end" : "start";
  if (!side) return [label(middle + to * 8, y + 23, "none", 12, "muted", { anchor })];
  const w = Math.max(1.5, side.size * scale);
  const x = middle + to * (w + 7);
  const marks = [
    ...barMarks(row.axes, { x: to < 0 ? middle - w : middle, y: y + 11, w, h: 14 }),
    label(x, y + (side.note ? 17 : 23), side.text, 12, "ink", { ...MONO, weight: 600, anchor }),
  ];
  if (side.note) marks.push(label(x, y + 30, side.note, 10.5, "muted", { ...MONO, anchor }));
  return marks;
}

/** In a narrow card, below one another: what it is, the code, from where to where. */
function tallMarks(diff: Diff, row: Row, y: number, at: Places): Mark[] {
  const difference = textWidth(row.difference, 12.5, true);
  const end = at.end - difference - 10;
  const sides = [row.before, row.after].map((side) =>
    side ? `${side.text} ${diff.words ? "" : side.note}`.trim() : "none",
  );
  return [
    ...changeMarks(row.change, PAD, y + 6),
    ...nameMarks(diff, row, PAD + 24, y + 19, end),
    label(at.end, y + 19, row.difference, 12.5, "ink", { ...MONO, weight: 700, anchor: "end" }),
    label(PAD + 24, y + 40, fit(row.code || row.note, at.end - PAD - 24, 12, true), 12, "ink", MONO),
    label(PAD + 24, y + 56, fit(sides.join(" → "), at.end - PAD - 24, 11.5, true), 11.5, "muted", MONO),
  ];
}

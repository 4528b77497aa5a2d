/**
 * The table of what differs. Bars grow from one line, before to the left and after to the right, on one scale; each side is
 * as wide as its longest bar needs.
 *
 *   [+] added  all-gather ▮data  up = gelu(…)           none │█████ 12.3 ms    +12.3 ms
 *                                line 41, was 40             │      ×26
 */
import { type Cells, mono } from "../../core/cells";
import { DIFFERENCES } from "../../core/columns.gen";
import { chipWidth, headsBand, lookedAt, rule } from "../../draw/bands";
import { cellMarks } from "../../draw/cells";
import { label, type Mark, PAD, type Scene } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import { cellsOf } from "../model/cells";
import type { Change, Diff, Row } from "../model/diff";
import { barMarks } from "./bars";

export interface Table extends Scene {
  readonly rows: readonly Row[];
  /** Height of a row. */
  readonly line: number;
}

const HEAD = 33;
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
  const marks: Mark[] = narrow ? [] : [...headMarks(diff, at)];
  const top = narrow ? 0 : HEAD;
  rows.forEach((row, k) => {
    const y = top + k * line;
    const cells = cellsOf(diff, row);
    if (row.index === selected) marks.push(...lookedAt({ x: 0, y, w: width, h: line }));
    marks.push(rule(0, y + line - 1, width), ...signMarks(row.change, y + (narrow ? 6 : 10)));
    marks.push(...(narrow ? tallMarks(row, cells, y, at) : rowMarks(diff, row, cells, y, at)));
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

function headMarks({ heads, sides: [before, after], words }: Diff, at: Places): readonly Mark[] {
  const common = { change: { x: PAD }, op: { x: at.name }, source: { x: at.code } };
  const sides = words
    ? { before: { x: at.sides }, after: { x: at.middle } }
    : ({
        before: { x: at.sides, end: at.middle - 8, anchor: "end" },
        after: { x: at.middle + 8 },
        difference: { x: at.sides, end: at.end, anchor: "end" },
      } as const);
  return headsBand(DIFFERENCES, { ...common, ...sides }, at.width, { ...heads, before, after }).marks;
}

const SIGNS: Readonly<Record<Change, string>> = { added: "+", gone: "−", changed: "~", same: "=" };

/** The sign of a change in a box, which is dashed where something is gone. */
function signMarks(change: Change, y: number): Mark[] {
  const color = change === "same" ? "muted" : "ink";
  const stroke = { color, width: 1.2, ...(change === "gone" && { dash: [2.5, 2] }) } as const;
  return [
    { kind: "rect", x: PAD, y, w: 16, h: 16, r: 3, stroke },
    label(PAD + 8, y + 12.5, SIGNS[change], 12.5, color, { mono: true, weight: 700, anchor: "middle" }),
  ];
}

type RowCells = Cells<typeof DIFFERENCES>;

/** What it is, and over which mesh axes. */
function nameMarks({ op, axes }: RowCells, x: number, y: number, end: number): Mark[] {
  return cellMarks([[...op.flat(), ...axes.flat()]], { x, end, y: [y], size: 12.5 });
}

function rowMarks(diff: Diff, row: Row, cells: RowCells, y: number, at: Places): Mark[] {
  const middle = [y + 23];
  return [
    ...cellMarks(cells.change, { x: PAD + 22, end: at.name, y: middle }),
    ...nameMarks(cells, at.name, y + 23, at.code - 8),
    ...cellMarks(cells.source, { x: at.code, end: at.sides - 10, y: [y + 16, y + 30] }),
    ...(diff.words
      ? [
          ...cellMarks(cells.before, { x: at.sides, end: at.middle - 10, y: middle }),
          ...cellMarks(cells.after, { x: at.middle, end: at.end, y: middle }),
        ]
      : [...sideMarks(row, cells, "before", y, at), ...sideMarks(row, cells, "after", y, at)]),
    ...cellMarks(cells.difference, { x: at.end - DIFFERENCE, end: at.end, anchor: "end", y: middle, size: 12.5 }),
  ];
}

/** A bar on its side of the line, its figure at the end, how often it runs below that. */
function sideMarks(row: Row, cells: RowCells, which: "before" | "after", y: number, at: Places): Mark[] {
  const { middle, scale } = at;
  const side = row[which];
  const w = side ? Math.max(1.5, side.size * scale) : 1;
  const lines = side?.note ? [y + 17, y + 30] : [y + 23];
  const words =
    which === "before"
      ? ({ x: at.sides, end: middle - w - 7, anchor: "end" } as const)
      : { x: middle + w + 7, end: at.end - DIFFERENCE + 12 };
  const bar = { x: which === "before" ? middle - w : middle, y: y + 11, w, h: 14 };
  return [...(side ? barMarks(row.axes, bar) : []), ...cellMarks(cells[which], { ...words, y: lines })];
}

/** In a narrow card, below one another: what it is, the code, from where to where. */
function tallMarks(row: Row, cells: RowCells, y: number, { end }: Places): Mark[] {
  const left = PAD + 24;
  const [before, after] = [row.before, row.after].map((side) => (side ? `${side.text} ${side.note}`.trim() : "none"));
  const [code = [], note = []] = cells.source;
  return [
    ...nameMarks(cells, left, y + 19, end - textWidth(row.difference, 12.5, true) - 10),
    ...cellMarks(cells.difference, { x: left, end, anchor: "end", y: [y + 19], size: 12.5 }),
    ...cellMarks([row.code ? code : note], { x: left, end, y: [y + 40] }),
    ...cellMarks([[mono(`${before} → ${after}`, { tone: "soft" })]], { x: left, end, y: [y + 56], size: 11.5 }),
  ];
}

/** The table of candidates: a bar of compute with exposed communication at its end, what is hidden in a strip below it. */
import { mono } from "../../core/cells";
import { figuresOf } from "../../core/columns";
import { clauses } from "../../core/text";
import { headsBand, lookedAt, rule } from "../../draw/bands";
import { cellMarks } from "../../draw/cells";
import { axisStroke, axisToken, label, type Mark } from "../../draw/marks";
import { COLUMNS, cellsOf } from "../model/cells";
import type { Row, SearchModel } from "../model/search";
import { sign } from "./chart";

export interface Table {
  readonly width: number;
  readonly height: number;
  readonly line: number;
  readonly rows: readonly Row[];
  readonly model: SearchModel;
}

const HEAD = 33;
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

/**
 * A table's marks, or those of its rows from a height on: a canvas is no higher than what is looked at. `seconds`: how
 * long the one that is compiled takes already.
 */
export function tableMarks(
  { width, line, rows, model }: Table,
  selected: number,
  top: number | null = null,
  seconds = 0,
): Mark[] {
  const tall = line === TALL;
  const most = Math.max(1e-12, ...rows.map((r) => r.time));
  const figures = figuresOf(
    COLUMNS,
    rows.map((r) => ({ time: r.time, memory: r.bytes })),
  );
  const name = Math.min(292, Math.max(190, width * 0.3));
  const places = {
    candidate: { x: 36, end: name + 12 },
    time: { x: name, end: width - 302, anchor: "end" },
    ratio: { x: width - 292, end: width - 234, anchor: "end" },
    memory: { x: width - 212, end: width - 126, anchor: "end" },
    basis: { x: width - 110, end: width },
  } as const;
  const bar = tall ? { x: 32, w: width * 0.55 } : { x: name + 22, w: places.time.end - 84 - name - 22 };
  const first = Math.max(0, Math.floor(((top ?? 0) - HEAD) / line));
  const last = top === null ? rows.length : first + Math.ceil(WINDOW / line);
  const up = top ?? 0;
  const marks: Mark[] = [];
  if (up <= HEAD) {
    marks.push(...legend(model, tall ? 32 : bar.x, tall ? width - 48 : bar.w + 20));
    marks.push(...headsBand(COLUMNS, tall ? {} : places, width).marks);
  }
  rows.slice(first, last).forEach((row, k) => {
    const y = HEAD + (first + k) * line - up;
    const box = { x: 0, y, w: width, h: line };
    const cells = cellsOf(model, row, row.index === selected, figures, seconds);
    if (row.index === selected) marks.push(...lookedAt(box));
    else if (row.now) marks.push({ kind: "rect", ...box, fill: "panel" });
    marks.push(rule(0, y + line - 1, width));
    marks.push(...sign(row, 20, y + (tall ? 14 : line / 2)));
    marks.push(...bars(row, bar.x, y + (tall ? 26 : 6), bar.w / most));
    if (tall) {
      const right = { x: width - 170, end: width - 14, anchor: "end" } as const;
      const [over, memory] = [...cells.ratio.flat(), ...cells.memory.flat()].map((piece) =>
        "text" in piece ? piece.text : "",
      );
      marks.push(
        ...cellMarks(cells.candidate, { x: 32, end: width - 108, y: [y + 18], size: 12.5 }),
        ...cellMarks(cells.time, { ...right, y: [y + 18] }),
        ...cellMarks([[mono(clauses([over, memory], " · "), { tone: "soft" })]], { ...right, y: [y + 36], size: 11.5 }),
      );
      return;
    }
    for (const key of ["candidate", "time", "ratio", "memory", "basis"] as const)
      marks.push(...cellMarks(cells[key], { ...places[key], y: [y + 18], size: key === "candidate" ? 12.5 : 12 }));
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
      y: 13,
      w: 12,
      h: 8,
      fill: color,
      ...(text === "light: hidden" && { alpha: 0.4 }),
    });
    marks.push(label(at + 16, 21, text, 11, "muted"));
    at += w + 6;
  }
  return marks;
}

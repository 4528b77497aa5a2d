/** The table of candidates: a bar of compute with exposed communication at its end, what is hidden in a strip below it. */
import { mono } from "../../core/cells";
import { type Figures, figuresOf } from "../../core/columns";
import { clauses } from "../../core/text";
import { headsBand, lookedAt, rule } from "../../draw/bands";
import { cellMarks } from "../../draw/cells";
import { axisStroke, axisToken, label, type Mark, MONO, PAD, shift } from "../../draw/marks";
import { COLUMNS, cellsOf } from "../model/cells";
import type { Row, SearchModel } from "../model/search";
import { sign } from "./chart";

export interface Table {
  readonly width: number;
  readonly height: number;
  readonly head: number;
  readonly line: number;
  readonly rows: readonly Row[];
  readonly model: SearchModel;
  /** The time of a whole bar, and how figures are written. */
  readonly most: number;
  readonly figures: Figures<typeof COLUMNS>;
  /** What colours mean. */
  readonly legend: readonly Part[];
}

/** What is pointed at, and what goes on. */
export interface Look {
  /** The mesh axis whose parts of bars stand out; null for none. */
  readonly axis: number | null;
  /** How long the one that is compiled takes already. */
  readonly seconds: number;
}
const STILL: Look = { axis: null, seconds: 0 };

/** A bar is at most so many times as long as the shortest; longer ones are cut, with a gap before their end. */
const LONGEST = 4;

const HEAD = 33;
const LINE = 27;
const TALL = 46;
/** From this width on a line has columns; a narrower one has two lines of text. */
const WIDE = 560;
/** Rows of a picture. */
export const LISTED = 9;

export function tableOf(model: SearchModel, width: number, rows: readonly Row[]): Table {
  const line = width < WIDE ? TALL : LINE;
  const figures = figuresOf(
    COLUMNS,
    rows.map((r) => ({ time: r.time, memory: r.bytes })),
  );
  const times = rows.map((r) => r.time).filter((time) => time > 0);
  const most = Math.min(Math.max(1e-12, ...times), LONGEST * Math.min(...times));
  const [legend, above] = legendOf(model, width, line);
  const head = HEAD + above;
  return { width, height: head + rows.length * line + 2, head, line, rows, model, most, figures, legend };
}

/** Height of the part of a long table that is painted at once, and by how much it moves: more than the list shows. */
export const WINDOW = 480;
export const STEP = 160;

/** The row at a height; null for none. */
export function rowAt({ head, line, rows }: Table, y: number): number | null {
  return rows[Math.floor((y - head) / line)]?.index ?? null;
}

/** The top of the row of a candidate; null where it is not listed. */
export function topOf({ head, line, rows }: Table, candidate: number): number | null {
  const at = rows.findIndex((row) => row.index === candidate);
  return at < 0 ? null : head + at * line;
}

/** The mesh axis whose name in the legend a point is on; null for none. */
export function axisAt({ legend }: Table, x: number, y: number): number | null {
  return legend.find((part) => x >= part.x && x < part.x + part.w && y >= part.y && y < part.y + LEGEND)?.axis ?? null;
}

/** From this width on memory is a bar too. */
const BARS = 800;
const MEMORY = 56;

/** Where columns of a line stand, and the bars of time and of memory. */
function placesOf(model: SearchModel, width: number, line: number) {
  const name = Math.min(292, Math.max(190, width * 0.3));
  const barred = width >= BARS && model.limit !== null;
  const ratio = width - (barred ? 270 : 232);
  const places = {
    candidate: { x: 36, end: name + 12 },
    time: { x: name, end: ratio - 72, anchor: "end" },
    ratio: { x: ratio - 60, end: ratio, anchor: "end" },
    memory: { x: width - 200, end: width - 122, anchor: "end" },
    basis: { x: width - 96, end: width },
  } as const;
  const tall = line === TALL;
  const bar = tall ? { x: 32, w: width * 0.55 } : { x: name + 22, w: places.time.end - 84 - name - 22 };
  return { tall, places, bar, held: barred ? ratio + 20 : null };
}

/** A table's marks, or those of its rows from a height on: a canvas is no higher than what is looked at. */
export function tableMarks(table: Table, selected: number | null, top: number | null = null, look = STILL): Mark[] {
  const { width, head, line, rows, model } = table;
  const { tall, places } = placesOf(model, width, line);
  const first = Math.max(0, Math.floor(((top ?? 0) - head) / line));
  const last = top === null ? rows.length : first + Math.ceil(WINDOW / line);
  const up = top ?? 0;
  const marks: Mark[] = [];
  if (up <= head) {
    const band = [
      ...legendMarks(table, look.axis),
      ...shift(headsBand(COLUMNS, tall ? {} : places, width).marks, 0, head - HEAD),
    ];
    marks.push(...shift(band, 0, -up));
  }
  rows.slice(first, last).forEach((row, k) => {
    marks.push(...shift(rowMarks(table, row, row.index === selected, look), 0, head + (first + k) * line - up));
  });
  return marks;
}

/** A row's marks, from its own top. */
export function rowMarks(table: Table, row: Row, selected: boolean, { axis, seconds }: Look): Mark[] {
  const { width, line, model, most, figures } = table;
  const { tall, places, bar, held } = placesOf(model, width, line);
  const box = { x: 0, y: 0, w: width, h: line };
  const cells = cellsOf(model, row, selected, figures, seconds);
  const marks: Mark[] = [];
  if (selected) marks.push(...lookedAt(box));
  else if (row.now) marks.push({ kind: "rect", ...box, fill: "panel" });
  marks.push(rule(0, line - 1, width));
  const middle = line / 2;
  if (tall) marks.push(...sign(row, 20, 14));
  else {
    // What is now has its sign in place of a rank.
    marks.push(...sign(row, row.now ? 20 : places.basis.x - 10, middle));
    if (row.now) marks.push(...sign({ ...row, now: false }, places.basis.x - 10, middle));
    else if (row.rank) marks.push(label(26, 18, String(row.rank), 11.5, "muted", { ...MONO, anchor: "end" }));
  }
  marks.push(...bars(row, { ...bar, y: tall ? 26 : 6 }, most, axis));
  if (held !== null && model.limit) marks.push(...share(row.bytes / model.limit, held, middle - 4));
  if (tall) {
    const right = { x: width - 170, end: width - 14, anchor: "end" } as const;
    const [over, memory] = [...cells.ratio.flat(), ...cells.memory.flat()].map((piece) =>
      "text" in piece ? piece.text : "",
    );
    marks.push(
      ...cellMarks(cells.candidate, { x: 32, end: width - 108, y: [18], size: 12.5 }),
      ...cellMarks(cells.time, { ...right, y: [18] }),
      ...cellMarks([[mono(clauses([over, memory], " · "), { tone: "soft" })]], { ...right, y: [36], size: 11.5 }),
    );
    return marks;
  }
  for (const key of ["candidate", "time", "ratio", "memory", "basis"] as const)
    marks.push(...cellMarks(cells[key], { ...places[key], y: [18], size: key === "candidate" ? 12.5 : 12 }));
  return marks;
}

/** How much of a chip's memory is taken. */
function share(of: number, x: number, y: number): Mark[] {
  const bar = { x, y, w: MEMORY, h: 8 };
  return [
    { kind: "rect", ...bar, w: MEMORY * Math.min(1, of), fill: "muted", alpha: 0.6 },
    { kind: "rect", ...bar, stroke: { color: "muted", width: 0.8 } },
  ];
}

/** How strong a part of a bar is while an axis is pointed at. */
const BESIDE = 0.66;

/** Compute, then what is exposed; below it what is hidden. */
function bars(row: Row, { x, y, w }: { x: number; y: number; w: number }, most: number, only: number | null): Mark[] {
  const { figures, exposed, hidden, time } = row;
  const place = (seconds: number) => x + w * Math.min(1, seconds / most);
  const faint = (axis: number) => (only !== null && only !== axis ? BESIDE : 1);
  const compute = { x, y, w: Math.max(1, place(figures.compute_s) - x), h: 9 };
  const marks: Mark[] = [{ kind: "rect", ...compute, fill: "k0", ...(only !== null && { alpha: BESIDE }) }];
  let at = Math.max(figures.compute_s, figures.hidden_s);
  for (const { axis, seconds } of exposed) {
    const points = [
      [place(at), y + 4.5],
      [place(at + seconds), y + 4.5],
    ] as const;
    const alpha = faint(axis) < 1 ? { alpha: BESIDE } : {};
    // Its pattern says the axis too, over a line in its ink.
    marks.push({ kind: "line", points, stroke: { color: axisToken(Math.max(0, axis)), width: 4 }, ...alpha });
    marks.push({ kind: "line", points, stroke: axisStroke(Math.max(0, axis), 9), ...alpha });
    at += seconds;
  }
  at = 0;
  for (const { axis, seconds } of hidden) {
    const strip = { x: place(at), y: y + 11, w: place(at + seconds) - place(at), h: 4 };
    marks.push({ kind: "rect", ...strip, fill: axisToken(Math.max(0, axis)), alpha: 0.4 * faint(axis) });
    at += seconds;
  }
  return time > most ? [...marks, gap(x + w - 12, y)] : marks;
}

/** A slanted gap, before the end of a bar that is longer than its room. */
function gap(x: number, y: number): Mark {
  const points = [
    [x + 3, y - 1],
    [x, y + 16],
  ] as const;
  return { kind: "line", points, stroke: { color: "bg", width: 3 } };
}

interface Part {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  /** The mesh axis that it stands for; null for none. */
  readonly axis: number | null;
}

/** Height of a line of the legend. */
const LEGEND = 18;
/** Where the head of the names has ended. */
const NAMES = 110;
const HIDDEN = "light: hidden";

/** What colours mean, in the head where that has room for all, else in lines above it; and how high these are. */
function legendOf(model: SearchModel, width: number, line: number): [readonly Part[], number] {
  const { tall, bar } = placesOf(model, width, line);
  const end = tall ? width - PAD : bar.x + bar.w + 28;
  const all = [
    { text: "compute", axis: null },
    ...model.axes.map((text, axis) => ({ text, axis })),
    { text: HIDDEN, axis: null },
  ].map((part) => ({ ...part, w: 28 + part.text.length * 6.4 }));
  const room = all.reduce((sum, { w }) => sum + w, 0);
  const inHead = Math.max(tall ? PAD : NAMES, Math.min(bar.x, end - room));
  const fits = inHead + room <= end + 8;
  let [x, y] = [fits ? inHead : PAD, 8];
  const parts = all.map((part) => {
    if (!fits && x + part.w > width - PAD + 8) [x, y] = [PAD, y + LEGEND];
    x += part.w;
    return { ...part, x: x - part.w, y };
  });
  return [parts, fits ? 0 : y - 8 + (tall ? 0 : LEGEND)];
}

function legendMarks({ legend }: Table, only: number | null): Mark[] {
  return legend.flatMap(({ text, x, y, axis }): Mark[] => {
    const strong = axis !== null && axis === only;
    const fill = axis === null ? (text === HIDDEN ? "muted" : "k0") : axisToken(axis);
    return [
      { kind: "rect", x, y: y + 5, w: 12, h: 8, fill, ...(text === HIDDEN && { alpha: 0.4 }) },
      label(x + 16, y + 13, text, 11, strong ? "ink" : "muted", strong ? { weight: 600 } : {}),
    ];
  });
}

/** The tasks of a schedule: cells with letters where there is room, else a picture of one pixel a moment. */
import { hex, isDark } from "../../core/color";
import { type Box, label, type Mark, MONO } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import type { ScheduleModel } from "../model/schedule";
import { B, F, I, KINDS, W } from "../model/tasks";
import { type Block, type Board, LENS, lensWindow, type Place, rowTop, type Span } from "./board";
import { faded, type Palette, rgbOf } from "./palette";

/** Strength of the colour of other microbatches while one is followed, and of wasted tasks. */
const DIM = 0.48;
/** More cells than this are a picture. */
const MOST_CELLS = 700;
/** Narrower cells have no edge and no gap. */
const GAP_FROM = 6;

/** All cells of a schedule in the span of the board. */
export function cellMarks(board: Board, block: Block, palette: Palette, follow: number | null): Mark[] {
  const { model, dense } = block;
  const { grid, span } = board;
  const shown = visible(model, span);
  if (dense) {
    const at = { x: grid.x, y: block.top, w: grid.w, h: model.tasks.ranks * block.pitch };
    return [field(board, block, palette, follow, 0, model.tasks.ranks, at)];
  }
  if (shown > MOST_CELLS) {
    return Array.from({ length: model.tasks.ranks }, (_, r) => {
      const at = { x: grid.x, y: rowTop(block, r), w: grid.w, h: block.cell };
      return field(board, block, palette, follow, r, r + 1, at);
    });
  }
  const marks: Mark[] = [];
  for (let r = 0; r < model.tasks.ranks; r++) {
    row(model, r, { x: grid.x, y: rowTop(block, r), w: grid.w, h: block.cell }, span, palette, follow, marks);
  }
  return marks;
}

/** What is written in the cells of each kind: its letter with the number, the number, or nothing; the same in all. */
type Labels = Readonly<Record<number, "long" | "few" | "">>;

/** Letters where the narrowest cell of every kind has room for them, else numbers by the same rule, kind by kind. */
function labelsOf(model: ScheduleModel, scale: number, height: number): Labels {
  const { kinds } = model;
  const fits = { long: new Set(kinds), few: new Set(kinds) };
  for (const { kind, fused, number, lasts } of narrowest(model)) {
    const [w, h] = [lasts * scale - 1, fused ? height / 2 - 0.5 : height];
    if (h < LETTERS - 1 || textWidth(number, SMALL, true) + 2 > w) fits.few.delete(kind);
    if (h < 15 || textWidth(`${KINDS[kind]}${number}`, SMALL, true) + 5 > w) fits.long.delete(kind);
  }
  const long = fits.long.size === kinds.size;
  return Object.fromEntries([...kinds].map((kind) => [kind, long ? "long" : fits.few.has(kind) ? "few" : ""]));
}

interface Narrowest {
  kind: number;
  fused: boolean;
  /** A number of as many digits. */
  number: string;
  lasts: number;
}

const NARROWEST = new WeakMap<ScheduleModel, readonly Narrowest[]>();

/** The shortest task of each kind, whole or fused, whose number has so many digits: all frames of a schedule ask for them. */
function narrowest(model: ScheduleModel): readonly Narrowest[] {
  const known = NARROWEST.get(model);
  if (known) return known;
  const { tasks, run } = model;
  const found = new Map<string, Narrowest>();
  for (let t = 0; t < tasks.size; t++) {
    const fused = tasks.unit[t] === tasks.unit[t - 1] || tasks.unit[t] === tasks.unit[t + 1];
    const [kind, number] = [tasks.kind[t] ?? 0, String(tasks.microbatch[t])];
    const lasts = (run.end[t] ?? 0) - (run.start[t] ?? 0);
    const key = `${kind} ${fused} ${number.length}`;
    if (lasts < (found.get(key)?.lasts ?? Number.POSITIVE_INFINITY)) found.set(key, { kind, fused, number, lasts });
  }
  const all = [...found.values()];
  NARROWEST.set(model, all);
  return all;
}

/** The lens of a dense block: neighbours of a place, with letters. */
export function lensMarks(
  board: Board,
  block: Block,
  palette: Palette,
  place: Place | null,
  follow: number | null,
): Mark[] {
  const { rank, ranks, span } = lensWindow(block, place);
  const marks: Mark[] = [];
  for (let i = 0; i < ranks; i++) {
    const at = { x: board.grid.x, y: block.lens + i * LENS.pitch, w: board.grid.w, h: LENS.cell };
    marks.push({ kind: "rect", ...at, fill: "panel" });
    row(block.model, rank + i, at, span, palette, follow, marks);
  }
  return marks;
}

/** How many tasks are at least partly in a span. */
function visible(model: ScheduleModel, [from, to]: Span): number {
  let shown = 0;
  for (let r = 0; r < model.tasks.ranks; r++) {
    const end = model.tasks.first[r + 1] ?? 0;
    shown += Math.min(end, model.firstAfter(r, to) + 1) - model.firstAfter(r, from);
  }
  return shown;
}

/** One rank's cells in a span of time, in a box. */
function row(
  model: ScheduleModel,
  rank: number,
  box: Box,
  span: Span,
  palette: Palette,
  follow: number | null,
  marks: Mark[],
): void {
  const { tasks, run } = model;
  const scale = box.w / (span[1] - span[0]);
  const labels = labelsOf(model, scale, box.h);
  const end = tasks.first[rank + 1] ?? 0;
  for (let t = model.firstAfter(rank, span[0]); t < end && (run.start[t] ?? 0) < span[1]; t++) {
    const x0 = Math.max(box.x, box.x + ((run.start[t] ?? 0) - span[0]) * scale);
    const x1 = Math.min(box.x + box.w, box.x + ((run.end[t] ?? 0) - span[0]) * scale);
    const whole = x1 - x0;
    const gap = whole >= GAP_FROM ? 1 : 0;
    const at = { x: x0 + gap / 2, y: box.y, w: whole - gap, h: box.h };
    const other = tasks.unit[t] === tasks.unit[t - 1] ? t - 1 : tasks.unit[t] === tasks.unit[t + 1] ? t + 1 : -1;
    cell(model, t, other < 0 ? at : half(model, t, at), palette, follow, labels, marks);
  }
}

/** Tasks that run as one share the height: what sends back stands above what sends on. */
function half(model: ScheduleModel, t: number, at: Box): Box {
  const { tasks } = model;
  let [from, to] = [t, t];
  while (tasks.unit[from - 1] === tasks.unit[t]) from--;
  while (tasks.unit[to + 1] === tasks.unit[t]) to++;
  const h = at.h / (to - from + 1);
  return { ...at, y: at.y + h * (to - t), h: h - 0.5 };
}

function cell(
  model: ScheduleModel,
  t: number,
  at: Box,
  palette: Palette,
  follow: number | null,
  labels: Labels,
  marks: Mark[],
): void {
  const { tasks } = model;
  const kind = tasks.kind[t] ?? 0;
  const k = tasks.microbatch[t] ?? 0;
  const wasted = tasks.wasted[t] === 1;
  const dim = wasted || (follow !== null && follow !== k);
  const alpha = dim ? { alpha: 0.5 } : {};
  const flat = kind === W;
  // Flat, but with room for its number.
  const h = flat ? Math.max(0.6 * at.h, Math.min(at.h, LETTERS)) : at.h;
  const box = { ...at, y: at.y + (at.h - h) / 2, h };
  const r = at.w >= 12 ? 3 : 0;
  const edged = at.w >= GAP_FROM ? { stroke: { color: "edge", width: 0.75 } as const } : {};
  const own = rgbOf(palette, kind, k);
  const fill = hex(dim ? faded(own, palette.ground, DIM) : own);
  marks.push({ kind: "rect", ...box, r, fill, ...(dim ? {} : edged) });
  const bar = Math.max(1.5, Math.min(3, at.h / 8));
  if (kind === F) marks.push({ kind: "rect", x: at.x, y: at.y + at.h - bar, w: at.w, h: bar, fill: "edge", ...alpha });
  if (kind === B || kind === I) marks.push({ kind: "rect", x: at.x, y: at.y, w: at.w, h: bar, fill: "edge", ...alpha });
  const long = labels[kind] === "long";
  const text = long ? `${KINDS[kind]}${k}` : labels[kind] === "few" ? String(k) : "";
  // At the end of what is shown a cell may be cut.
  if (!text || textWidth(text, SMALL, true) + 2 > at.w) return;
  const size = at.h >= 24 && at.w >= 24 ? 12 : SMALL;
  const middle = at.y + at.h / 2 + size * 0.36;
  const color = dim && isDark(palette.scheme) ? "muted" : "tile-ink";
  const weight = follow === k ? { weight: 700 } : {};
  marks.push(label(at.x + at.w / 2, middle, text, size, color, { ...MONO, anchor: "middle", ...weight }));
  // A stage of a rank's later laps is underlined.
  if ((tasks.stage[t] ?? 0) >= tasks.ranks) {
    const w = textWidth(text, size, true);
    marks.push({ kind: "rect", x: at.x + (at.w - w) / 2, y: middle + 1.5, w, h: 1, fill: color });
  }
  if (wasted) {
    const points = [
      [at.x + 2, at.y + at.h - 3],
      [at.x + at.w - 2, at.y + 3],
    ] as const;
    marks.push({ kind: "line", points, stroke: { color: "muted", width: 1.2 } });
  }
}

/** Height of a cell with a number. */
const LETTERS = 10;
const SMALL = 10.5;

/** Ranks from `from` up to `to` as a picture: a column a pixel, a row a rank. */
function field(
  board: Board,
  block: Block,
  palette: Palette,
  follow: number | null,
  from: number,
  to: number,
  at: Box,
): Mark {
  const { model } = block;
  const { tasks, run } = model;
  const columns = Math.max(1, Math.floor(board.grid.w));
  const [start, end] = board.span;
  const rgb = new Uint8Array(3 * columns * (to - from));
  const step = (end - start) / columns;
  for (let r = from; r < to; r++) {
    let t = model.firstAfter(r, start + step / 2);
    const last = tasks.first[r + 1] ?? 0;
    let seen = -1;
    let own = palette.idle;
    for (let c = 0, o = 3 * columns * (r - from); c < columns; c++, o += 3) {
      const time = start + (c + 0.5) * step;
      while (t < last && (run.end[t] as number) <= time) t++;
      if (t !== seen) {
        seen = t;
        const k = tasks.microbatch[t] ?? 0;
        own = rgbOf(palette, tasks.kind[t] ?? 0, k);
        const dim = tasks.wasted[t] === 1 || (follow !== null && follow !== k);
        if (dim) own = faded(own, palette.idle, DIM);
      }
      const color = t < last && (run.start[t] as number) <= time ? own : palette.idle;
      rgb[o] = color[0];
      rgb[o + 1] = color[1];
      rgb[o + 2] = color[2];
    }
  }
  return { kind: "field", ...at, columns, rows: to - from, rgb };
}

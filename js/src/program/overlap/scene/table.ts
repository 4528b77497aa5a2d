/** The collectives by line, the most exposed first: what hides them, and how much of their time is hidden and exposed. */
import { axesOf } from "../../../core/cells";
import { secondsColumn } from "../../../core/format";
import { chip, chipWidth, lookedAt, rule } from "../../../draw/bands";
import { axisBar } from "../../../draw/cells";
import { axisToken, BOLD, label, type Mark, MONO, PAD } from "../../../draw/marks";
import { fit, textWidth } from "../../../draw/measure";
import { besideOf, type OverlapModel, type Row, whereOf } from "../model/overlap";

export interface Table {
  readonly width: number;
  readonly height: number;
  readonly rows: readonly Row[];
  readonly model: OverlapModel;
}

const HEAD = 27;
const LINE = 46;
const TALL = 64;
/** Under this width a row has a line more, and under that one it does not say what hides it. */
const WIDE = 860;
const MIDDLE = 560;
/** Rows of a picture. */
export const LISTED = 6;

export function tableOf(model: OverlapModel, width: number, rows: readonly Row[]): Table {
  return { width, height: HEAD + rows.length * lineOf(width) + 1, rows, model };
}

function lineOf(width: number): number {
  return width < WIDE && width >= MIDDLE ? TALL : LINE;
}

/** The index of the row at a height; null for none. */
export function rowAt({ width, rows }: Table, y: number): number | null {
  const k = Math.floor((y - HEAD) / lineOf(width));
  return k >= 0 && k < rows.length ? k : null;
}

/** Where a row begins and ends. */
export function spanOf({ width }: Table, row: number): readonly [top: number, bottom: number] {
  return [HEAD + row * lineOf(width), HEAD + (row + 1) * lineOf(width)];
}

export function tableMarks({ width, rows, model }: Table, selected: number): Mark[] {
  const [line, wide, narrow] = [lineOf(width), width >= WIDE, width < MIDDLE];
  const most = Math.max(1e-12, ...model.rows.map((r) => Math.max(r.seconds, r.exposed)));
  const time = secondsColumn(model.rows.flatMap((r) => [r.seconds, r.exposed]));
  const end = width - PAD;
  const bar = { w: narrow ? 64 : 92, x: end - (narrow ? 76 + 64 : 76 + 76 + 96) };
  const source = narrow ? PAD : 226;
  const beside = wide ? bar.x - 196 : source;
  const marks: Mark[] = [rule(0, HEAD - 1, width)];
  const heads: [string, number, "start" | "end"][] = [
    ["largest exposed", PAD, "start"],
    ...(narrow ? [] : [["caused by", source, "start"] as [string, number, "start"]]),
    ...(wide ? [["runs between -start and -done", beside, "start"] as [string, number, "start"]] : []),
    ...(narrow ? [] : [["hidden + exposed", bar.x, "start"] as [string, number, "start"]]),
    ["exposed", end, "end"],
  ];
  for (const [text, x, anchor] of heads) marks.push(label(x, 17, text, 11.5, "muted", { anchor }));
  rows.forEach((row, k) => {
    const y = HEAD + k * line;
    if (k === selected) marks.push(...lookedAt({ x: 0, y, w: width, h: line }));
    const first = y + (narrow ? 18 : 19);
    const op = fit(row.kind, 150, 12.5, true);
    const after = PAD + textWidth(op, 12.5, true) + 10;
    // Axes stand beside the operation, or under it where they have no room.
    const under = !narrow && after + chipsWidth(row) > source - 10;
    marks.push(label(PAD, under ? y + 16 : narrow ? first : y + 27, op, 12.5, "ink", BOLD));
    marks.push(
      ...chips(
        model,
        row,
        under ? PAD : after,
        under ? y + 21 : narrow ? y + 3 : y + 12,
        (narrow ? bar.x : source) - 8,
      ),
    );
    const room = (wide ? beside : bar.x) - source - 14;
    const code = fit(row.source?.text ?? "", narrow ? width - PAD - source - 90 : room, 12, true);
    const where = whereOf(row);
    if (narrow) {
      marks.push(
        label(
          PAD,
          y + 36,
          fit(`${row.source?.line ?? "?"}: ${row.source?.text ?? ""}`, width - 2 * PAD, 11.5, true),
          11.5,
          "muted",
          MONO,
        ),
      );
    } else {
      marks.push(label(source, first, code, 12, "ink", MONO), label(source, y + 36, where, 11.5, "muted"));
      const words = besideOf(row);
      if (wide)
        marks.push(
          label(
            beside,
            first + 8,
            fit(words, bar.x - beside - 14, 11.5),
            11.5,
            words.startsWith("nothing") ? "ink" : "muted",
          ),
        );
      else marks.push(label(source, y + 53, fit(`beside it: ${words}`, end - source, 11.5), 11.5, "muted"));
    }
    marks.push(...bars(model, row, bar.x, narrow ? y + 8 : y + 15, bar.w / most));
    const right = { ...MONO, anchor: "end" } as const;
    if (!narrow) marks.push(label(end - 76, y + 26, time(row.seconds), 12, "muted", right));
    marks.push(label(end, narrow ? first : y + 26, time(row.exposed), 12.5, "ink", { ...right, weight: 700 }));
    marks.push(rule(0, y + line - 1, width));
  });
  return marks;
}

/** What is hidden, pale, and then what is exposed. */
function bars(model: OverlapModel, row: Row, x: number, y: number, scale: number): Mark[] {
  const hidden = Math.max(0, row.seconds - row.exposed) * scale;
  const color = row.axes[0] === undefined ? "muted" : axisToken(model.mesh.axisOf(row.axes[0]));
  const marks: Mark[] = [];
  if (hidden > 0.5) {
    marks.push({ kind: "rect", x, y, w: hidden, h: 13, fill: color, alpha: 0.36 });
    marks.push({ kind: "rect", x, y, w: hidden, h: 13, stroke: { color, width: 0.8 } });
  }
  const exposed = row.exposed * scale;
  if (exposed > 0)
    marks.push(...axisBar(axesOf(model.mesh, row.axes), { x: x + hidden, y, w: Math.max(1, exposed), h: 13 }));
  return marks;
}

function chipsWidth({ axes }: Row): number {
  return axes.reduce((w, name) => w + chipWidth(name) + 4, 0) || 60;
}

function chips(model: OverlapModel, { axes }: Row, x: number, y: number, end: number): Mark[] {
  if (axes.length === 0) return [label(x, y + 15, "irregular", 12, "muted", MONO)];
  const marks: Mark[] = [];
  let at = x;
  for (const name of axes) {
    const text = fit(name, Math.max(20, end - at - 20), 12, true);
    if (at > x && at + chipWidth(text) > end) break;
    marks.push(...chip(at, y, text, model.mesh.axisOf(name)));
    at += chipWidth(text) + 4;
  }
  return marks;
}

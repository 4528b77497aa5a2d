/** The collectives by line, the most exposed first: what hides them, and how much of their time is hidden and exposed. */
import { axesOf, soft } from "../../../core/cells";
import { figuresOf } from "../../../core/columns";
import { TRANSFERS } from "../../../core/columns.gen";
import { headsBand, lookedAt, rule } from "../../../draw/bands";
import { axisBar, cellMarks } from "../../../draw/cells";
import { axisToken, type Mark, PAD } from "../../../draw/marks";
import { cellsOf } from "../model/cells";
import type { OverlapModel, Row } from "../model/overlap";

export interface Table {
  readonly width: number;
  readonly height: number;
  readonly rows: readonly Row[];
  readonly model: OverlapModel;
}

const HEAD = 33;
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
  const figures = figuresOf(
    TRANSFERS,
    model.rows.map(({ measured: ran }) => ({
      whole: null,
      exposed: null,
      measured: ran?.seconds ?? null,
      measured_exposed: ran?.exposed ?? null,
    })),
  );
  const end = width - PAD;
  const bar = { w: narrow ? 64 : 92, x: end - (narrow ? 76 + 64 : 76 + 76 + 96) };
  const source = narrow ? PAD : 244;
  const between = bar.x - 196;
  const whole = { x: bar.x, end: end - 76, anchor: "apart" } as const;
  const exposed = { x: end - 70, end, anchor: "end" } as const;
  const places = {
    op: { x: PAD },
    ...(narrow ? {} : { source: { x: source }, whole }),
    ...(wide && { between: { x: between } }),
    exposed,
  };
  const marks: Mark[] = [...headsBand(TRANSFERS, places, width).marks];
  rows.forEach((row, k) => {
    const cells = cellsOf(model, row, { ...figures, whole: model.times, exposed: model.times });
    const y = HEAD + k * line;
    const two = row.measured !== null && !narrow;
    const middle = y + (narrow ? 18 : two ? 20 : 27);
    if (k === selected) marks.push(...lookedAt({ x: 0, y, w: width, h: line }));
    const op = [[...(cells.op[0] ?? []), ...(cells.axes[0] ?? [])]];
    marks.push(...cellMarks(op, { x: PAD, end: (narrow ? bar.x : source) - 8, y: [middle], size: 12.5 }));
    if (narrow) {
      marks.push(...cellMarks([cells.source.flat()], { x: PAD, end, y: [y + 36], size: 11.5 }));
    } else {
      const code = { x: source, end: (wide ? between : bar.x) - 14, y: [y + 19, y + 36] };
      const said = [[soft("beside it:"), ...cells.between.flat()]];
      marks.push(
        ...cellMarks(cells.source, code),
        ...(wide
          ? cellMarks(cells.between, { x: between, end: bar.x - 14, y: [middle], size: 11.5 })
          : cellMarks(said, { x: source, end, y: [y + 53], size: 11.5 })),
        ...cellMarks(cells.whole, { ...whole, y: [middle] }),
      );
    }
    if (two) {
      const below = y + 37;
      marks.push(
        ...cellMarks([[soft("measured")]], { x: bar.x, end: whole.end, y: [below], size: 11 }),
        ...cellMarks(cells.measured, { ...whole, y: [below] }),
        ...cellMarks(cells.measured_exposed, { ...exposed, y: [below] }),
      );
    }
    marks.push(
      ...bars(model, row, bar.x, narrow || two ? y + 8 : y + 15, bar.w / most),
      ...cellMarks(cells.exposed, { ...exposed, y: [middle], size: 12.5 }),
      rule(0, y + line - 1, width),
    );
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

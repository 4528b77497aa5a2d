/** Who needs bytes of whom: a matrix, devices that need them down, devices that have them across. */
import type { Scheme } from "../../core/color";
import type { Flow } from "../../core/document.gen";
import { bytes } from "../../core/format";
import { MeshModel } from "../../core/mesh";
import { type Box, label, type Mark, MONO, outline } from "../../draw/marks";
import { fit } from "../../draw/measure";
import type { PlanModel } from "../model/reshard";
import { sentBytes } from "../model/words";
import { partColor } from "./bars";

export interface PutLayout {
  readonly width: number;
  readonly height: number;
  readonly matrix: Box;
  readonly cell: number;
  /** Ids across, and down. */
  readonly sources: Int32Array;
  readonly targets: Int32Array;
  /** Bars of bytes beside the matrix or below it. */
  readonly bars: Box;
}

const LEFT = 76;
const TOP = 40;
const MOST = 300;

export function putLayout(model: PlanModel, width: number): PutLayout {
  const sources = model.ids;
  const targets = model.doc.target_mesh ? new MeshModel(model.doc.target_mesh).ids : model.ids;
  const n = Math.max(sources.length, targets.length);
  const beside = width >= 640;
  const drawn = model.doc.flows.length > 0;
  // On narrow cards as large as on the narrowest: no card is higher where it is wider.
  const room = beside ? Math.min(MOST, width * 0.5 - LEFT - 8) : 170;
  const cell = Math.max(1, Math.min(34, Math.floor(room / n)));
  const matrix = drawn
    ? { x: LEFT, y: TOP, w: cell * sources.length, h: cell * targets.length }
    : { x: 0, y: 0, w: 0, h: 0 };
  const below = matrix.y + matrix.h + 20;
  const bars =
    beside && drawn
      ? { x: matrix.x + matrix.w + 48, y: TOP - 12, w: 0, h: 150 }
      : { x: 0, y: drawn ? below : 4, w: 0, h: 150 };
  const height = Math.max(drawn ? matrix.y + matrix.h + 12 : 0, bars.y + bars.h);
  return { width, height, matrix, cell, sources, targets, bars: { ...bars, w: width - bars.x } };
}

/** The flow under a point. */
export function flowAt(model: PlanModel, { matrix, cell }: PutLayout, x: number, y: number): number | null {
  const [column, row] = [Math.floor((x - matrix.x) / cell), Math.floor((y - matrix.y) / cell)];
  const at = model.doc.flows.findIndex((f) => f.source === column && f.target === row);
  return at < 0 ? null : at;
}

export function putMarks(model: PlanModel, layout: PutLayout, scheme: Scheme): Mark[] {
  return [...(layout.matrix.w > 0 ? matrixMarks(model, layout, scheme) : []), ...barMarks(model, layout)];
}

function matrixMarks(model: PlanModel, layout: PutLayout, scheme: Scheme): Mark[] {
  const { matrix, cell, sources, targets } = layout;
  const most = Math.max(1, ...model.doc.flows.map((f) => f.bytes));
  const marks: Mark[] = [
    label(matrix.x, 12, fit("has it", matrix.w + 40, 11), 11, "muted"),
    label(0, matrix.y + Math.min(12, matrix.h), "needs it", 11, "muted"),
    { kind: "rect", ...matrix, fill: "panel" },
  ];
  const every = Math.ceil(15 / cell);
  sources.forEach((id, i) => {
    if (i % every === 0)
      marks.push(
        label(matrix.x + (i + 0.5) * cell, matrix.y - 7, String(id), 10.5, "ink", { ...MONO, anchor: "middle" }),
      );
  });
  targets.forEach((id, i) => {
    if (i % every === 0)
      marks.push(
        label(matrix.x - 7, matrix.y + (i + 0.5) * cell + 4, String(id), 10.5, "ink", { ...MONO, anchor: "end" }),
      );
  });
  if (cell >= 6) marks.push({ kind: "grid", ...matrix, rows: targets.length, columns: sources.length, color: "line" });
  for (const { source, target, bytes: n } of model.doc.flows) {
    // Its area says how much it is.
    const side = Math.max(2, (cell - (cell >= 8 ? 4 : 0)) * Math.sqrt(n / most));
    const x = matrix.x + (source + 0.5) * cell - side / 2;
    const y = matrix.y + (target + 0.5) * cell - side / 2;
    const fill = partColor("made", scheme);
    marks.push({
      kind: "rect",
      x,
      y,
      w: side,
      h: side,
      r: cell >= 12 ? 2 : 0,
      fill,
      stroke: { color: "kedge", width: 0.75 },
    });
  }
  marks.push({ kind: "rect", ...matrix, stroke: { color: "line", width: 1 } });
  return marks;
}

/** What must move at least beside what XLA's program sends; and what a device holds meanwhile. */
function barMarks(model: PlanModel, { bars }: PutLayout): Mark[] {
  const [array] = model.doc.arrays;
  if (!array) return [];
  const sent = sentBytes(model.doc.arrays);
  const held = model.held(0, 0).total;
  const most = Math.max(1, array.least_bytes, sent ?? 0, held);
  const width = Math.max(30, Math.min(260, bars.w - 100));
  const lines = [
    { text: "must move at least, in all", n: array.least_bytes, w: (width * array.least_bytes) / most, fill: "area" },
    { text: "XLA's program sends, in all", n: sent, w: (width * (sent ?? 0)) / most, fill: "tick" },
    { text: "a device holds meanwhile", n: held, w: (width * held) / most, fill: "k0" },
  ] as const;
  return lines.flatMap(({ text, n, w, fill }, i): Mark[] => {
    const y = bars.y + 48 * i;
    const said = n === null ? "not compiled" : bytes(n);
    return [
      label(bars.x, y + 12, fit(text, bars.w, 12), 12, "muted"),
      ...(w > 0
        ? [
            {
              kind: "rect",
              x: bars.x,
              y: y + 20,
              w,
              h: 14,
              r: 2,
              fill,
              stroke: { color: "kedge", width: 0.75 },
            } as const,
          ]
        : []),
      label(bars.x + w + (w > 0 ? 8 : 0), y + 32, fit(said, bars.w - w - 8, 12, true), 12, "ink", MONO),
    ];
  });
}

/** The flow that is looked at. */
export function pairMarks({ matrix, cell }: PutLayout, flow: Flow | undefined): Mark[] {
  if (!flow) return [];
  return outline({ x: matrix.x + flow.source * cell, y: matrix.y + flow.target * cell, w: cell, h: cell }, 2, 2);
}

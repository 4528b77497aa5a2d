/** Memory over a program as one scene, for the picture without a page: the chart, and what is alive at the peak. */

import type { Scheme } from "../../../core/color";
import { bytesColumn, type Format } from "../../../core/format";
import { count } from "../../../core/text";
import { type Band, framed, headBand, rule, stack } from "../../../draw/bands";
import { BOLD, label, type Mark, MONO, PAD, type Scene, shift } from "../../../draw/marks";
import { fit, textWidth, wrapped } from "../../../draw/measure";
import type { MemoryModel } from "../model/memory";
import {
  basisText,
  constantsText,
  dominates,
  failureText,
  legendOf,
  memoryBadges,
  namesOf,
  rowText,
} from "../model/words";
import { boundsOf, chartMarks, inkColor, kindColor } from "./chart";
import { layoutOf, type MemoryLayout, xOf } from "./layout";

/** Buffers that are drawn; the rest is counted. */
const MOST = 10;
const ROW = 38;

export function memoryScene(model: MemoryModel, { width, scheme }: { width: number; scheme: Scheme }): Scene {
  const limit = model.doc.chip === null ? null : (model.doc.chips[model.doc.chip]?.bytes ?? null);
  const bounds = boundsOf(model, limit);
  const layout = layoutOf(model.steps, width - 2 * PAD);
  const rows = model.rows(model.peak);
  const figure = bytesColumn(rows.slice(0, MOST).map((row) => row.bytes));
  const bands = stack([
    headBand(model.doc.name || "program", model.mesh, memoryBadges(model, limit), width),
    ...[failureText(model, limit), dominates(model, model.peak), constantsText(model)]
      .filter((text): text is string => !!text)
      .map((text) => words(text, width, "ink")),
    { marks: legend(model, width, scheme), height: 24 },
    { marks: shift(chartMarks(model, layout, bounds, scheme), PAD, 0), height: layout.height + 6 },
    ...rows.slice(0, MOST).map((row) => rowBand(model, row, figure, layout, width, scheme)),
    ...(rows.length > MOST ? [words(`${count(rows.length - MOST, "smaller line")} more.`, width, "muted")] : []),
    words(basisText(model), width, "muted"),
    ...(model.doc.failure ? [words(model.doc.failure.split("\n", 1)[0] ?? "", width, "muted")] : []),
  ]);
  const height = Math.ceil(bands.height + 6);
  return framed(width, height, [...bands.marks]);
}

function words(text: string, width: number, color: "ink" | "muted"): Band {
  const lines = wrapped(text, width - 2 * PAD);
  return { marks: lines.map((line, i) => label(PAD, 16 + 17 * i, line, 12, color)), height: 8 + 17 * lines.length };
}

/** Kinds on one line, as many as fit. */
function legend(model: MemoryModel, width: number, scheme: Scheme): Mark[] {
  const marks: Mark[] = [];
  let x = PAD;
  const kinds = legendOf(model, model.peak);
  const figure = bytesColumn(kinds.map((k) => k.bytes));
  for (const { kind, name, bytes: n } of kinds) {
    const text = `${name} ${figure(n)}`;
    const wide = textWidth(text, 11) + 18;
    if (x + wide > width - PAD) break;
    const fill = kind === "collective" ? "axis0" : kindColor(kind, scheme);
    marks.push({ kind: "rect", x, y: 7, w: 11, h: 11, r: 2, fill, stroke: { color: "kedge", width: 1 } });
    marks.push(label(x + 16, 16, text, 11, "ink"));
    x += wide + 14;
  }
  return marks;
}

function rowBand(
  model: MemoryModel,
  row: ReturnType<MemoryModel["rows"]>[number],
  figure: Format,
  layout: MemoryLayout,
  width: number,
  scheme: Scheme,
): Band {
  const { buffer } = row;
  const narrow = layout.left < 100;
  const room = (narrow ? width - 2 * PAD : layout.left) - 90;
  const from = buffer.source ? `, line ${buffer.source.line}` : "";
  const [x, end] = [xOf(layout, row.born), xOf(layout, row.dies + 1)];
  const fill = buffer.kind === "collective" ? inkColor(model, buffer) : kindColor(buffer.kind, scheme);
  const life = { x: PAD + x, y: narrow ? ROW : 12, w: Math.max(3, end - x), h: 12, r: 3 };
  const height = narrow ? ROW + 18 : ROW;
  const [called, below] = namesOf(buffer);
  const name = fit(called, room / 2, 12, true);
  return {
    marks: [
      rule(0, 0, width),
      label(PAD + 64, 16, figure(row.bytes), 12, "ink", { ...BOLD, anchor: "end" }),
      label(PAD + 74, 16, name, 12, "ink", BOLD),
      label(
        PAD + 82 + textWidth(name, 12, true),
        16,
        fit(rowText(row) + from, room - textWidth(name, 12, true), 11),
        11,
        "muted",
      ),
      label(PAD + 74, 31, fit(below, room, 11, true), 11, "muted", MONO),
      { kind: "rect", ...life, fill, stroke: { color: "kedge", width: 1 } },
    ],
    height,
  };
}

/** The overlap of a program as one scene, for the picture without a page. */
import { count } from "../../../core/text";
import { type Band, framed, headBand, rule, saysBand, stack } from "../../../draw/bands";
import { label, PAD, type Scene } from "../../../draw/marks";
import { wrapped } from "../../../draw/measure";
import { basisOf, type OverlapModel } from "../model/overlap";
import { ceilingMarks, ceilingsHeight } from "./ceilings";
import { rooflineHeight, rooflineMarks } from "./roofline";
import { LISTED, tableMarks, tableOf } from "./table";
import { timeMarks, timeOf } from "./time";

export function overlapScene(model: OverlapModel, { width }: { width: number }): Scene {
  const { doc, rows } = model;
  const time = timeOf(model, width);
  const table = tableOf(model, width, rows.slice(0, LISTED));
  const left = rows.length - table.rows.length;
  const line: Band = { marks: [rule(0, 0, width)], height: 5 };
  const body = stack([
    headBand(doc.name || "program", doc.mesh, [], width),
    saysBand(doc.verdict, [{ text: doc.target && `estimated on ${doc.target}` }], width),
    { marks: ceilingMarks(model, width), height: ceilingsHeight(model, width) },
    line,
    { marks: timeMarks(time), height: time.height },
    ...(rows.length > 0 ? [line, { marks: tableMarks(table, -1), height: table.height }] : []),
    ...(left > 0 ? [words(`${count(left, "more line")}.`, width)] : []),
    ...(doc.lines.length > 0
      ? [line, { marks: rooflineMarks(model, width), height: rooflineHeight(model, width) }, line]
      : []),
    words(basisOf(model), width),
  ]);
  return framed(width, Math.ceil(body.height + 8), body.marks);
}

function words(text: string, width: number): Band {
  const lines = wrapped(text, width - 2 * PAD);
  return { marks: lines.map((line, i) => label(PAD, 18 + 17 * i, line, 12, "muted")), height: 10 + 17 * lines.length };
}

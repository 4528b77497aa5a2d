/** A search as one scene, for the picture without a page: the answer, the chart, the first candidates. */
import type { Scheme } from "../../core/color";
import { type Band, framed, rule, stack } from "../../draw/bands";
import { broken } from "../../draw/broken";
import { label, type Mark, PAD, type Scene } from "../../draw/marks";
import { answerOf, factsOf, notesOf, type SearchModel, subjectOf } from "../model/search";
import { chartMarks, chartOf, selectedMarks } from "./chart";
import { LISTED, tableMarks, tableOf } from "./table";

export interface SearchPicture {
  width: number;
  scheme: Scheme;
  candidate: number;
}

export function searchScene(model: SearchModel, { width, candidate }: SearchPicture): Scene {
  const [strong, rest] = answerOf(model);
  const chart = chartOf(model, width);
  const rows = model.rows.slice(0, LISTED);
  if (model.now && !rows.includes(model.now)) rows.push(model.now);
  const table = tableOf(model, width, rows);
  const selected = candidate < 0 ? (model.best?.index ?? 0) : candidate;
  const body = stack([
    text([{ text: `${strong} `, weight: 600 }, { text: rest }], width, 18, "ink"),
    text([{ text: [subjectOf(model), factsOf(model)].filter(Boolean).join(": ") }], width, 12.5, "muted"),
    { marks: [rule(0, 4, width)], height: 6 },
    { marks: [...chartMarks(chart), ...selectedMarks(chart, selected)], height: chart.height },
    { marks: [rule(0, 0, width)], height: 1 },
    { marks: tableMarks(table, selected), height: table.height },
    ...notesOf(model).map((note) => text([{ text: note }], width, 12, "muted")),
  ]);
  return framed(width, Math.ceil(body.height + 8), body.marks);
}

function text(
  of: readonly { text: string; weight?: number }[],
  width: number,
  size: number,
  color: "ink" | "muted",
): Band {
  const lines = broken(of, width - 2 * PAD, size, 3);
  const step = Math.round(size * 1.4);
  const marks: Mark[] = lines.map((line, i) => label(PAD, step * (i + 1), line, size, color));
  return { marks, height: step * lines.length + 6 };
}

/** A measured run as one scene, for the picture without a page: its lanes, and what its collectives took. */

import { fitting } from "../../core/columns";
import { COMPUTED_LINES, type Column, MEASURED } from "../../core/columns.gen";
import type { MeasuredCollective } from "../../core/document.gen";
import { type Band, framed, headBand, headsBand, rule, saysBand, stack } from "../../draw/bands";
import { cellMarks, type Spot } from "../../draw/cells";
import { label, PAD, type Scene, shift } from "../../draw/marks";
import { wrapped } from "../../draw/measure";
import { cellsOf, linesCells, type RunCells } from "../model/cells";
import { type RunModel, rowsOf } from "../model/run";
import { answerOf, badgesOf, notesOf, runFigures, targetText } from "../model/words";
import { layoutOf, type Room } from "./layout";
import { lanesMarks } from "./run";

export interface RunPicture {
  width: number;
  /** The call that is drawn; null for the median one. */
  call: number | null;
  /** The collective that stands out. */
  selection: number | null;
}

/** Lines of the table that are drawn. */
const MOST = 12;
const LINE = 46;

/** Runs below one another, on one time axis; the table is of a single one. */
export function runScene(models: readonly RunModel[], picture: RunPicture): Scene {
  const { width } = picture;
  const [first] = models;
  const calls = models.map((m) => (models.length === 1 && picture.call !== null ? picture.call : m.typical));
  const figures = first && runFigures(first);
  const longest = Math.max(...models.map((m, k) => m.seconds(m.ticks(calls[k] ?? 0))));
  const bands = models.flatMap((model, k): Band[] => [
    headBand(model.doc.name || "program", model.mesh, badgesOf(model.doc), width),
    saysBand(answerOf(model.doc), [{ text: targetText(model.doc) }], width),
    lanesBand(model, calls[k] ?? 0, longest, picture, models.length === 1 ? "ample" : "shared"),
  ]);
  if (first && figures && models.length === 1 && first.collectives.length > 0) {
    const spots = spotsOf(width);
    const rows = rowsOf(first, "time").slice(0, MOST);
    bands.push(
      { marks: [rule(0, 0, width)], height: 0 },
      headsBand(MEASURED, spots, width),
      ...rows.map((at) => rowBand(cellsOf(first, first.collectives[at] as MeasuredCollective, figures), spots)),
    );
  }
  if (first && models.length === 1 && first.collectives.length === 0) bands.push(...linesBands(first, width));
  if (first) bands.push(notesBand([first.doc.note, ...notesOf(first)].filter(Boolean), width));
  const { marks, height } = stack(bands);
  return framed(width, Math.ceil(height), marks);
}

/** Of a program without collectives: the lines that devices computed for. */
function linesBands({ doc }: RunModel, width: number): Band[] {
  const [share, time] = [width - PAD, width - PAD - 190];
  const spots = {
    source: { x: PAD, end: time - 90, y: [19] },
    time: { x: time - 80, end: time, y: [19], anchor: "end" },
    share: { x: time + 20, end: share, y: [19], bar: [100, 10] },
  } as const;
  return [
    { marks: [rule(0, 0, width)], height: 0 },
    headsBand(COMPUTED_LINES, spots, width),
    ...linesCells(doc)
      .slice(0, MOST)
      .map((cells) => ({
        marks: COMPUTED_LINES.flatMap(({ key }) => cellMarks(cells[key], spots[key])),
        height: 26,
      })),
  ];
}

function lanesBand(model: RunModel, call: number, seconds: number, picture: RunPicture, room: Room): Band {
  const layout = layoutOf(model, picture.width - 2 * PAD, room);
  const span = { from: 0, to: Math.max(1, seconds / model.doc.tick_s) };
  const marks = lanesMarks(model, layout, call, span, picture.selection ?? -1);
  return { marks: [rule(0, 0, picture.width), ...shift(marks, PAD, 10)], height: layout.height + 20 };
}

/** Where the columns stand that the picture has room for. */
function spotsOf(width: number): Partial<Record<keyof RunCells, Spot>> {
  const columns = fitting(MEASURED, width - 2 * PAD).filter(({ unit }: Column) => unit);
  const rooms = columns.map(({ room }: Column) => room ?? 0);
  const ends = columns.map((_, i) => width - PAD - rooms.slice(i + 1).reduce((a, b) => a + b, 0));
  const numbers = columns.map(({ key }, i) => {
    const end = ends[i] ?? 0;
    return [key, { x: end - (rooms[i] ?? 0) + 4, end, y: [21], anchor: "end" }];
  });
  return { op: { x: PAD, end: (ends[0] ?? 0) - 100, y: [21, 38] }, ...Object.fromEntries(numbers) };
}

function rowBand(cells: RunCells, spots: ReturnType<typeof spotsOf>): Band {
  const keys = Object.keys(spots) as (keyof RunCells)[];
  return { marks: keys.flatMap((key) => cellMarks(cells[key], spots[key] as Spot)), height: LINE };
}

function notesBand(notes: readonly string[], width: number): Band {
  const lines = notes.flatMap((note) => wrapped(note, width - 2 * PAD));
  return {
    marks: [rule(0, 0, width), ...lines.map((line, k) => label(PAD, 18 + 16 * k, line, 11.5, "muted"))],
    height: 16 * lines.length + 14,
  };
}

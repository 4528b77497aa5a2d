/** A measured run as one scene, for the picture without a page: its lanes, and what its collectives took. */

import { fitting } from "../../core/columns";
import { type Column, MEASURED } from "../../core/columns.gen";
import type { MeasuredCollective } from "../../core/document.gen";
import { type Band, framed, headBand, headsBand, rule, saysBand, stack } from "../../draw/bands";
import { axisToken, BOLD, label, type Mark, MONO, PAD, type Scene, type Span, shift } from "../../draw/marks";
import { fit, wrapped } from "../../draw/measure";
import { type RunModel, rowsOf } from "../model/run";
import {
  answerOf,
  badgesOf,
  codeText,
  notesOf,
  overText,
  type RunFigures,
  runFigures,
  targetText,
} from "../model/words";
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
const LINE = 40;
/** Columns of a collective. */
type Key = (typeof MEASURED)[number]["key"];

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
    const places = placesOf(width);
    const rows = rowsOf(first, "time").slice(0, MOST);
    bands.push(
      { marks: [rule(0, 0, width)], height: 0 },
      headsBand(MEASURED, { op: [PAD], ...places }, width),
      ...rows.map((at) => rowBand(first, at, places, figures)),
    );
  }
  if (first) bands.push(notesBand([first.doc.note, ...notesOf(first).slice(1)].filter(Boolean), width));
  const { marks, height } = stack(bands);
  return framed(width, Math.ceil(height), marks);
}

function lanesBand(model: RunModel, call: number, seconds: number, picture: RunPicture, room: Room): Band {
  const layout = layoutOf(model, picture.width - 2 * PAD, room);
  const span = { from: 0, to: Math.max(1, seconds / model.doc.tick_s) };
  const marks = lanesMarks(model, layout, call, span, picture.selection ?? -1);
  return { marks: [rule(0, 0, picture.width), ...shift(marks, PAD, 10)], height: layout.height + 20 };
}

/** Where the columns of numbers end that the picture has room for: mesh axes and source stand with the collective. */
function placesOf(width: number): Partial<Record<Key, readonly [number, "end"]>> {
  const columns = fitting(MEASURED, width - 2 * PAD).filter(({ unit }: Column) => unit);
  const rooms = columns.map(({ room }: Column) => room ?? 0);
  const end = (i: number) => width - PAD - rooms.slice(i + 1).reduce((a, b) => a + b, 0);
  return Object.fromEntries(columns.map(({ key }, i) => [key, [end(i), "end"]]));
}

function rowBand(model: RunModel, at: number, places: ReturnType<typeof placesOf>, figures: RunFigures): Band {
  const c = model.collectives[at] as MeasuredCollective;
  const ink = model.inkOf(c);
  const ran = c.times > 0;
  const cells: Partial<Record<Key, string>> = {
    sent: figures.sent(c.bytes_per_device),
    time: ran ? figures.time(c.median_s) : "did not run",
    wait: ran ? figures.wait(c.wait_s) : "",
    estimate: c.estimate_s > 0 ? figures.estimate(c.estimate_s) : "",
    rate: ran && c.bytes_per_second > 0 ? figures.rate(c.bytes_per_second) : "",
  };
  const keys = Object.keys(places) as Key[];
  const room = (places[keys[0] ?? "time"]?.[0] ?? 0) - PAD - 100;
  const name: Span[] = [
    { text: `${c.kind} `, weight: 700 },
    { text: fit(overText(c), room / 2, 12, true), color: ink < 0 ? "muted" : axisToken(ink) },
  ];
  const marks: Mark[] = [
    label(PAD, 17, name, 12, "ink", MONO),
    label(PAD, 32, fit(codeText(c), room, 11, false), 11, "muted"),
    ...keys.map((key) =>
      label(places[key]?.[0] ?? 0, 17, cells[key] ?? "", 12, "ink", {
        ...(key === "time" ? BOLD : MONO),
        anchor: "end",
      }),
    ),
  ];
  return { marks, height: LINE };
}

function notesBand(notes: readonly string[], width: number): Band {
  const lines = notes.flatMap((note) => wrapped(note, width - 2 * PAD));
  return {
    marks: [rule(0, 0, width), ...lines.map((line, k) => label(PAD, 18 + 16 * k, line, 11.5, "muted"))],
    height: 16 * lines.length + 14,
  };
}

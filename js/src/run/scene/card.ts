/** A measured run as one scene, for the picture without a page: its lanes, and what its collectives took. */

import type { MeasuredCollective } from "../../core/document.gen";
import { type Band, framed, headBand, rule, stack } from "../../draw/bands";
import { axisToken, BOLD, label, type Mark, MONO, PAD, type Scene, shift } from "../../draw/marks";
import { fit, wrapped } from "../../draw/measure";
import { type RunModel, rowsOf } from "../model/run";
import { badgesOf, codeText, notesOf, overText, type RunFigures, runFigures } from "../model/words";
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
/** Narrower pictures say of each collective only its time and its waiting. */
const NARROW = 560;

/** Runs below one another, on one time axis; the table is of a single one. */
export function runScene(models: readonly RunModel[], picture: RunPicture): Scene {
  const { width } = picture;
  const [first] = models;
  const calls = models.map((m) => (models.length === 1 && picture.call !== null ? picture.call : m.typical));
  const figures = first && runFigures(first);
  const longest = Math.max(...models.map((m, k) => m.seconds(m.ticks(calls[k] ?? 0))));
  const bands = models.flatMap((model, k): Band[] => [
    headBand(model.doc.name || "program", model.mesh, badgesOf(model.doc), width),
    lanesBand(model, calls[k] ?? 0, longest, picture, models.length === 1 ? "ample" : "shared"),
  ]);
  if (first && figures && models.length === 1)
    bands.push(
      ...rowsOf(first, "time")
        .slice(0, MOST)
        .map((at) => rowBand(first, at, width, figures)),
    );
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

function rowBand(model: RunModel, at: number, width: number, figures: RunFigures): Band {
  const c = model.collectives[at] as MeasuredCollective;
  const ink = model.inkOf(c);
  const columns = width < NARROW ? [width - PAD] : [width - 330, width - 240, width - 130, width - PAD];
  const room = (columns[0] ?? width) - PAD - 80;
  const ran = c.times > 0;
  const cells =
    width < NARROW
      ? [ran ? figures.time(c.median_s) : "did not run"]
      : [
          figures.sent(c.bytes_per_device),
          ran ? figures.time(c.median_s) : "did not run",
          ran ? `wait ${figures.wait(c.wait_s)}` : "",
          ran && c.bytes_per_second > 0 ? figures.rate(c.bytes_per_second) : "",
        ];
  const marks: Mark[] = [
    rule(0, 0, width),
    label(
      PAD,
      17,
      [
        { text: `${c.kind} `, weight: 700 },
        { text: fit(overText(c), room / 2, 12, true), color: ink < 0 ? "muted" : axisToken(ink) },
      ],
      12,
      "ink",
      MONO,
    ),
    label(PAD, 32, fit(codeText(c), room, 11, false), 11, "muted"),
    ...cells.map((text, k) =>
      label(columns[k] ?? width, 17, text, 12, "ink", { ...(k === 1 ? BOLD : MONO), anchor: "end" }),
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

/** A schedule, or several, as one scene: head, legend, board, figures. */

import type { Scheme } from "../../core/color";
import { percents } from "../../core/format";
import { type Band, headBand, rule, saysBand, stack } from "../../draw/bands";
import { BOLD, label, type Mark, MONO, PAD, type Scene, shift } from "../../draw/marks";
import { fit } from "../../draw/measure";
import type { ScheduleModel } from "../model/schedule";
import { answerOf, badgesOf, comparedText, fractionText, short, sizeText, unitText } from "../model/words";
import { boardOf } from "./board";
import { legendMarks } from "./legend";
import { baseMarks, overMarks } from "./marks";
import { paletteOf } from "./palette";

export interface PipelinePicture {
  width: number;
  scheme: Scheme;
  follow: number | null;
  moment: number;
}

export function pipelineScene(models: readonly ScheduleModel[], picture: PipelinePicture): Scene {
  const { width, scheme, follow, moment } = picture;
  const room = width - 2 * PAD;
  const board = boardOf(models, room, null);
  const palettes = models.map((m) => paletteOf(m.tasks.microbatches, scheme));
  const reader = { at: null, place: null, follow, critical: false, moment };
  const drawn = [...baseMarks(board, palettes, follow), ...overMarks(board, palettes, reader)];
  const palette = palettes[0];
  const idle = percents(models.map((m) => m.bubble));
  const body = stack([
    scheduleHead(models, width),
    ...(palette ? [inset(legendMarks(models, palette, room))] : []),
    inset({ marks: drawn, height: board.height + 10 }),
    { marks: [rule(0, 0, width)], height: 1 },
    ...(models.length > 1 ? models.map((m) => rowBand(m, idle(m.bubble), width)) : []),
    ...models.filter((m) => m.doc.note).map((m) => lineBand(m.doc.note, width)),
    lineBand(
      models.length > 1 ? "one scale: a forward step is a rank's whole share" : unitText(models[0] as ScheduleModel),
      width,
    ),
  ]);
  const frame = { kind: "rect", x: 0.5, y: 0.5, w: width - 1, h: body.height - 1, r: 8 } as const;
  return {
    width,
    height: body.height,
    marks: [{ ...frame, fill: "bg", stroke: { color: "line", width: 1 } }, ...body.marks],
  };
}

function inset({ marks, height }: Band): Band {
  return { marks: shift(marks, PAD, 0), height };
}

/** As in the card: the schedule's name and size, its mesh, its figures. */
function scheduleHead(models: readonly ScheduleModel[], width: number): Band {
  const [first] = models;
  if (!first) return { marks: [], height: 0 };
  const several = models.length > 1;
  const title = several ? `${models.length} schedules` : `${first.doc.name || "schedule"}  ${sizeText(first)}`;
  return stack([
    headBand(title, first.mesh ?? { axes: [] }, several ? [] : badgesOf(first), width),
    saysBand(several ? comparedText(models) : answerOf(first), [{ text: several ? "" : fractionText(first) }], width),
  ]);
}

/** Where figures begin, and the last ends, as shares of their room. */
const COLUMNS = [0, 0.24, 0.64, 0.82, 1] as const;

/** A schedule's figures: idle time as a bar and a fraction, kept, sends, length. */
function rowBand(model: ScheduleModel, idle: string, width: number): Band {
  const y = 19;
  const bar = { x: PAD + 130, y: y - 10, w: Math.max(1, 90 * model.bubble), h: 12 };
  const kept = Array.from(model.run.peaks.slice(0, 4), (_, r) => short(model.kept(r), 1)).join(", ");
  const figures = [
    `${idle}  ${fractionText(model)}`,
    `keeps ${kept}${model.run.peaks.length > 4 ? " …" : ""}`,
    `${model.run.messages} sends`,
    `${short(model.run.makespan)} long`,
  ];
  const marks: Mark[] = [
    label(PAD, y, fit(model.doc.name, 122, 12.5, true), 12.5, "ink", BOLD),
    { kind: "rect", ...bar, fill: "muted", lines: true, stroke: { color: "muted", width: 1 } },
  ];
  if (width >= 700) {
    const room = width - PAD - 232;
    figures.forEach((text, i) => {
      const [from, to] = [COLUMNS[i] as number, COLUMNS[i + 1] as number];
      marks.push(label(232 + from * room, y, fit(text, (to - from) * room - 6, 12, true), 12, "ink", MONO));
    });
    return { marks, height: 26 };
  }
  marks.push(label(PAD, y + 20, fit(figures.join(" · "), width - 2 * PAD, 11.5, true), 11.5, "ink", MONO));
  return { marks, height: 46 };
}

function lineBand(text: string, width: number): Band {
  return { marks: [label(PAD, 20, fit(text, width - 2 * PAD, 12), 12, "muted")], height: 32 };
}

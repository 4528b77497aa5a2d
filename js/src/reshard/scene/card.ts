/** A reshard plan as one scene, for the picture without a page: head, legend, groups by chunks, arrays of the chunk. */
import type { Scheme } from "../../core/color";
import type { MovedArray } from "../../core/document.gen";
import { bytes } from "../../core/format";
import { axisTokens, count } from "../../core/text";
import { type Band, framed, headBand, rule, stack } from "../../draw/bands";
import { broken } from "../../draw/broken";
import { BOLD, label, type Mark, MONO, PAD, type Scene, type Span, shift, spans } from "../../draw/marks";
import { fit } from "../../draw/measure";
import type { PlanModel } from "../model/reshard";
import { badgesOf, callOf, chunkText, collectivesText, groupsText, movesText, titleOf, typeOf } from "../model/words";
import { boardMarks, legendMarks } from "./bars";
import { boardOf } from "./board";
import { putLayout, putMarks } from "./put";

export interface ReshardPicture {
  width: number;
  scheme: Scheme;
  chunk: number;
}

/** Arrays of a chunk that are listed. */
const LISTED = 6;

export function reshardScene(model: PlanModel, { width, scheme, chunk }: ReshardPicture): Scene {
  const room = width - 2 * PAD;
  const put = model.axis < 0;
  const at = Math.max(0, Math.min(model.chunks - 1, chunk));
  const drawn = put ? putBand(model, room, scheme) : boardBand(model, room, scheme, at);
  const body = stack([
    headBand(titleOf(model), model, badgesOf(model), width),
    lineBand(
      put ? callOf(model) : `${callOf(model)}, threshold ${bytes(model.threshold)}: ${count(model.chunks, "chunk")}`,
      width,
    ),
    ...(put ? [] : [inset(legendMarks(model, room, scheme))]),
    inset(drawn),
    { marks: [rule(0, 0, width)], height: 1 },
    arraysBand(model, at, width),
    ...(put ? [] : [lineBand(chunkText(model, at), width)]),
    lineBand(movesText(model), width),
    ...(model.doc.note ? [lineBand(model.doc.note, width)] : []),
  ]);
  return framed(width, Math.ceil(body.height + 6), body.marks);
}

function boardBand(model: PlanModel, room: number, scheme: Scheme, chunk: number): Band {
  const board = boardOf(model, room, chunk);
  const last = board.rows.at(-1);
  return {
    marks: boardMarks(board, scheme, null),
    height: Math.max(last ? last.y + last.h : 0, board.map ? board.height : 0) + 10,
  };
}

function putBand(model: PlanModel, room: number, scheme: Scheme): Band {
  const layout = putLayout(model, room);
  return { marks: putMarks(model, layout, scheme), height: layout.height + 8 };
}

function inset({ marks, height }: Band): Band {
  return { marks: shift(marks, PAD, 0), height };
}

/** Arrays of a chunk: path, type, specs, groups, what it weighs beside what it adds. */
function arraysBand(model: PlanModel, chunk: number, width: number): Band {
  const all = model.arraysOf(chunk);
  const marks: Mark[] = [];
  let y = 6;
  for (const i of all.slice(0, LISTED)) {
    const array = model.doc.arrays[i] as MovedArray;
    const room = width - 2 * PAD;
    const path = fit(array.path, room * 0.5, 12, true);
    marks.push(label(PAD, y + 14, path, 12, "ink", BOLD));
    const right = model.overweight(i)
      ? `weighs ${bytes(model.weights[i] ?? 0)}, adds ${bytes(model.adds[i] ?? 0)}`
      : `adds ${bytes(model.adds[i] ?? 0)}`;
    marks.push(
      label(width - PAD, y + 14, fit(right, room * 0.46, 11.5), 11.5, model.overweight(i) ? "warn" : "muted", {
        anchor: "end",
      }),
    );
    const text = `${typeOf(array)}  ${array.source} → ${array.target}  ${groupsText(model, array)}`;
    for (const line of lines(spans(axisTokens(text, model)), room, 11.5)) {
      marks.push(label(PAD, y + 30, line, 11.5, "muted", MONO));
      y += 16;
    }
    if (array.collectives !== null) {
      marks.push(label(PAD, y + 30, fit(collectivesText([array]), room, 11.5), 11.5, "muted"));
      y += 16;
    }
    y += 24;
  }
  if (all.length > LISTED) {
    marks.push(label(PAD, y + 14, `${all.length - LISTED} more`, 11.5, "muted"));
    y += 22;
  }
  return { marks, height: y + 4 };
}

function lineBand(text: string, width: number): Band {
  const all = lines([{ text }], width - 2 * PAD, 12);
  return { marks: all.map((line, i) => label(PAD, 16 + 17 * i, line, 12, "muted")), height: 17 * all.length + 6 };
}

/** Text in two lines at most; the second begins with its first letter. */
function lines(text: readonly Span[], width: number, size: number): Span[][] {
  return broken(text, width, size, 2).map(([first, ...rest]) =>
    first ? [{ ...first, text: first.text.trimStart() }, ...rest] : rest,
  );
}

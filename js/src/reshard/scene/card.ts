/** A reshard plan as one scene, for the picture without a page: head, flows or groups by chunks, arrays of the chunk. */
import type { Scheme } from "../../core/color";
import type { MovedArray } from "../../core/document.gen";
import { bytes } from "../../core/format";
import { axisTokens, count, sentenceTokens } from "../../core/text";
import { type Band, framed, headBand, rule, saysBand, stack } from "../../draw/bands";
import { broken } from "../../draw/broken";
import { BOLD, label, type Mark, MONO, PAD, type Scene, type Span, shift, spans } from "../../draw/marks";
import { fit } from "../../draw/measure";
import { hasMoves, movesOf } from "../model/moves";
import type { PlanModel } from "../model/reshard";
import { answerOf, badgesOf, chunkText, clauseOf, collectivesText, groupsText, titleOf, typeOf } from "../model/words";
import { boardMarks, legendMarks } from "./bars";
import { boardOf } from "./board";
import { chunkMarks, chunkRows } from "./chunks";
import { arraysAcross, flowBoard, flowMarks } from "./flows";
import { putLayout, putMarks } from "./put";

export interface ReshardPicture {
  width: number;
  scheme: Scheme;
  chunk: number;
}

/** Arrays of a chunk that are listed. */
const LISTED = 6;
/** Arrays whose flows are drawn. */
const DRAWN = 2;

export function reshardScene(model: PlanModel, { width, scheme, chunk }: ReshardPicture): Scene {
  const put = model.axis < 0;
  const at = Math.max(0, Math.min(model.chunks - 1, chunk));
  const flowing = hasMoves(model);
  const threshold = `threshold ${bytes(model.threshold)}: ${count(model.chunks, "chunk")}`;
  const body = stack([
    headBand(titleOf(model), model, badgesOf(model), width),
    saysBand(answerOf(model), spans(sentenceTokens(clauseOf(model), model)), width),
    ...(put ? [] : [lineBand(threshold, width)]),
    { marks: [rule(0, 0, width)], height: 10 },
    ...drawnBands(model, width - 2 * PAD, scheme, at).map(inset),
    { marks: [rule(0, 0, width)], height: 1 },
    ...(flowing ? [] : [arraysBand(model, at, width)]),
    ...(put ? [] : [lineBand(chunkText(model, at), width)]),
    ...(model.doc.note ? [lineBand(model.doc.note, width)] : []),
  ]);
  return framed(width, Math.ceil(body.height + 6), body.marks);
}

/** Who sends what to whom; of many devices who needs bytes of whom, or what they hold. */
function drawnBands(model: PlanModel, room: number, scheme: Scheme, chunk: number): Band[] {
  if (hasMoves(model)) return flowBands(model, room, scheme, chunk);
  if (model.axis < 0) return [putBand(model, room, scheme)];
  return [legendMarks(model, room, scheme), boardBand(model, room, scheme, chunk)];
}

/** The first arrays of the chunk, side by side where there is room, then the chunks around it. */
function flowBands(model: PlanModel, room: number, scheme: Scheme, chunk: number): Band[] {
  const arrays = model.arraysOf(chunk).slice(0, DRAWN);
  const across = arraysAcross(room);
  const rows = chunkRows(model, chunk, 0, room);
  const boards = arrays.flatMap((_, i) =>
    i % across === 0
      ? [
          flowBoard(
            model,
            arrays.slice(i, i + across).map((array) => movesOf(model, array)),
            room,
          ),
        ]
      : [],
  );
  const left = model.arraysOf(chunk).length - arrays.length;
  return [
    ...boards.map((board) => ({ marks: flowMarks(board, scheme, null, null), height: board.height + 12 })),
    ...(left > 0 ? [{ marks: [label(0, 14, count(left, "more array"), 11.5, "muted")], height: 24 }] : []),
    {
      marks: chunkMarks(model, rows, chunk, (i) => movesOf(model, i)),
      height: rows.reduce((sum, row) => sum + row.h, 0),
    },
  ];
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

/** Arrays of a chunk: path, type, specs, groups, what it makes beside what of the threshold it takes. */
function arraysBand(model: PlanModel, chunk: number, width: number): Band {
  const all = model.arraysOf(chunk);
  const marks: Mark[] = [];
  let y = 6;
  for (const i of all.slice(0, LISTED)) {
    const array = model.doc.arrays[i] as MovedArray;
    const room = width - 2 * PAD;
    const path = fit(array.path, room * 0.5, 12, true);
    marks.push(label(PAD, y + 14, path, 12, "ink", BOLD));
    const made = `${bytes(model.adds[i] ?? 0)} made`;
    const right = model.overweight(i) ? `${made}, ${bytes(model.weights[i] ?? 0)} of the threshold` : made;
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

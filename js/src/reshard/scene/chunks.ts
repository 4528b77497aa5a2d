/** The chunks of a plan under its flows: what of each must move, by axes, and what is made only to be freed. */
import { bytes } from "../../core/format";
import { AXIS_DASH, axisToken, type Box, label, type Mark, MONO } from "../../draw/marks";
import { fit, fitClauses, textWidth } from "../../draw/measure";
import { type Moves, movedBytes } from "../model/moves";
import type { PlanModel } from "../model/reshard";
import { sentBytes } from "../model/words";
import { MANY } from "./flows";

/** What is drawn of a chunk. */
export interface ChunkRow extends Box {
  readonly chunk: number;
}

const ROW = 30;
/** Chunks that are drawn at once. */
const most = ({ size }: PlanModel) => (size > MANY ? 2 : 3);

/** Rows around the chunk that is looked at; as many as with any threshold. */
export function chunkRows(model: PlanModel, chunk: number, y: number, width: number): ChunkRow[] {
  const drawn = Math.min(most(model), model.chunks);
  const first = Math.max(0, Math.min(model.chunks - drawn, chunk - 1));
  return Array.from({ length: drawn }, (_, i) => ({ chunk: first + i, x: 0, y: y + i * ROW, w: width, h: ROW }));
}

export function chunksHeight(model: PlanModel): number {
  return ROW * Math.min(most(model), Math.max(1, model.doc.arrays.length));
}

export function chunkMarks(
  model: PlanModel,
  rows: readonly ChunkRow[],
  chunk: number,
  movesOf: (i: number) => Moves,
): Mark[] {
  const parts = rows.map((row) => ({ row, ...partsOf(model, row.chunk, movesOf) }));
  const longest = Math.max(1, ...parts.map(({ moved, freed }) => freed + moved.reduce((sum, [, n]) => sum + n, 0)));
  return parts.flatMap(({ row, moved, freed, text }) => {
    const { x, y, w, h } = row;
    const current = row.chunk === chunk;
    const marks: Mark[] = [{ kind: "rect", x, y, w, h: 1, fill: "line" }];
    if (current) {
      marks.push({ kind: "rect", x, y: y + 1, w, h: h - 1, fill: "panel" });
      marks.push({ kind: "rect", x, y: y + 1, w: 4, h: h - 1, fill: "ink" });
    }
    const middle = y + h / 2 + 4.5;
    const name = model.axis < 0 ? "in all" : `chunk ${row.chunk + 1}`;
    marks.push(label(x + 12, middle, name, 12.5, "ink", { weight: 700 }));
    const wide = w >= 640;
    const names = model.arraysOf(row.chunk).map((i) => model.doc.arrays[i]?.path ?? "");
    const left = wide ? 196 : 84;
    const at = textWidth(name, 12.5) + 26;
    if (wide && model.axis >= 0)
      marks.push(label(x + at, middle, fit(names.join(", "), left - at - 8, 12, true), 12, "muted", MONO));
    const room = (w - left) * (wide ? 0.56 : w < 400 ? 0.42 : 0.5);
    marks.push(...bars({ x: x + left, y: y + 7, w: room, h: h - 14 }, moved, freed, longest));
    const words = x + left + room + 16;
    marks.push(label(words, middle, fitClauses(text, x + w - words, 12), 12, "ink"));
    return marks;
  });
}

function partsOf(model: PlanModel, chunk: number, movesOf: (i: number) => Moves) {
  const indices = model.arraysOf(chunk);
  const moved = movedBytes(indices.map(movesOf));
  const arrays = indices.flatMap((i) => model.doc.arrays[i] ?? []);
  const must = moved.reduce((sum, [, n]) => sum + n, 0);
  const freed = arrays.reduce((sum, array) => sum + model.freedOf(array), 0);
  const sent = sentBytes(arrays);
  const text = [
    must > 0 ? `${bytes(must)} must move` : "nothing must move",
    ...(sent === null || (sent === 0 && must === 0) ? [] : [`${bytes(sent)} sent`]),
    ...(model.axis < 0 ? [] : [`peak ${bytes(model.most(chunk))}`]),
  ].join("; ");
  return { moved, freed, text };
}

/** One after another: what must move in the ink of its axes, then what is made only to be freed. */
function bars(
  box: Box,
  moved: readonly (readonly [axes: readonly number[], bytes: number])[],
  freed: number,
  most: number,
): Mark[] {
  const marks: Mark[] = [];
  let { x } = box;
  const named = (w: number, text: string) => {
    const wide = textWidth(text, 11) + 10;
    if (wide > w - 6) return [];
    const [left, top] = [x + (w - wide) / 2, box.y + 1];
    return [
      { kind: "rect", x: left, y: top, w: wide, h: box.h - 2, r: 7, fill: "bg" },
      label(x + w / 2, box.y + box.h / 2 + 4, text, 11, "ink", { anchor: "middle" }),
    ] satisfies Mark[];
  };
  for (const [axes, n] of moved) {
    const w = Math.max(2, (box.w * n) / most);
    // Two axes share the height, each with its own pattern.
    const inks = axes.length > 0 ? axes.slice(0, 2) : [-1];
    const high = box.h / inks.length;
    inks.forEach((axis, k) => {
      marks.push(...patterned({ x, y: box.y + k * high, w: w - 1.5, h: high }, axis));
    });
    marks.push(...named(w, bytes(n)));
    x += w;
  }
  if (freed > 0) {
    const w = Math.max(2, (box.w * freed) / most);
    marks.push({ kind: "rect", x, y: box.y, w, h: box.h, fill: "cpb" });
    marks.push({ kind: "rect", x, y: box.y, w, h: box.h, copies: true });
    marks.push({ kind: "rect", x, y: box.y, w, h: box.h, stroke: { color: "kedge", width: 0.75 } });
    marks.push(...named(w, `${bytes(freed)} made, then freed`));
  }
  return marks;
}

/** A bar in an axis' ink; its pattern as notches, since colour is never the only sign. */
function patterned(box: Box, axis: number): Mark[] {
  if (axis < 0) return [{ kind: "rect", ...box, fill: "tick" }];
  const marks: Mark[] = [{ kind: "rect", ...box, fill: axisToken(axis) }];
  const dash = AXIS_DASH[axis % AXIS_DASH.length] ?? [];
  const [on = 0, off = 0] = dash;
  if (dash.length === 0) return marks;
  const points = [
    [box.x + on, box.y + 1],
    [box.x + box.w, box.y + 1],
  ] as const;
  return [...marks, { kind: "line", points, stroke: { color: "bg", width: 2, dash: [off, on] } }];
}

/** The chunk under a point. */
export function chunkRowAt(rows: readonly ChunkRow[], y: number): number | null {
  return rows.find((row) => y >= row.y && y < row.y + row.h)?.chunk ?? null;
}

/**
 * Where the parts of a plan stand: groups across, chunks down, the one that is looked at taller than the others.
 *
 *            stage=0   stage=1   stage=2
 * chunk 1      ▂         ▂         ▂       ▎
 * ▌chunk 2     █         █         █       ▎▏  all chunks, and which of them are drawn
 * chunk 3      ▅         ▅         ▅       ▏
 */

import type { Box } from "../../draw/marks";
import type { Fold, PlanModel } from "../model/reshard";

export interface Row {
  readonly chunk: number;
  readonly y: number;
  readonly h: number;
  readonly current: boolean;
}

export interface Column extends Fold {
  /** Middle of its bars, and the room that it has. */
  readonly x: number;
  readonly w: number;
}

export interface PlanBoard {
  readonly model: PlanModel;
  readonly width: number;
  readonly height: number;
  /** Where groups are: x and width. */
  readonly grid: { readonly x: number; readonly w: number };
  readonly columns: readonly Column[];
  /** Width of a bar. */
  readonly bar: number;
  readonly rows: readonly Row[];
  /** All chunks, drawn small, where not all are drawn. */
  readonly map: Box | null;
}

/** Height of the names of groups, of a chunk, and of the one that is looked at. */
export const RAIL = 30;
export const LOW = 34;
export const TALL = 108;
/** Chunks beside the one that is looked at, and on narrow cards. */
const OTHERS = 4;
const FEW = 2;
const NARROW = 698;
const SMALL = 526;
const MAP = 26;

export function boardOf(model: PlanModel, width: number, chunk: number): PlanBoard {
  const x = width >= 826 ? 196 : width >= SMALL ? 138 : 62;
  const others = width < NARROW ? FEW : OTHERS;
  // As high as wider cards, which have more chunks.
  const tall = width >= SMALL && width < NARROW ? TALL + 25 : TALL;
  const drawn = Math.min(model.chunks, others + 1);
  const mapped = model.chunks > drawn;
  const w = Math.max(40, width - x - (mapped ? MAP : 0));
  const pitch = w / model.folds.length;
  const columns = model.folds.map((fold, i) => ({ ...fold, x: x + (i + 0.5) * pitch, w: pitch }));
  const bar = pitch >= 24 ? Math.min(58, 0.5 * pitch) : Math.max(1, pitch - (pitch >= 5 ? 2 : 0));
  const first = Math.max(0, Math.min(model.chunks - drawn, chunk - others / 2));
  let y = RAIL;
  const rows = Array.from({ length: drawn }, (_, i): Row => {
    const current = first + i === chunk;
    const row = { chunk: first + i, y, h: current ? tall : LOW, current };
    y += row.h;
    return row;
  });
  // As high as with the most chunks there can be: a slider must not move what is below.
  const height = RAIL + tall + Math.min(others, model.doc.arrays.length - 1) * LOW;
  const map = mapped ? { x: width - 14, y: RAIL, w: 14, h: height - RAIL } : null;
  return { model, width, height, grid: { x, w }, columns, bar, rows, map };
}

/** The group under an x: the first of its fold; null beside all. */
export function groupAt({ columns }: PlanBoard, x: number): number | null {
  return columns.find((c) => Math.abs(x - c.x) <= c.w / 2)?.first ?? null;
}

/** The chunk at a point: of a row, or on the map of all. */
export function chunkAt({ rows, map, model }: PlanBoard, x: number, y: number): number | null {
  if (map && x >= map.x - 6)
    return Math.max(0, Math.min(model.chunks - 1, Math.floor(((y - map.y) / map.h) * model.chunks)));
  return rows.find((row) => y >= row.y && y < row.y + row.h)?.chunk ?? null;
}

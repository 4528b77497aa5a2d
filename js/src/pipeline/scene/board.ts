/**
 * Where the parts of a schedule stand: a row a rank, time to the right, all schedules on one scale.
 *
 *        0    3    6    9   time
 * rank 0 ████████░░░░████  4 kept
 *        ────────
 * rank 1 ░░██████████░░░░  3 kept
 */

import type { Box } from "../../draw/marks";
import type { ScheduleModel } from "../model/schedule";

/** Time that is shown, from and to. */
export type Span = readonly [from: number, to: number];

/** A schedule on the board. */
export interface Block {
  readonly model: ScheduleModel;
  readonly index: number;
  readonly box: Box;
  /** Top of the first rank's cells, the pitch of ranks, the height of cells and of what is kept under them. */
  readonly top: number;
  readonly pitch: number;
  readonly cell: number;
  readonly kept: number;
  /** Too many ranks for letters: drawn as one picture, with a lens under it. */
  readonly dense: boolean;
  /** Top of the lens. */
  readonly lens: number;
}

export interface Board {
  readonly width: number;
  readonly height: number;
  /** Where times are: x and width. */
  readonly grid: { readonly x: number; readonly w: number };
  readonly span: Span;
  /** The longest schedule's length. */
  readonly whole: number;
  readonly blocks: readonly Block[];
}

/** More ranks than this are one picture. */
const MOST_ROWS = 16;
/** Ranks and steps of the lens. */
export const LENS = { ranks: 6, steps: 16, cell: 20, pitch: 25 } as const;

const AXIS = 24;
const TITLE = 22;
const RIGHT = 58;

export function boardOf(models: readonly ScheduleModel[], width: number, span: Span | null): Board {
  const several = models.length > 1;
  const x = stripOf(models, width);
  const whole = Math.max(...models.map((m) => m.run.makespan));
  let y = 0;
  const blocks = models.map((model, index): Block => {
    const { ranks } = model.tasks;
    const dense = ranks > MOST_ROWS;
    const top = y + (several ? TITLE : 0) + (index === 0 ? AXIS : 6);
    const [cell, kept] = dense ? [Math.max(1, Math.min(6, Math.floor(200 / ranks))), 0] : rowOf(ranks, several);
    const pitch = dense ? cell : cell + kept + (several ? 4 : 6);
    const bottom = top + ranks * pitch;
    const lens = bottom + 34;
    const height = (dense ? lens + Math.min(LENS.ranks, ranks) * LENS.pitch + 8 : bottom + 4) - y;
    const block = { model, index, box: { x: 0, y, w: width, h: height }, top, pitch, cell, kept, dense, lens };
    y += height + (several ? 8 : 0);
    return block;
  });
  const grid = { x, w: Math.max(40, width - x - (width >= 560 ? RIGHT : 8)) };
  return { width, height: y, grid, span: span ?? [0, whole], whole, blocks };
}

/** Width of what stands before the cells: ranks, and their devices where they are known. */
function stripOf(models: readonly ScheduleModel[], width: number): number {
  if (width >= 560) return width >= 860 && models.some((m) => m.mesh) ? 178 : 104;
  return models.some((m) => m.tasks.ranks > MOST_ROWS) ? 76 : 48;
}

function rowOf(ranks: number, several: boolean): readonly [cell: number, kept: number] {
  if (several) return [12, 4];
  return ranks <= 4 ? [30, 14] : ranks <= 8 ? [24, 12] : [19, 8];
}

export function xOf({ grid, span }: Board, time: number): number {
  return grid.x + (grid.w * (time - span[0])) / (span[1] - span[0]);
}

export function timeAt({ grid, span }: Board, x: number): number {
  return span[0] + ((x - grid.x) / grid.w) * (span[1] - span[0]);
}

/** Pixels of one unit of time. */
export function scaleOf({ grid, span }: Board): number {
  return grid.w / (span[1] - span[0]);
}

export function rowTop(block: Block, rank: number): number {
  return block.top + rank * block.pitch;
}

/** The block and rank at a height, or null. */
function rankAt(board: Board, y: number): { block: Block; rank: number } | null {
  for (const block of board.blocks) {
    const rank = Math.floor((y - block.top) / block.pitch);
    if (rank >= 0 && rank < block.model.tasks.ranks && y >= block.top) return { block, rank };
  }
  return null;
}

/** A place on the board: a rank of a schedule at a moment. */
export interface Place {
  readonly schedule: number;
  readonly rank: number;
  readonly time: number;
}

/** The place at a point; null outside of the rows. */
export function placeAt(board: Board, x: number, y: number): Place | null {
  const at = rankAt(board, y);
  const time = timeAt(board, x);
  if (!at || x < board.grid.x || x > board.grid.x + board.grid.w || time > at.block.model.run.makespan) return null;
  return { schedule: at.block.index, rank: at.rank, time };
}

/** The ranks and times in the lens of a dense block, about a place. */
export function lensWindow(block: Block, place: Place | null): { rank: number; ranks: number; span: Span } {
  const { tasks, run } = block.model;
  const ranks = Math.min(LENS.ranks, tasks.ranks);
  const here = place && place.schedule === block.index ? place : null;
  const rank = Math.max(0, Math.min(tasks.ranks - ranks, (here?.rank ?? Math.floor(tasks.ranks / 2)) - 2));
  // As many steps as the same number of tasks takes on average, idle time included.
  const long = Math.min(run.makespan, (LENS.steps * run.makespan * tasks.ranks) / tasks.size);
  const middle = here?.time ?? run.makespan / 3;
  const from = Math.max(0, Math.min(run.makespan - long, middle - long / 2));
  return { rank, ranks, span: [from, from + long] };
}

/** What a rank keeps for the backward pass: one line per microbatch where few are kept, else a curve. */

import type { Mark } from "../../draw/marks";
import type { ScheduleModel } from "../model/schedule";
import { frees, keptOf } from "../model/simulate";
import { F } from "../model/tasks";
import { type Block, type Board, rowTop, xOf } from "./board";
import { colorOf, type Palette } from "./palette";

/** From the start of its forward task to the end of the task that frees it. */
interface Life {
  readonly microbatch: number;
  readonly from: number;
  readonly to: number;
  /** Line under the row. */
  readonly slot: number;
}

const MOST_LINES = 8;
const MOST_LIVES = 400;

export function keptMarks(board: Board, block: Block, palette: Palette, follow: number | null): Mark[] {
  const { model } = block;
  if (block.kept === 0 || !model.trains) return [];
  const most = Math.max(...model.run.peaks);
  const lines = most <= MOST_LINES && model.tasks.size / 2 <= MOST_LIVES;
  return Array.from({ length: model.tasks.ranks }, (_, rank) =>
    lines ? lifeMarks(board, block, rank, palette, follow, most) : curveMarks(board, block, rank, most),
  ).flat();
}

function lifeMarks(
  board: Board,
  block: Block,
  rank: number,
  palette: Palette,
  follow: number | null,
  most: number,
): Mark[] {
  const pitch = Math.min(3.2, block.kept / most);
  const top = rowTop(block, rank) + block.cell + 2;
  const [left, right] = [board.grid.x, board.grid.x + board.grid.w];
  return livesOf(block.model, rank).flatMap(({ microbatch, from, to, slot }): Mark[] => {
    const x = Math.max(left, xOf(board, from));
    const w = Math.min(right, xOf(board, to)) - x;
    const dim = follow !== null && follow !== microbatch;
    const fill = colorOf(palette, 3, microbatch);
    const at = { x, y: top + slot * pitch, w, h: Math.max(1, pitch - 0.8) };
    return w > 0 ? [{ kind: "rect", ...at, fill, ...(dim ? { alpha: 0.35 } : {}) }] : [];
  });
}

function curveMarks(board: Board, block: Block, rank: number, most: number): Mark[] {
  const bottom = rowTop(block, rank) + block.cell + 1 + block.kept;
  const [left, right] = [board.grid.x, board.grid.x + board.grid.w];
  const marks: Mark[] = [];
  const kept = keptOf(block.model.tasks, block.model.run, rank);
  let x = left;
  let n = 0;
  const upTo = (to: number) => {
    // Columns narrower than a pixel wait for the next change.
    if (n > 0 && to > x) {
      const h = (block.kept * n) / most;
      marks.push({ kind: "rect", x, y: bottom - h, w: to - x, h, fill: "faint" });
    }
    x = Math.max(x, to);
  };
  for (const [moment, next] of kept) {
    const to = Math.min(right, Math.max(left, xOf(board, moment)));
    if (to - x >= 1 || next === 0) upTo(to);
    n = to > x ? Math.max(n, next) : next;
  }
  upTo(right);
  return marks;
}

function livesOf({ tasks, run }: ScheduleModel, rank: number): Life[] {
  const whole = frees(tasks);
  const open = new Map<string, number>();
  const lives: Omit<Life, "slot">[] = [];
  const [first, last] = [tasks.first[rank] ?? 0, tasks.first[rank + 1] ?? 0];
  for (let t = first; t < last; t++) {
    const key = `${tasks.stage[t]} ${tasks.microbatch[t]}`;
    if (tasks.kind[t] === F) open.set(key, run.start[t] ?? 0);
    if (whole(t)) {
      lives.push({ microbatch: tasks.microbatch[t] ?? 0, from: open.get(key) ?? 0, to: run.end[t] ?? 0 });
    }
  }
  // The first slot that is free again.
  const free: number[] = [];
  return lives
    .sort((a, b) => a.from - b.from)
    .map((life) => {
      const found = free.findIndex((until) => until <= life.from);
      const slot = found < 0 ? free.length : found;
      free[slot] = life.to;
      return { ...life, slot };
    });
}

/** What changes with the reader: the followed microbatch, what a task needs, the critical path, the moment. */
import { hex } from "../../core/color";
import { axisToken, type Box, label, type Mark, MONO, outline } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import type { ScheduleModel } from "../model/schedule";
import { short } from "../model/words";
import { type Block, type Board, rowTop, xOf } from "./board";
import { type Palette, rgbOf } from "./palette";

/** The path of a microbatch through more tasks is not drawn. */
const MOST_WAY = 200;

/** The path of a microbatch through all ranks: its data colour inside, the axis colour around. */
export function wayMarks(board: Board, block: Block, palette: Palette, microbatch: number): Mark[] {
  const { model } = block;
  const way = model.way(microbatch);
  if (block.dense || way.length > MOST_WAY) return [];
  const marks: Mark[] = [];
  for (const t of way) {
    for (const need of [model.run.needs[2 * t] ?? -1, model.run.needs[2 * t + 1] ?? -1]) {
      if (need >= 0 && model.tasks.rank[need] !== model.tasks.rank[t])
        marks.push(...sendMarks(board, block, palette, need, t));
    }
  }
  for (const t of way) marks.push(...boxMarks(board, block, t, 2));
  return marks;
}

/** What a task gets from other ranks, and who gets what it makes. */
export function hoverMarks(board: Board, block: Block, palette: Palette, task: number): Mark[] {
  if (block.dense) return [];
  const { model } = block;
  const needed = [model.run.needs[2 * task] ?? -1, model.run.needs[2 * task + 1] ?? -1].filter((n) => n >= 0);
  const far = (a: number, b: number) => model.tasks.rank[a] !== model.tasks.rank[b];
  return [
    ...needed.filter((n) => far(n, task)).flatMap((n) => sendMarks(board, block, palette, n, task)),
    ...takersOf(model, task)
      .filter((t) => far(t, task))
      .flatMap((t) => sendMarks(board, block, palette, task, t)),
    ...boxMarks(board, block, task, 2.2),
  ];
}

/** Tasks that wait for a task. */
function takersOf(model: ScheduleModel, task: number): number[] {
  return model
    .way(model.tasks.microbatch[task] ?? 0)
    .filter((t) => model.run.needs[2 * t] === task || model.run.needs[2 * t + 1] === task);
}

/** A send: it leaves where its task ends and arrives where the next one begins. */
function sendMarks(board: Board, block: Block, palette: Palette, from: number, to: number): Mark[] {
  const { tasks, run } = block.model;
  const [a, b] = [tasks.rank[from] ?? 0, tasks.rank[to] ?? 0];
  const down = b > a;
  const [left, right] = [board.grid.x, board.grid.x + board.grid.w];
  const x0 = xOf(board, run.end[from] ?? 0) - 3;
  const x1 = Math.max(x0, xOf(board, run.start[to] ?? 0) + 3);
  if (x1 < left || x0 > right) return [];
  const y0 = rowTop(block, a) + (down ? block.cell : 0);
  const y1 = rowTop(block, b) + (down ? 0 : block.cell);
  // Halfway between the two ranks next to where it leaves, so that it does not cross other cells at length.
  const middle = down ? y1 - 5 : y1 + 5;
  const points = [
    [x0, y0],
    [x0, middle],
    [x1, middle],
    [x1, y1],
  ] as const;
  const ink = axisToken(block.model.mesh?.axisOf(block.model.doc.axis) ?? 0);
  const core = hex(rgbOf(palette, tasks.kind[from] ?? 0, tasks.microbatch[from] ?? 0));
  return [
    { kind: "line", points, r: 5, stroke: { color: ink, width: 5 }, arrow: block.pitch - block.cell >= 16 },
    { kind: "line", points: points.slice(0, 3), r: 5, stroke: { color: core, width: 2.6 } },
  ];
}

/** A task's cell, outlined. */
function boxMarks(board: Board, block: Block, task: number, width: number): Mark[] {
  const { tasks, run } = block.model;
  const [left, right] = [board.grid.x, board.grid.x + board.grid.w];
  const x0 = Math.max(left, xOf(board, run.start[task] ?? 0));
  const x1 = Math.min(right, xOf(board, run.end[task] ?? 0));
  if (x1 <= x0) return [];
  return outline({ x: x0, y: rowTop(block, tasks.rank[task] ?? 0), w: x1 - x0, h: block.cell }, 2, width);
}

/** The tasks that made the run as long as it is: outlined, joined where ranks hand over, and how long they take. */
export function criticalMarks(board: Board, block: Block): Mark[] {
  const { tasks, run } = block.model;
  const [left, right] = [board.grid.x, board.grid.x + board.grid.w];
  const marks: Mark[] = [];
  let before: Box | null = null;
  for (const t of run.critical) {
    const [x0, x1] = [xOf(board, run.start[t] ?? 0), xOf(board, run.end[t] ?? 0)];
    const box: Box = { x: x0, y: rowTop(block, tasks.rank[t] ?? 0), w: x1 - x0, h: block.cell };
    if (before && before.y !== box.y && box.x >= left - 1 && box.x <= right + 1) {
      const down = box.y > before.y;
      const from = [before.x + before.w, before.y + (down ? before.h : 0)] as const;
      const to = [box.x, box.y + (down ? 0 : box.h)] as const;
      marks.push({ kind: "line", points: [from, to], stroke: { color: "error", width: 2 } });
    }
    before = box;
    const [a, b] = [Math.max(left, x0), Math.min(right, x1)];
    if (b <= a) continue;
    const edge = { x: a + 0.5, y: box.y, w: b - a - 1, h: box.h, r: 3 };
    marks.push({ kind: "rect", ...edge, stroke: { color: "error", width: 2 } });
  }
  if (marks.length === 0) return [];
  const long = run.critical.reduce((sum, t) => sum + (run.end[t] ?? 0) - (run.start[t] ?? 0), 0);
  const text = `critical path: ${short(long)} of ${short(run.makespan)} in tasks`;
  const w = textWidth(text, 11) + 8;
  // Under the last rank.
  const y = rowTop(block, tasks.ranks) - (block.pitch - block.cell) + 3;
  return [
    ...marks,
    { kind: "rect", x: right - w, y: y - 1, w, h: 15, r: 3, fill: "bg", alpha: 0.9 },
    label(right - 4, y + 10.5, text, 11, "error", { anchor: "end", weight: 600 }),
  ];
}

/** The moment, and what each device does then. */
export function momentMarks(board: Board, palettes: readonly Palette[], time: number): Mark[] {
  const marks: Mark[] = board.blocks.flatMap((block) => deviceMarks(board, block, palettes[block.index], time));
  const x = xOf(board, time);
  const [first, last] = [board.blocks[0], board.blocks.at(-1)];
  if (!first || !last || x < board.grid.x - 1 || x > board.grid.x + board.grid.w + 1) return marks;
  const bottom = rowTop(last, last.model.tasks.ranks);
  marks.push({ kind: "rect", x: x - 2, y: first.top - 6, w: 4, h: bottom - first.top + 6, fill: "bg", alpha: 0.8 });
  marks.push({ kind: "rect", x: x - 0.75, y: first.top - 6, w: 1.5, h: bottom - first.top + 6, fill: "ink" });
  return marks;
}

/** Devices of each rank: filled with what they work on, empty while idle. */
function deviceMarks({ grid, width }: Board, block: Block, palette: Palette | undefined, time: number): Mark[] {
  if (!palette || !block.model.mesh || block.dense || width < 826) return [];
  const { model } = block;
  const marks: Mark[] = [];
  for (let r = 0; r < model.tasks.ranks; r++) {
    const task = model.taskAt(r, time);
    const color =
      task === null ? null : hex(rgbOf(palette, model.tasks.kind[task] ?? 0, model.tasks.microbatch[task] ?? 0));
    const positions = model.positions(r);
    const many = positions.length > 4 || block.cell < 24;
    const places = many || positions.length === 0 ? [-1] : positions;
    const [w, h] = places.length > 2 ? [30, block.cell / 2 - 1] : [places.length > 1 ? 30 : 62, block.cell];
    places.forEach((p, i) => {
      const at = { x: grid.x - 82 + (i % 2) * 33, y: rowTop(block, r) + Math.floor(i / 2) * (h + 2), w, h };
      const fill = color ?? "panel";
      marks.push({ kind: "rect", ...at, r: 3, fill, stroke: { color: "edge", width: 1 } });
      const text = p >= 0 ? String(model.mesh?.ids[p] ?? p) : positions.length > 0 ? `${positions.length} devices` : "";
      if (h >= 12)
        marks.push(
          label(at.x + w / 2, at.y + h / 2 + 4, text, 10, color ? "tile-ink" : "muted", { ...MONO, anchor: "middle" }),
        );
    });
  }
  return marks;
}

/** What stands around the cells: the axis of time, ranks with their devices, idle time, how much is kept. */

import { axisToken, BOLD, label, type Mark, MONO } from "../../draw/marks";
import { fit } from "../../draw/measure";
import { rankText, short } from "../model/words";
import { type Block, type Board, LENS, lensWindow, type Place, rowTop, scaleOf, xOf } from "./board";

/** Minimum distance between ticks. */
const ROOM = 46;
const NICE = [1, 2, 3, 5, 10] as const;

export function frameMarks(board: Board): Mark[] {
  return [...partMarks(board), ...axisMarks(board), ...board.blocks.flatMap((block) => blockMarks(board, block))];
}

/** For a zoomed picture: the part of all time that it shows, framed. */
function partMarks({ blocks, grid, span, whole }: Board): Mark[] {
  const first = blocks[0];
  if (!first || span[1] - span[0] >= whole) return [];
  const y = first.top - 24;
  const x = grid.x + (grid.w * span[0]) / whole;
  const w = Math.max(4, (grid.w * (span[1] - span[0])) / whole);
  return [
    { kind: "rect", x: grid.x, y, w: grid.w, h: 5, r: 2, fill: "faint", stroke: { color: "line", width: 1 } },
    { kind: "rect", x, y, w, h: 5, r: 2, fill: "area", stroke: { color: "ink", width: 1.5 } },
  ];
}

function axisMarks(board: Board): Mark[] {
  const first = board.blocks[0];
  if (!first) return [];
  const y = first.top - 8;
  const [from, to] = board.span;
  // Ticks are whole tasks, but where a part of one is enlarged.
  const step = tickStep(Math.max(ROOM / scaleOf(board), Math.min(1, (to - from) / 2)));
  const marks: Mark[] = [label(board.grid.x - 10, y, "time", 11, "muted", { anchor: "end" })];
  for (let k = Math.ceil(board.span[0] / step - 1e-9); k * step <= board.span[1] + 1e-9; k++) {
    const x = xOf(board, k * step);
    marks.push(label(x, y, short(k * step, 4), 10.5, "muted", { ...MONO, anchor: "middle" }));
    marks.push({ kind: "rect", x: x - 0.5, y: y + 3, w: 1, h: 4, fill: "line" });
  }
  return marks;
}

/** A step of time of 1, 2, 3 or 5 times a power of ten. */
function tickStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * (NICE.find((n) => n * power >= least) ?? 10);
}

function blockMarks(board: Board, block: Block): Mark[] {
  const { model, dense } = block;
  const { doc, run, tasks } = model;
  const { grid, span, width } = board;
  const marks: Mark[] = [];
  if (board.blocks.length > 1) {
    const shorter = board.whole - run.makespan;
    const y = block.box.y + (block.index === 0 ? 14 : 18);
    const gain = shorter > 1e-9 ? `${short(shorter)} sooner` : "";
    marks.push(label(0, y, fit(doc.name, width - 130, 13), 13, "ink", { weight: 700 }));
    marks.push(label(grid.x + grid.w, y, gain, 12, "ink", { weight: 700, anchor: "end" }));
    if (block.index > 0) {
      const top = { x: -16, y: block.box.y - 4, w: width + 32, h: 1 };
      marks.push({ kind: "rect", ...top, fill: "line" });
    }
  }
  const end = Math.min(grid.x + grid.w, xOf(board, run.makespan));
  const color = axisToken(model.mesh?.axisOf(doc.axis) ?? 0);
  if (dense) {
    const h = tasks.ranks * block.pitch;
    marks.push(label(grid.x - 10, block.top + 9, rankText(model, 0), 11, color, { ...BOLD, anchor: "end" }));
    marks.push(label(grid.x - 10, block.top + h, String(tasks.ranks - 1), 11, color, { ...BOLD, anchor: "end" }));
  } else {
    for (let r = 0; r < tasks.ranks; r++) {
      const y = rowTop(block, r);
      const idle = { x: grid.x, y, w: Math.max(0, end - grid.x), h: block.cell };
      marks.push({ kind: "rect", ...idle, fill: "faint", lines: true, stroke: { color: "line", width: 1 } });
      const text = width >= 560 ? rankText(model, r) : String(r);
      marks.push(label(0, y + block.cell / 2 + 4, fit(text, grid.x - 12, 11, true), 11, color, BOLD));
    }
  }
  if (run.makespan >= span[0] && run.makespan <= span[1] + 1e-9) {
    const [top, bottom] = [block.top - 4, rowTop(block, tasks.ranks) - (dense ? 0 : 6) + 2];
    marks.push({ kind: "rect", x: end - 0.75, y: top, w: 1.5, h: bottom - top, fill: "ink" });
  }
  return [...marks, ...keptTexts(board, block)];
}

function keptTexts({ grid, width, blocks }: Board, block: Block): Mark[] {
  const { model, dense } = block;
  if (width < 560 || !model.trains) return [];
  const of = (r: number) => (blocks.length > 1 ? model.kept(r) : (model.run.peaks[r] ?? 0));
  const x = grid.x + grid.w + 8;
  const last = model.tasks.ranks - 1;
  const ranks = dense ? [0, last] : Array.from({ length: last + 1 }, (_, r) => r);
  return ranks.map((r) => {
    const y = dense ? (r === 0 ? block.top + 9 : rowTop(block, last) + block.pitch) : rowTop(block, r) + block.cell + 9;
    return label(x, y, `${short(of(r), 1)} kept`, 11, "muted");
  });
}

/** Where the lens of a dense block is, and the ranks in it. */
export function lensFrame(board: Board, block: Block, place: Place | null): Mark[] {
  const { rank, ranks, span } = lensWindow(block, place);
  const { grid } = board;
  const clip = (x: number) => Math.max(grid.x, Math.min(grid.x + grid.w, x));
  const [x0, x1] = [clip(xOf(board, span[0])), clip(xOf(board, span[1]))];
  const y = rowTop(block, rank);
  const box = { x: x0, y, w: Math.max(3, x1 - x0), h: Math.max(3, ranks * block.pitch) };
  const color = axisToken(block.model.mesh?.axisOf(block.model.doc.axis) ?? 0);
  const line = (from: number, to: number): Mark => {
    const points = [
      [from, y + box.h],
      [to, block.lens - 5],
    ] as const;
    return { kind: "line", points, stroke: { color: "muted", width: 1 } };
  };
  return [
    { kind: "rect", ...box, stroke: { color: "bg", width: 4 } },
    { kind: "rect", ...box, stroke: { color: "ink", width: 2 } },
    line(box.x, grid.x),
    line(box.x + box.w, grid.x + grid.w),
    ...Array.from({ length: ranks }, (_, i) => {
      const at = block.lens + i * LENS.pitch + 14;
      return label(grid.x - 10, at, rankText(block.model, rank + i), 11, color, { ...BOLD, anchor: "end" });
    }),
  ];
}

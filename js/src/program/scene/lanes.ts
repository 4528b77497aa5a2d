/**
 * The collectives of one call as a timeline: a lane for each mesh axis, in the module's order, as wide as their
 * estimated time. A loop is drawn once, as wide as all of its runs, under a bracket with their number.
 */
import type { HloCollective } from "../../core/document.gen";
import { timeAxis } from "../../core/format";
import { axisStroke, axisToken, BOLD, type Box, CENTER, type Color, label, type Mark } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import type { ProgramModel } from "../model/program";
import { nestText } from "../model/words";

export interface Block {
  /** Index of the collective. */
  at: number;
  boxes: readonly Box[];
}

export interface Lanes {
  width: number;
  height: number;
  /** Where the lanes begin, from the left. */
  left: number;
  /** Mesh axes, by index; null for irregular groups. */
  lanes: readonly { axis: number | null; y: number }[];
  blocks: readonly Block[];
  loops: readonly { x: number; w: number; text: string }[];
  ticks: readonly { x: number; text: string }[];
}

const LANE = 20;
const GAP = 6;
const LOOP = 22;
const FOOT = 20;
/** A narrower block could not be seen. */
const LEAST = 1.2;

export function layoutLanes(model: ProgramModel, interconnect: number, width: number): Lanes | null {
  const seconds = model.collectives.map((c) => model.seconds(c, interconnect));
  const total = seconds.reduce((a, b) => a + b, 0);
  if (!(total > 0) || model.collectives.length < 2) return null;
  const used = new Set(model.collectives.flatMap(axesOf(model)));
  const axes = [...model.mesh.axes.keys(), null].filter((a) => used.has(a));
  const names = axes.map((a) => (a === null ? "irregular" : (model.mesh.axes[a]?.name ?? "")));
  const left = Math.min(110, Math.max(...names.map((n) => textWidth(n, 12, true))) + 12);
  const scale = (width - left - 4) / total;
  const looped = model.collectives.some((c) => loopOf(model, c) !== null);
  const top = looped ? LOOP : 2;
  const lanes = axes.map((axis, i) => ({ axis, y: top + i * (LANE + GAP) }));
  const blocks: Block[] = [];
  const loops: { x: number; w: number; text: string; nest: unknown }[] = [];
  let x = left;
  model.collectives.forEach((c, at) => {
    const w = (seconds[at] ?? 0) * scale;
    const over = new Set(axesOf(model)(c));
    const boxes = lanes.filter((l) => over.has(l.axis)).map(({ y }) => ({ x, y, w: Math.max(LEAST, w), h: LANE }));
    blocks.push({ at, boxes });
    const loop = loopOf(model, c);
    const last = loops.at(-1);
    if (loop && last?.nest === loop && Math.abs(last.x + last.w - x) < 1e-6) last.w += w;
    else if (loop) loops.push({ x, w, text: nestText(loop), nest: loop });
    x += w;
  });
  const step = tick(total / Math.max(2, width / 160));
  const write = timeAxis(step, total);
  const ticks = Array.from({ length: Math.floor(total / step) + 1 }, (_, i) => ({
    x: left + i * step * scale,
    text: write(i * step),
  }));
  return { width, height: top + lanes.length * (LANE + GAP) + FOOT, left, lanes, blocks, loops, ticks };
}

/** The timeline; `group` holds the equals of the chosen collective, which are outlined too. */
export function laneMarks(model: ProgramModel, t: Lanes, chosen: number | null, group: readonly number[]): Mark[] {
  const marks: Mark[] = [];
  const bottom = t.height - FOOT;
  for (const { axis, y } of t.lanes) {
    const name = axis === null ? "irregular" : (model.mesh.axes[axis]?.name ?? "");
    const color: Color = axis === null ? "muted" : axisToken(axis);
    marks.push({ kind: "rect", x: t.left, y, w: t.width - t.left, h: LANE, fill: "panel" });
    marks.push(label(t.left - 8, y + 14, fit(name, t.left - 12, 12, true), 12, color, { ...BOLD, anchor: "end" }));
  }
  for (const { x, text } of t.ticks) {
    const points = [
      [x, t.lanes[0]?.y ?? 0],
      [x, bottom - 1],
    ] as const;
    marks.push({ kind: "line", points, stroke: { color: "line", width: 1 } });
    if (x + textWidth(text, 11, true) / 2 <= t.width) marks.push(label(x, bottom + 12, text, 11, "muted", CENTER));
  }
  for (const { x, w, text } of t.loops) {
    if (w < 6) continue;
    const points = [
      [x + 1, LOOP - 3],
      [x + 1, LOOP - 7],
      [x + w - 1, LOOP - 7],
      [x + w - 1, LOOP - 3],
    ] as const;
    marks.push({ kind: "line", points, stroke: { color: "ink", width: 1.3 } });
    const short = textWidth(text, 11) <= w ? text : (/×.*$/.exec(text)?.[0] ?? "");
    if (textWidth(short, 11) <= w + 8)
      marks.push(label(x + w / 2, LOOP - 10, short, 11, "ink", { weight: 600, anchor: "middle" }));
  }
  const equal = new Set(group);
  for (const { at, boxes } of t.blocks) {
    const c = model.collectives[at];
    if (c) for (const box of boxes) marks.push(...blockMarks(c, box, t));
  }
  for (const { at, boxes } of t.blocks) {
    if (!equal.has(at)) continue;
    for (const b of boxes)
      marks.push({
        kind: "rect",
        x: b.x,
        y: b.y,
        w: b.w,
        h: b.h,
        r: 2,
        stroke: { color: "ink", width: at === chosen ? 2.4 : 1.2 },
      });
  }
  return marks;
}

/** The collective at a point. */
export function blockAt(t: Lanes, x: number, y: number): number | null {
  let [best, least] = [null as number | null, 5];
  for (const { at, boxes } of t.blocks) {
    for (const b of boxes) {
      const away = Math.max(b.x - x, x - b.x - b.w, 0);
      if (y >= b.y - 2 && y < b.y + b.h + 2 && away < least) [best, least] = [at, away];
    }
  }
  return best;
}

function blockMarks(c: HloCollective, box: Box, t: Lanes): Mark[] {
  const lane = t.lanes.find((l) => l.y === box.y);
  const axis = lane?.axis ?? null;
  const shown = { ...box, w: Math.max(LEAST, box.w - (box.w > 4 ? 1 : 0)) };
  const marks: Mark[] = [
    { kind: "rect", ...shown, r: box.w > 6 ? 2 : 0, fill: axis === null ? "muted" : axisToken(axis) },
  ];
  if (axis !== null) marks.push(...patternMarks(axis, shown));
  const text = `${c.kind}${c.source ? `, line ${c.source.line}` : ""}`;
  if (textWidth(text, 11, true) + 8 <= box.w)
    marks.push(label(box.x + shown.w / 2, box.y + 14, text, 11, "bg", { ...CENTER, weight: 700 }));
  return marks;
}

/** The line pattern of an axis at both long edges of its bar: colour is not the only sign. */
export function patternMarks(axis: number, { x, y, w, h }: Box): Mark[] {
  if (axis === 0 || w <= 16) return [];
  return [y + 1, y + h - 1].map((at) => {
    const points = [
      [x, at],
      [x + w, at],
    ] as const;
    return { kind: "line", points, stroke: { ...axisStroke(axis, 2), color: "bg" } };
  });
}

function axesOf(model: ProgramModel) {
  return (c: HloCollective): (number | null)[] =>
    c.axes.length > 0 ? c.axes.map((a) => model.mesh.axisOf(a)) : [null];
}

/** The outermost loop that a collective runs in; null for none. */
function loopOf(model: ProgramModel, c: HloCollective) {
  return model.trail(c).find((n) => n.kind !== "branch" && n.kind !== "call") ?? null;
}

/** A round number of seconds, at least this many. */
function tick(least: number): number {
  const unit = 10 ** Math.floor(Math.log10(least));
  return unit * ([1, 2, 5, 10].find((k) => k * unit >= least) ?? 10);
}

/** The chart of memory: bytes stacked by kind, loops as brackets, the limit, the peak; and the cursor above it. */
import { hex, positionColor, type Scheme } from "../../../core/color";
import type { Buffer } from "../../../core/document.gen";
import { bytes } from "../../../core/format";
import { axisToken, type Color, label, type Mark } from "../../../draw/marks";
import { fit, textWidth } from "../../../draw/measure";
import { KINDS, type MemoryModel } from "../model/memory";
import { loopText } from "../model/words";
import { type MemoryLayout, xOf } from "./layout";

/** What the chart is scaled to, beside the peak. */
export interface Bounds {
  /** Bytes that the device has; null for no limit. */
  limit: number | null;
  /** Whether the limit is low enough to be drawn. */
  drawn: boolean;
  most: number;
}

/** A limit far above everything would flatten the chart: then it is given only in words. */
const FAR = 3;

export function boundsOf(model: MemoryModel, limit: number | null): Bounds {
  const own = Math.max(1, model.peakBytes, model.doc.compiler ? model.allocated : 0);
  const drawn = limit !== null && limit <= FAR * own;
  return { limit, drawn, most: 1.08 * Math.max(own, drawn ? limit : 0) };
}

/** The colour of a kind of bytes. */
export function kindColor(kind: Buffer["kind"], scheme: Scheme): Color {
  // Far from the inks of the first two axes, in which collectives are drawn beside them.
  if (kind === "kept") return hex(positionColor(1, 4, 0, 1, scheme));
  if (kind === "temporary") return hex(positionColor(2, 4, 0, 1, scheme));
  if (kind === "constant") return "faint";
  return kind === "argument" ? "k0" : kind === "output" ? "tick" : "muted";
}

export function chartMarks(model: MemoryModel, layout: MemoryLayout, bounds: Bounds, scheme: Scheme): Mark[] {
  const { left, span, top, plot } = layout;
  const y = (n: number) => top + plot * (1 - n / bounds.most);
  return [
    ...loopGrounds(model, layout),
    ...scaleMarks(layout, bounds, y),
    ...stackMarks(model, layout, bounds, scheme),
    outline(model, layout, y),
    line(left, left + span, top + plot, "muted"),
    ...limitMarks(model, layout, bounds, y),
    ...peakMarks(model, layout, y),
    ...loopMarks(model, layout),
  ];
}

/** The stack, pixel by pixel: of the steps in a pixel, the one that holds most. */
function stackMarks(model: MemoryModel, layout: MemoryLayout, bounds: Bounds, scheme: Scheme): Mark[] {
  const { left, span, top, plot, steps } = layout;
  const columns = columnsOf(model, layout);
  const width = span / columns.length;
  const box = { x: left, y: top, w: span, h: plot };
  const below = new Float64Array(columns.length);
  const inks = inksOf(model);
  return KINDS.flatMap((kind, k): Mark[] => {
    const held = model.byKind[k] ?? new Float64Array(steps);
    const boxes = new Map<Color, number[]>();
    columns.forEach((step, c) => {
      const h = (plot * (held[step] ?? 0)) / bounds.most;
      const color = kind === "collective" ? (inks[step] ?? "muted") : kindColor(kind, scheme);
      const at = boxes.get(color) ?? [];
      boxes.set(color, at);
      const y = plot - (below[c] ?? 0) - h;
      below[c] = (below[c] ?? 0) + h;
      if (h === 0) return;
      // Edges are on whole pixels, and equal neighbours are one box, so that no hairline stays between them.
      const [x, end] = [Math.round(c * width), Math.round((c + 1) * width)];
      const last = at.length - 4;
      const joins =
        last >= 0 && at[last + 1] === y && at[last + 3] === h && (at[last] ?? 0) + (at[last + 2] ?? 0) === x;
      if (joins) at[last + 2] = end - (at[last] ?? 0);
      else at.push(x, y, end - x, h);
    });
    return [...boxes].filter(([, b]) => b.length > 0).map(([color, b]) => ({ kind: "bars", ...box, color, boxes: b }));
  });
}

/** At each step, the ink of the largest buffer of a collective. */
function inksOf(model: MemoryModel): readonly Color[] {
  const inks: Color[] = new Array(model.steps);
  const found = model.doc.buffers.filter((b) => b.kind === "collective").sort((a, b) => a.bytes - b.bytes);
  for (const b of found) inks.fill(inkColor(model, b), b.born, b.dies + 1);
  return inks;
}

export function inkColor(model: MemoryModel, buffer: Buffer): Color {
  const axis = model.inkOf(buffer);
  return axis < 0 ? "muted" : axisToken(axis);
}

/** The step that stands for each column of pixels, or every step where there is room. */
export function columnsOf(model: MemoryModel, { span, steps }: MemoryLayout): readonly number[] {
  const count = Math.min(steps, Math.round(span));
  return Array.from({ length: count }, (_, c) =>
    model.peakIn(Math.floor((c * steps) / count), Math.floor(((c + 1) * steps) / count) - 1),
  );
}

function outline(model: MemoryModel, layout: MemoryLayout, y: (n: number) => number): Mark {
  const columns = columnsOf(model, layout);
  const width = layout.span / columns.length;
  const points: (readonly [number, number])[] = [];
  let before = Number.NaN;
  columns.forEach((step, c) => {
    const at = y(model.total[step] ?? 0);
    const x = layout.left + c * width;
    if (at !== before) {
      if (c > 0) points.push([x, before]);
      points.push([x, at]);
    }
    before = at;
  });
  points.push([layout.left + layout.span, before]);
  return { kind: "line", points, stroke: { color: "kedge", width: 1 } };
}

function loopGrounds(model: MemoryModel, layout: MemoryLayout): Mark[] {
  return model.doc.loops.map(({ first, last }): Mark => {
    const x = xOf(layout, first);
    return { kind: "rect", x, y: layout.top, w: xOf(layout, last + 1) - x, h: layout.plot, fill: "panel" };
  });
}

function loopMarks(model: MemoryModel, layout: MemoryLayout): Mark[] {
  const y = layout.top + layout.plot;
  const names: (readonly [number, number])[] = [];
  // Outer loops first: an inner one has a bracket, and a name only where it is not under another.
  return [...model.doc.loops]
    .sort((a, b) => b.last - b.first - (a.last - a.first) || a.first - b.first)
    .flatMap((loop, k, all): Mark[] => {
      const [x, right] = [xOf(layout, loop.first) + 0.5, xOf(layout, loop.last + 1) - 0.5];
      const depth = all.slice(0, k).filter((l) => l.first <= loop.first && loop.last <= l.last).length;
      const base = y + 8 - 2.5 * Math.min(2, depth);
      const points = [
        [x, y + 2],
        [x, base],
        [right, base],
        [right, y + 2],
      ] as const;
      const room = right - x;
      const text = depth > 0 || room < 44 ? "" : fit(loopText(loop), room, 10.5);
      const end = x + textWidth(text, 10.5);
      const named = text.length > 1 && names.every(([a, b]) => end < a || b < x);
      if (named) names.push([x, end]);
      const bracket: Mark = { kind: "line", points, stroke: { color: "muted", width: 1.2 } };
      return named ? [bracket, label(x, y + 21, text, 10.5, "ink")] : [bracket];
    });
}

function scaleMarks(layout: MemoryLayout, { most }: Bounds, y: (n: number) => number): Mark[] {
  const { left, span } = layout;
  const step = tickOf(most / 4);
  const marks: Mark[] = [];
  for (let n = 0; n <= most; n += step) {
    if (n > 0) marks.push(line(left, left + span, y(n), "line"));
    marks.push(label(left - 6, y(n) + 3.5, n === 0 ? "0" : bytes(n), 10, "muted", { anchor: "end" }));
  }
  return marks;
}

/** A round number of bytes: 1, 2 or 5 (or a power of two) of a binary unit. */
function tickOf(about: number): number {
  const unit = 1024 ** Math.max(0, Math.floor(Math.log(Math.max(1, about)) / Math.log(1024)));
  const rest = about / unit;
  const round = [1, 2, 5, 10, 20, 50, 100, 200, 256, 512].find((n) => n >= rest) ?? 512;
  return round * unit;
}

function limitMarks(model: MemoryModel, layout: MemoryLayout, bounds: Bounds, y: (n: number) => number): Mark[] {
  const { left, span } = layout;
  const right = left + span;
  const marks: Mark[] = [];
  const { allocated } = model;
  const aside = model.doc.compiler !== null && allocated > 1.02 * model.peakBytes;
  if (aside) {
    const points = [
      [left, y(allocated)],
      [right, y(allocated)],
    ] as const;
    marks.push({ kind: "line", points, stroke: { color: "muted", width: 1.2, dash: [2, 3] } });
    const text = `${bytes(allocated)} allocated`;
    marks.push(label(right, y(allocated) - 4, text, 10.5, "muted", { anchor: "end" }));
  }
  if (bounds.drawn && bounds.limit !== null) {
    const over = Math.max(model.peakBytes, allocated) > bounds.limit;
    const points = [
      [left, y(bounds.limit)],
      [right, y(bounds.limit)],
    ] as const;
    marks.push({ kind: "line", points, stroke: { color: over ? "error" : "ink", width: 1.6 } });
    const near = aside && Math.abs(y(bounds.limit) - y(allocated)) < 14;
    const at = y(bounds.limit) + (near && bounds.limit < allocated ? 12 : -4);
    const text = `${bytes(bounds.limit)} of the device`;
    const wide = textWidth(text, 10.5) + 6;
    marks.push({ kind: "rect", x: right - wide, y: at - 11, w: wide + 1, h: 14, fill: "bg", alpha: 0.8 });
    marks.push(label(right, at, text, 10.5, over ? "error" : "ink", { anchor: "end", weight: 600 }));
  }
  return marks;
}

function peakMarks(model: MemoryModel, layout: MemoryLayout, y: (n: number) => number): Mark[] {
  const x = (xOf(layout, model.peak) + xOf(layout, model.peak + 1)) / 2;
  const at = y(model.peakBytes);
  const text = `peak ${bytes(model.peakBytes)}`;
  const left = x + 10 + textWidth(text, 11) > layout.left + layout.span;
  return [
    { kind: "rect", x: x - 4.5, y: at - 4.5, w: 9, h: 9, r: 4.5, fill: "bg", stroke: { color: "ink", width: 2 } },
    label(left ? x - 9 : x + 9, at - 4, text, 11, "ink", { weight: 700, anchor: left ? "end" : "start" }),
  ];
}

/** The cursor, the stretch that is being drawn, and what the chosen buffer spans. */
export function cursorMarks(
  layout: MemoryLayout,
  at: number,
  span: readonly [number, number] | null,
  life: readonly [number, number] | null,
): Mark[] {
  const { top, plot } = layout;
  const x = (xOf(layout, at) + xOf(layout, at + 1)) / 2;
  const stretch = ([from, to]: readonly [number, number], y: number, h: number, color: Color, alpha: number): Mark => ({
    kind: "rect",
    x: xOf(layout, from),
    y,
    w: Math.max(1.5, xOf(layout, to + 1) - xOf(layout, from)),
    h,
    fill: color,
    alpha,
  });
  return [
    ...(span ? [stretch(span, top, plot, "ink", 0.1)] : []),
    ...(life ? [stretch(life, top + plot - 3, 3, "ink", 1)] : []),
    {
      kind: "line",
      points: [
        [x, top],
        [x, top + plot + 6],
      ],
      stroke: { color: "ink", width: 1.2, dash: [2, 2.5] },
    },
  ];
}

function line(from: number, to: number, y: number, color: Color): Mark {
  const points = [
    [from, y],
    [to, y],
  ] as const;
  return { kind: "line", points, stroke: { color, width: 1 } };
}

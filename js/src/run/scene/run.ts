/** Lanes of devices over time: their bars, axis and names, and the cursor. */

import { duration, timeAxis } from "../../core/format";
import { axisStroke, axisToken, BOLD, CENTER, label, type Mark } from "../../draw/marks";
import type { RunModel } from "../model/run";
import { type LaneBars, laneBars } from "./bars";
import { loopMarks } from "./brackets";
import { type LanePlace, type RunLayout, type Span, xOf } from "./layout";

/** Everything but the cursor. `lit`: the collective whose bars stand out; -1 for none. */
export function lanesMarks(model: RunModel, layout: RunLayout, call: number, span: Span, lit: number): Mark[] {
  const bars: LaneBars[] = layout.places.map(({ lane, y }) => {
    const events = model.lanes[lane];
    return events ? laneBars(model, events, call, span, { ...layout, y }, lit) : { under: [], marks: [], labels: [] };
  });
  return [
    ...axisMarks(model, layout, span),
    ...gutterMarks(model, layout),
    ...loopMarks(model, layout, call, span),
    ...bars.flatMap((b) => b.under),
    ...bars.flatMap((b) => b.marks),
    ...bars.flatMap((b) => b.labels),
  ];
}

function axisMarks(model: RunModel, layout: RunLayout, span: Span): Mark[] {
  const whole = model.seconds(span.to - span.from);
  const step = stepOf((whole * 110) / layout.span);
  const marks: Mark[] = [];
  const text = timeAxis(step);
  const first = Math.ceil(model.seconds(span.from) / step - 1e-9);
  for (let k = first; k * step <= model.seconds(span.to) * (1 + 1e-9); k++) {
    const x = xOf(layout, span, (k * step) / model.doc.tick_s);
    const points = [
      [x, layout.top - layout.loops - 4],
      [x, layout.height - 2],
    ] as const;
    marks.push({ kind: "line", points, stroke: { color: "line", width: 1 } });
    const anchor = x < layout.left + 14 ? "start" : x > layout.width - 26 ? "end" : "middle";
    marks.push(label(x, 13, text(k * step), 11, "muted", { mono: true, anchor }));
  }
  return marks;
}

/** 1, 2 or 5 times a power of ten, at least this much. */
export function stepOf(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least || 1));
  return power * ([1, 2, 5].find((m) => m * power >= least) ?? 10);
}

function gutterMarks(model: RunModel, layout: RunLayout): Mark[] {
  const { mesh } = model;
  const marks: Mark[] = layout.labels ? [label(0, 13, "device", 11.5, "muted")] : [];
  const last = mesh.axes.length - 1;
  for (const { lane, y, alike } of layout.places) {
    const position = model.lanes[lane]?.position ?? 0;
    const base = y + layout.lane / 2 + 4;
    const id = String(mesh.ids[position]);
    if (layout.labels && layout.folded) {
      const text = `${id} × ${alike}`;
      marks.push(label(layout.left - 10, base, alike > 1 ? text : id, 12, "ink", { ...BOLD, anchor: "end" }));
      continue;
    }
    if (!layout.labels || last < 1) {
      marks.push(label(layout.left - 8, base, id, 12, "ink", { ...BOLD, anchor: "end" }));
      continue;
    }
    const axis = mesh.axes[last];
    const inner = `${axis?.name.slice(0, 1) ?? ""}=${mesh.digits(position)[last]}`;
    marks.push(label(layout.left - 46, base, id, layout.lane > 14 ? 14 : 11, "ink", { ...BOLD, anchor: "end" }));
    marks.push(label(layout.left - 10, base, inner, 10.5, axisToken(last), { mono: true, anchor: "end" }));
  }
  if (layout.labels && last >= 1 && !layout.folded) marks.push(...brackets(model, layout));
  return marks;
}

/** Brackets at the left, for lanes that differ in the last axis alone. */
function brackets(model: RunModel, layout: RunLayout): Mark[] {
  const { mesh } = model;
  const inner = mesh.axes.at(-1)?.size ?? 1;
  const groups = new Map<number, LanePlace[]>();
  for (const place of layout.places) {
    const outer = Math.floor((model.lanes[place.lane]?.position ?? 0) / inner);
    groups.set(outer, [...(groups.get(outer) ?? []), place]);
  }
  return [...groups.values()].flatMap((places) => {
    const [first, end] = [places[0], places.at(-1)];
    if (!first || !end) return [];
    const digits = mesh.digits(model.lanes[first.lane]?.position ?? 0);
    const outer = mesh.axes.slice(0, -1).map((a, k) => `${a.name}=${digits[k]}`);
    const text = outer.length === 1 ? (outer[0] ?? "") : digits.slice(0, -1).join(",");
    const [top, bottom] = [first.y + 1, end.y + layout.lane - 1];
    const x = layout.left - 66;
    const points = [
      [x + 6, top],
      [x, top],
      [x, bottom],
      [x + 6, bottom],
    ] as const;
    const middle = (top + bottom) / 2 + 4;
    const short = text.length > 7 ? `${text.slice(0, 1)}${text.slice(text.indexOf("="))}` : text;
    return [
      { kind: "line", points, stroke: axisStroke(0, 2) },
      label(x - 4, middle, short, 10.5, axisToken(0), { ...BOLD, anchor: "end" }),
    ] satisfies Mark[];
  });
}

/** The cursor across all lanes, with its time, and the event that the keyboard is at. */
export function cursorMarks(model: RunModel, layout: RunLayout, call: number, span: Span, at: Cursor | null): Mark[] {
  if (!at || at.tick < span.from || at.tick > span.to) return [];
  const x = xOf(layout, span, at.tick);
  const text = duration(model.seconds(at.tick));
  const w = 7.2 * text.length + 14;
  const left = Math.max(0, Math.min(layout.width - w, x - w / 2));
  const marks: Mark[] = [];
  const place = layout.places.find((p) => p.lane === at.lane);
  const lane = model.lanes[at.lane];
  const event = lane ? model.eventAt(lane, call, at.tick) : -1;
  if (place && lane && event >= 0) {
    const [a, b] = [xOf(layout, span, lane.start[event] ?? 0), xOf(layout, span, lane.end[event] ?? 0)];
    const from = Math.max(layout.left, a);
    const box = { x: from, y: place.y, w: Math.max(2, Math.min(layout.width, b) - from), h: layout.lane };
    marks.push({ kind: "rect", ...box, stroke: { color: "bg", width: 4 } });
    marks.push({ kind: "rect", ...box, stroke: { color: "ink", width: 2 } });
  }
  const points = [
    [x, 18],
    [x, layout.height - 2],
  ] as const;
  marks.push({ kind: "line", points, stroke: { color: "bg", width: 4 } });
  marks.push({ kind: "line", points, stroke: { color: "ink", width: 2 } });
  marks.push({ kind: "rect", x: left, y: 0, w, h: 18, r: 4, fill: "ink" });
  marks.push(label(left + w / 2, 13, text, 11.5, "bg", { ...CENTER, weight: 700 }));
  return marks;
}

/** A moment and a lane. */
export interface Cursor {
  tick: number;
  lane: number;
}

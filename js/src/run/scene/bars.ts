/** The bars of one lane. What is narrower than a pixel is merged by what most of it is, so many events cost no more. */

import { axisToken, BOLD, type Box, type Color, label, type Mark } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import { firstAfter, type LaneEvents, type RunModel } from "../model/run";
import type { RunLayout, Span } from "./layout";

export interface LaneBars {
  under: readonly Mark[];
  marks: readonly Mark[];
  labels: readonly Mark[];
}

interface Place extends RunLayout {
  y: number;
}

/** Narrower bars merge. */
const LEAST = 1;
/** Narrower bars have no name. */
const NAMED = 26;
/** Narrower waits have no room for lines. */
const LINED = 4;
const LINES = 5;
/** Cuts in the bar of an axis, so that colour is not the only sign: length and pitch. */
const NOTCHES: readonly (readonly [number, number] | null)[] = [null, [3, 8], [1.6, 4.2], [8, 13], [12, 16], [3, 5]];

/** The part of an event's bar that no later bar covers, where its name may stand. */
interface Named {
  event: number;
  from: number;
  to: number;
}

/** Boxes of one colour, as the flat list that a mark takes. */
class Bins {
  readonly #boxes = new Map<string, number[]>();

  add(key: string, x: number, y: number, w: number, h: number): void {
    const found = this.#boxes.get(key);
    if (found) found.push(x, y, w, h);
    else this.#boxes.set(key, [x, y, w, h]);
  }

  *entries(): Iterable<readonly [string, readonly number[]]> {
    yield* this.#boxes;
  }
}

export function laneBars(
  model: RunModel,
  lane: LaneEvents,
  call: number,
  span: Span,
  place: Place,
  lit: number,
): LaneBars {
  // Bars count from the corner of the lane.
  const box = { x: place.left, y: place.y, w: place.span, h: place.lane };
  const [h, right] = [place.lane, place.span];
  const scale = place.span / (span.to - span.from);
  const [first, end] = [lane.bounds[call] ?? 0, lane.bounds[call + 1] ?? 0];
  const kinds = kindsOf(model);
  const bins = new Bins();
  const cuts = new Bins();
  const waits = new Bins();
  const labels: Mark[] = [];
  let open: Named[] = [];
  const close = (until: number) => {
    for (const { event, from, to } of open)
      if (to <= until && to - from >= NAMED)
        labels.push(...nameOf(model, lane, event, box.x + from, to - from, box.y + h / 2));
    open = open.filter(({ to }) => to > until);
  };
  const cover = (from: number, to: number) => {
    for (const bar of open) {
      if (bar.to <= from || bar.from >= to) continue;
      if (from - bar.from >= bar.to - to) bar.to = from;
      else bar.from = to;
    }
  };
  // What is drawn last stands on what overlaps it, so a collective below compute keeps a strip of its own.
  let done = Number.NEGATIVE_INFINITY;
  let pending: { x: number; until: number; kind: number; time: Float64Array } | null = null;
  const flush = () => {
    if (!pending) return;
    let kind = 0;
    for (let k = 1; k < pending.time.length; k++) if ((pending.time[k] ?? 0) > (pending.time[kind] ?? 0)) kind = k;
    draw(kind, pending.x, Math.max(pending.x + LEAST, pending.until), false);
    pending = null;
  };
  const dim = (kind: number) => lit >= 0 && kind !== lit + 1;
  const draw = (kind: number, from: number, to: number, hidden: boolean) => {
    const key = `${kinds[kind]?.color ?? "k0"}${dim(kind) ? "-" : "+"}`;
    cover(from, to);
    const [top, height] = hidden ? [h * 0.66, h * 0.34] : [0, h];
    bins.add(key, from, top, to - from, height);
    const notch = NOTCHES[kinds[kind]?.axis ?? 0];
    if (notch && to - from >= notch[1] && h >= 12) {
      for (let x = from + notch[0] * 0.5; x + notch[0] <= to; x += notch[1]) {
        cuts.add("bg+", x, top, notch[0], 2.5);
        cuts.add("bg+", x, top + height - 2.5, notch[0], 2.5);
      }
    }
  };
  let e = startOf(lane, span.from, first, end);
  for (; e < end; e++) {
    const start = lane.start[e] ?? 0;
    if (start > span.to) break;
    const stop = lane.end[e] ?? 0;
    if (stop < span.from) continue;
    const a = Math.max(0, (start - span.from) * scale);
    const b = Math.min(right, (stop - span.from) * scale);
    const kind = kinds.of[lane.operation[e] ?? 0] ?? 0;
    if (b - a < LEAST) {
      if (!pending || a > pending.x + LEAST) {
        flush();
        pending = { x: a, until: b, kind, time: new Float64Array(kinds.length) };
      }
      pending.until = Math.max(pending.until, b);
      pending.time[kind] = (pending.time[kind] ?? 0) + (stop - start);
      continue;
    }
    flush();
    const waited = lane.waited[e] ?? 0;
    const came = Math.min(b, (start + waited - span.from) * scale);
    const from = waited > 0 && came > a ? came : a;
    const color = kinds[kind]?.color ?? "k0";
    close(a);
    if (from > a) {
      cover(a, from);
      waits.add(`${color}${dim(kind) ? "-" : "+"}`, a, 0, from - a, h);
    }
    // Neighbours of one colour are told apart by a gap.
    const gap = b - from > 3 ? 0.8 : 0;
    const hidden = kind > 0 && a < done - 0.5;
    if (b > from) draw(kind, from, b - gap, hidden);
    if (kind === 0) done = Math.max(done, b);
    if (b - from >= NAMED && h >= 17 && !hidden) open.push({ event: e, from, to: b });
  }
  flush();
  close(Number.POSITIVE_INFINITY);
  const marks: Mark[] = [];
  for (const [key, boxes] of bins.entries()) marks.push({ kind: "bars", ...box, ...tone(key), boxes });
  for (const [key, boxes] of cuts.entries()) marks.push({ kind: "bars", ...box, ...tone(key), boxes });
  const under: Mark[] = [{ kind: "rect", ...box, fill: "gap", alpha: 0.55 }];
  for (const [key, boxes] of waits.entries()) {
    under.push({ kind: "bars", ...box, color: "bg", boxes });
    marks.push(waitMark(box, key, boxes));
  }
  return { under, marks, labels };
}

function tone(key: string): { color: Color; alpha?: number } {
  const color = key.slice(0, -1) as Color;
  return key.endsWith("-") ? { color, alpha: 0.3 } : { color };
}

/** Thin lines at −45°, never those of partial sums, in an outline of the axis that is waited over. */
function waitMark(box: Box, key: string, boxes: readonly number[]): Mark {
  const segments: number[] = [];
  for (let i = 0; i < boxes.length; i += 4) {
    const [x, y, w, h] = boxes.slice(i, i + 4) as [number, number, number, number];
    const [l, t, r, b] = [x + 0.5, y + 0.5, Math.max(x + 0.5, x + w - 0.5), y + h - 0.5];
    segments.push(l, t, r, t, r, t, r, b, r, b, l, b, l, b, l, t);
    if (w < LINED) continue;
    for (let s = Math.floor((l - h) / LINES) * LINES; s < r; s += LINES) {
      const [from, to] = [Math.max(s, l), Math.min(s + (b - t), r)];
      if (to > from) segments.push(from, t + from - s, to, t + to - s);
    }
  }
  return { kind: "strokes", ...box, ...tone(key), width: 1.1, segments };
}

function nameOf(model: RunModel, lane: LaneEvents, e: number, x: number, w: number, middle: number): Mark[] {
  const c = model.collective(lane, e);
  const o = model.operation(lane, e);
  const text = c ? c.kind : o?.source ? `line ${o.source.line}` : (o?.name ?? "");
  const short = c ? "" : o?.source ? String(o.source.line) : "";
  const font = c ? ({ ...BOLD, size: 11 } as const) : ({ mono: false, weight: 400, size: 11 } as const);
  const fits = [text, short].find((t) => t !== "" && textWidth(t, font.size, font.mono) + 8 <= w);
  if (!fits) return [];
  const { size, ...rest } = font;
  return [label(x + w / 2, middle + 4, fits, size, c ? "bg" : "ink", { ...rest, anchor: "middle" })];
}

interface Kind {
  color: Color;
  axis: number;
}

/** The kind of each operation: 0 for compute, else one more than the index of its collective. */
function kindsOf(model: RunModel): readonly Kind[] & { of: readonly number[] } {
  const kinds: Kind[] = [{ color: "k0", axis: 0 }];
  for (const c of model.collectives) {
    const axis = model.inkOf(c);
    kinds.push({ color: axis < 0 ? "muted" : axisToken(axis), axis: Math.max(0, axis) });
  }
  return Object.assign(kinds, { of: model.doc.operations.map((o) => o.collective + 1) });
}

/** The first event of a call that may still be under way at a moment. */
function startOf(lane: LaneEvents, tick: number, first: number, end: number): number {
  return firstAfter(lane.reach, tick, first, end);
}

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

/** The bars of a lane, from its events in the order in which they begin; x counts from the lane's corner. */
class Bars {
  readonly filled = new Bins();
  readonly cuts = new Bins();
  readonly waits = new Bins();
  /** Where names stand. */
  readonly named: Named[] = [];
  #open: Named[] = [];
  #narrow: { x: number; until: number; time: Float64Array } | null = null;
  /** Where the compute that was drawn so far ends. */
  #done = Number.NEGATIVE_INFINITY;

  constructor(
    readonly kinds: readonly Kind[],
    readonly height: number,
    /** Index of the collective that is lit; -1 for none. */
    readonly lit: number,
  ) {}

  /** An event that takes less than a pixel: drawn with its neighbours, as what they are for most of their time. */
  merge(kind: number, from: number, to: number, time: number): void {
    if (!this.#narrow || from > this.#narrow.x + LEAST) {
      this.#flush();
      this.#narrow = { x: from, until: to, time: new Float64Array(this.kinds.length) };
    }
    this.#narrow.until = Math.max(this.#narrow.until, to);
    this.#narrow.time[kind] = (this.#narrow.time[kind] ?? 0) + time;
  }

  /** An event that waits until `came`. */
  add(event: number, kind: number, from: number, came: number, to: number): void {
    this.#flush();
    this.#close(from);
    if (came > from) {
      this.#cover(from, came);
      this.waits.add(this.#key(kind), from, 0, came - from, this.height);
    }
    // Neighbours of one colour are told apart by a gap.
    const gap = to - came > 3 ? 0.8 : 0;
    // What is drawn last stands on what overlaps it, so a collective below compute keeps a strip of its own.
    const hidden = kind > 0 && from < this.#done - 0.5;
    if (to > came) this.#draw(kind, came, to - gap, hidden);
    if (kind === 0) this.#done = Math.max(this.#done, to);
    if (to - came >= NAMED && this.height >= 17 && !hidden) this.#open.push({ event, from: came, to });
  }

  end(): void {
    this.#flush();
    this.#close(Number.POSITIVE_INFINITY);
  }

  #key(kind: number): string {
    return `${this.kinds[kind]?.color ?? "k0"}${this.lit >= 0 && kind !== this.lit + 1 ? "-" : "+"}`;
  }

  #draw(kind: number, from: number, to: number, hidden: boolean): void {
    const h = this.height;
    const [top, height] = hidden ? [h * 0.66, h * 0.34] : [0, h];
    this.#cover(from, to);
    this.filled.add(this.#key(kind), from, top, to - from, height);
    const notch = NOTCHES[this.kinds[kind]?.axis ?? 0];
    if (!notch || to - from < notch[1] || h < 12) return;
    for (let x = from + notch[0] * 0.5; x + notch[0] <= to; x += notch[1]) {
      this.cuts.add("bg+", x, top, notch[0], 2.5);
      this.cuts.add("bg+", x, top + height - 2.5, notch[0], 2.5);
    }
  }

  #flush(): void {
    if (!this.#narrow) return;
    const { x, until, time } = this.#narrow;
    let most = 0;
    for (let kind = 1; kind < time.length; kind++) if ((time[kind] ?? 0) > (time[most] ?? 0)) most = kind;
    this.#draw(most, x, Math.max(x + LEAST, until), false);
    this.#narrow = null;
  }

  /** Names of the bars that end before a place. */
  #close(until: number): void {
    for (const bar of this.#open) if (bar.to <= until && bar.to - bar.from >= NAMED) this.named.push(bar);
    this.#open = this.#open.filter(({ to }) => to > until);
  }

  #cover(from: number, to: number): void {
    for (const bar of this.#open) {
      if (bar.to <= from || bar.from >= to) continue;
      if (from - bar.from >= bar.to - to) bar.to = from;
      else bar.from = to;
    }
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
  const box = { x: place.left, y: place.y, w: place.span, h: place.lane };
  const bars = barsOf(model, lane, call, span, place, lit);
  const marks: Mark[] = [];
  for (const bins of [bars.filled, bars.cuts])
    for (const [key, boxes] of bins.entries()) marks.push({ kind: "bars", ...box, ...tone(key), boxes });
  const under: Mark[] = [{ kind: "rect", ...box, fill: "gap", alpha: 0.55 }];
  for (const [key, boxes] of bars.waits.entries()) {
    under.push({ kind: "bars", ...box, color: "bg", boxes });
    marks.push(waitMark(box, key, boxes));
  }
  const labels = bars.named.flatMap(({ event, from, to }) =>
    nameOf(model, lane, event, box.x + from, to - from, box.y + box.h / 2),
  );
  return { under, marks, labels };
}

function barsOf(model: RunModel, lane: LaneEvents, call: number, span: Span, place: Place, lit: number): Bars {
  const kinds = kindsOf(model);
  const bars = new Bars(kinds, place.lane, lit);
  const scale = place.span / (span.to - span.from);
  const xOf = (tick: number) => (tick - span.from) * scale;
  const [first, end] = [lane.bounds[call] ?? 0, lane.bounds[call + 1] ?? 0];
  // From the first event that may still be under way.
  for (let e = firstAfter(lane.reach, span.from, first, end); e < end; e++) {
    const start = lane.start[e] ?? 0;
    if (start > span.to) break;
    const stop = lane.end[e] ?? 0;
    if (stop < span.from) continue;
    const from = Math.max(0, xOf(start));
    const to = Math.min(place.span, xOf(stop));
    const kind = kinds.of[lane.operation[e] ?? 0] ?? 0;
    if (to - from < LEAST) bars.merge(kind, from, to, stop - start);
    else bars.add(e, kind, from, Math.max(from, Math.min(to, xOf(start + (lane.waited[e] ?? 0)))), to);
  }
  bars.end();
  return bars;
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
  const font = c ? ({ ...BOLD, size: 11 } as const) : ({ mono: false, weight: 400, size: 11 } as const);
  if (text === "" || textWidth(text, font.size, font.mono) + 8 > w) return [];
  const { size, ...rest } = font;
  return [label(x + w / 2, middle + 4, text, size, c ? "bg" : "ink", { ...rest, anchor: "middle" })];
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

/** The state of measured runs on screen: the call that is drawn, the stretch of time, the cursor, what is chosen. */

import { Layer } from "../card/canvas";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import { PAD } from "../draw/marks";
import type { TicksSpent } from "./model/calls";
import { type DecodedRuns, type Doing, decodeRuns, RunModel, rowsOf, type Sort } from "./model/run";
import { doingText } from "./model/words";
import { layoutOf, type RunLayout, type Span } from "./scene/layout";
import { type Cursor, cursorMarks, lanesMarks } from "./scene/run";

const BEGINNING = {
  decoded: null as DecodedRuns | null,
  /** The run that the keyboard, the table and the mesh are about. */
  open: 0,
  /** For each run, the call that is drawn. */
  calls: [] as readonly number[],
  /** Ticks that are shown, of the open run; null for the whole call. */
  span: null as Span | null,
  cursor: null as Cursor | null,
  /** Whether the cursor stays where it is when the pointer leaves. */
  pinned: false,
  /** Index of the collective that stands out; null for none. */
  selection: null as number | null,
  sort: "time" as Sort,
  /** Whether all calls are shown, one per line, rather than one of them by device. */
  all: false,
};
type Fields = typeof BEGINNING;

/** One run as it is drawn. */
export interface Chart {
  model: RunModel;
  layout: RunLayout;
  call: number;
  span: Span;
}

/** What is inside the border of a card of 900. */
export const WIDE = 898;
export const STACKED = 860;
export const NARROW = 560;

export class RunState extends CardState<Fields> {
  /** Where the pointer went down, in pixels of the page. */
  grabbed = Number.NaN;
  readonly #layers: { lanes: Layer; cursor: Layer }[] = [];
  readonly #models = memo((decoded: DecodedRuns) => decoded.runs.map((run) => new RunModel(run)));
  readonly #spent = memo((model: RunModel) => model.doc.seconds.map((_, call) => model.spent(call)));
  readonly #layouts = memo((models: readonly RunModel[], width: number) =>
    models.map((model) => layoutOf(model, width, models.length === 1 ? "ample" : "dense")),
  );

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, ["selection", "call"]);
  }

  name(): string {
    return `measured runs of ${this.now.decoded?.runs.map((r) => r.name).join(", ") || "a program"}`;
  }

  models(): readonly RunModel[] {
    return this.now.decoded ? this.#models(this.now.decoded) : [];
  }

  /** The open run. */
  chart(): Chart | null {
    return this.charts()[this.now.open] ?? null;
  }

  /** All runs, on one time axis. */
  charts(): readonly Chart[] {
    const { width, calls, span, theme } = this.now;
    const models = this.models();
    if (!theme || width === 0) return [];
    const layouts = this.#layouts(models, width - 2 * PAD);
    const longest = Math.max(...models.map((m, k) => m.seconds(m.ticks(calls[k] ?? 0))));
    const tick = models[this.now.open]?.doc.tick_s ?? 1;
    return models.map((model, k) => {
      const scale = tick / model.doc.tick_s;
      const whole = { from: 0, to: Math.max(1, longest / model.doc.tick_s) };
      const shown = span ? { from: span.from * scale, to: span.to * scale } : whole;
      return { model, layout: layouts[k] as RunLayout, call: calls[k] ?? 0, span: shown };
    });
  }

  /** What each device does at the cursor. */
  doing(): readonly Doing[] {
    const [chart, { cursor }] = [this.chart(), this.now];
    if (!chart || !cursor) return [];
    return chart.model.lanes.map((lane) => chart.model.doing(lane, chart.call, cursor.tick));
  }

  /** The sentence at the cursor. */
  sentence(): string {
    const [chart, { cursor }] = [this.chart(), this.now];
    const lane = cursor && chart?.model.lanes[cursor.lane];
    return chart && lane && cursor ? doingText(chart.model, chart.model.doing(lane, chart.call, cursor.tick)) : "";
  }

  layers(k: number): { lanes: Layer; cursor: Layer } {
    const made = this.#layers[k] ?? { lanes: new Layer(), cursor: new Layer() };
    this.#layers[k] = made;
    return made;
  }

  protected override paint(): boolean {
    const { theme, selection, cursor, open } = this.now;
    if (!theme) return false;
    for (const [k, { model, layout, call, span }] of this.charts().entries()) {
      const { lanes, cursor: over } = this.layers(k);
      const lit = k === open ? (selection ?? -1) : -1;
      lanes.paint([model, layout, call, span.from, span.to, lit], layout, theme, () =>
        lanesMarks(model, layout, call, span, lit),
      );
      const at = k === open ? cursor : null;
      over.paint([model, layout, call, span.from, span.to, at], layout, theme, () =>
        cursorMarks(model, layout, call, span, at),
      );
    }
    return true;
  }

  look(cursor: Cursor | null): void {
    if (!this.now.pinned || cursor !== null) this.set({ cursor });
  }

  /** Leaves the cursor where it is, or lets it follow the pointer again. */
  pin(cursor: Cursor): void {
    this.set({ cursor, pinned: true });
  }

  release(): void {
    this.set({ cursor: null, pinned: false, selection: null });
    this.share({ selection: null });
  }

  select(index: number | null): void {
    const selection = index === this.now.selection ? null : index;
    this.set({ selection });
    this.share({ selection });
  }

  openRun(open: number): void {
    this.set({ open, cursor: null, pinned: false, selection: null, span: null });
  }

  /** Shows another call of the open run. */
  show(call: number): void {
    const { open, calls } = this.now;
    const count = this.models()[open]?.calls ?? 1;
    const at = Math.max(0, Math.min(count - 1, call));
    this.set({ calls: calls.with(open, at), span: null, cursor: null, pinned: false });
    if (!this.now.decoded?.sideBySide) this.share({ call: at });
  }

  /** Shows all calls, or one of them. */
  overview(all: boolean): void {
    if (!this.now.decoded?.sideBySide) this.set({ all, cursor: null, pinned: false, span: null });
  }

  /** What the calls of the open run went into. */
  spent(): readonly TicksSpent[] {
    const model = this.chart()?.model;
    return model ? this.#spent(model) : [];
  }

  /** Shows more or less time around the cursor, or the middle. */
  zoom(by: number, around?: number): void {
    const chart = this.chart();
    if (!chart) return;
    const { from, to } = chart.span;
    const whole = this.#whole();
    const at = around ?? this.now.cursor?.tick ?? (from + to) / 2;
    const length = Math.max(20, (to - from) * by);
    if (length >= whole) this.set({ span: null });
    else this.#frame(at - ((at - from) / (to - from)) * length, length);
  }

  /** Moves the stretch that is shown. */
  pan(ticks: number): void {
    const { span } = this.now;
    if (span) this.#frame(span.from + ticks, span.to - span.from);
  }

  #frame(from: number, length: number): void {
    const low = Math.max(0, Math.min(this.#whole() - length, from));
    this.set({ span: { from: low, to: low + length } });
  }

  /** Ticks of the longest call that is drawn. */
  #whole(): number {
    const { calls, open } = this.now;
    const models = this.models();
    const longest = Math.max(...models.map((m, k) => m.seconds(m.ticks(calls[k] ?? 0))));
    return Math.max(1, longest / (models[open]?.doc.tick_s ?? 1));
  }

  /** Puts the cursor on another lane, or begins with the first. */
  lane(by: number): void {
    const chart = this.chart();
    if (!chart) return;
    const { places } = chart.layout;
    const { cursor } = this.now;
    const at = places.findIndex((p) => p.lane === cursor?.lane);
    const next = places[Math.max(0, Math.min(places.length - 1, cursor ? at + by : 0))];
    if (next) this.#put(next.lane, cursor?.tick ?? chart.span.from);
  }

  /** Puts the cursor on the event before or after on its lane. */
  step(by: -1 | 1): void {
    const chart = this.chart();
    const { cursor } = this.now;
    const lane = chart?.model.lanes[cursor?.lane ?? chart.layout.places[0]?.lane ?? 0];
    if (!chart || !lane) return;
    const [first, end] = [lane.bounds[chart.call] ?? 0, lane.bounds[chart.call + 1] ?? 0];
    const here = cursor ? chart.model.eventAt(lane, chart.call, cursor.tick) : -1;
    let next = here + by;
    if (here < 0) {
      const tick = cursor?.tick ?? 0;
      let after = first;
      while (after < end && (lane.start[after] ?? 0) <= tick) after++;
      next = by > 0 ? after : after - 1;
    }
    if (next >= first && next < end) this.#event(chart.model.lanes.indexOf(lane), next);
  }

  edge(last: boolean): void {
    const chart = this.chart();
    const lane = chart?.model.lanes[this.now.cursor?.lane ?? 0];
    if (!chart || !lane) return;
    const e = last ? (lane.bounds[chart.call + 1] ?? 1) - 1 : (lane.bounds[chart.call] ?? 0);
    this.#event(this.now.cursor?.lane ?? 0, e);
  }

  /** Keys of the foot that do nothing: nobody waits, there is one device, one call. */
  idle(): readonly string[] {
    const all = this.models();
    const calls = this.chart()?.model.calls ?? 1;
    return [
      ...(all.some(({ doc }) => doc.shares.waiting > 0) ? [] : ["n"]),
      ...(all.some(({ lanes }) => lanes.length > 1) ? [] : ["↑ ↓"]),
      ...(calls > 1 ? [] : ["[ ]"]),
      ...(calls > 1 && all.length === 1 ? [] : ["a"]),
    ];
  }

  /** What a badge of the head shows: all calls or one again, the collective that takes most, the next wait. */
  go(to: string): void {
    const took = (this.chart()?.model.collectives ?? []).map(({ call_s }) => call_s);
    const most = took.indexOf(Math.max(...took));
    if (to === "calls") this.overview(!this.now.all);
    else if (to === "wait") this.nextWait();
    else if (most >= 0 && most !== this.now.selection) this.select(most);
  }

  /** Puts the cursor on the next wait: on its lane, else on the one where it comes first. */
  nextWait(): void {
    const chart = this.chart();
    if (!chart) return;
    const tick = this.now.cursor?.tick ?? -1;
    let best: { lane: number; e: number; start: number } | null = null;
    for (const { lane } of chart.layout.places) {
      const events = chart.model.lanes[lane];
      const e = events ? chart.model.nextWait(events, chart.call, tick) : -1;
      const start = events?.start[e] ?? 0;
      if (e >= 0 && (!best || start < best.start)) best = { lane, e, start };
    }
    if (best) this.#event(best.lane, best.e);
  }

  #event(lane: number, e: number): void {
    const events = this.chart()?.model.lanes[lane];
    if (!events) return;
    // In the middle of what is seen of it first: of a wait, while it waits.
    const waited = events.waited[e] ?? 0;
    const [start, end] = [events.start[e] ?? 0, events.end[e] ?? 0];
    this.#put(lane, waited > 0 ? start + waited / 2 : (start + end) / 2);
  }

  #put(lane: number, tick: number): void {
    this.set({ cursor: { lane, tick }, pinned: true });
    const { span } = this.now;
    if (span && (tick < span.from || tick > span.to))
      this.#frame(tick - (span.to - span.from) / 2, span.to - span.from);
  }

  rows(): readonly number[] {
    const chart = this.chart();
    return chart ? rowsOf(chart.model, this.now.sort) : [];
  }

  sortBy(sort: Sort): void {
    this.set({ sort: this.now.sort === sort ? "order" : sort });
  }

  protected read(document: unknown): void {
    const decoded = decodeRuns(document);
    this.set({ decoded, open: 0, span: null, cursor: null, pinned: false, all: false });
    this.set({ calls: this.models().map((m) => m.typical) });
  }

  protected override follow(): void {
    const model = this.models()[0];
    if (!model || this.now.decoded?.sideBySide) return;
    const call = index(this.widget.get("call"), model.calls) ?? model.typical;
    const selection = index(this.widget.get("selection"), model.collectives.length);
    this.set({ selection, ...(call === this.now.calls[0] ? {} : { calls: [call], span: null, cursor: null }) });
  }
}

function index(value: unknown, count: number): number | null {
  return typeof value === "number" && value >= 0 && value < count ? value : null;
}

/** The state of schedules on screen: what is changed, shown, pointed at and followed, and the clock while it plays. */

import { Layer } from "../card/canvas";
import { Clock, jumps, motionless } from "../card/clock";
import { fixedModel } from "../card/fixed";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import type { Scheme } from "../core/color";
import type { Schedule } from "../core/document.gen";
import { PAD } from "../draw/marks";
import { type Changes, decodeSchedules, ScheduleModel, UNCHANGED } from "./model/schedule";
import { type Board, boardOf, type Place, type Span } from "./scene/board";
import { baseMarks, overMarks } from "./scene/marks";
import { type Palette, paletteOf } from "./scene/palette";

/** A task of one of the schedules. */
export interface At {
  readonly schedule: number;
  readonly task: number;
}

const BEGINNING = {
  schedules: [] as readonly Schedule[],
  several: false,
  changes: UNCHANGED as Changes,
  /** In a narrow card: the schedule that is drawn. */
  opened: 0,
  /** Time that is shown; null for all of it. */
  span: null as Span | null,
  /** What is pointed at, or the keyboard is at. */
  at: null as At | null,
  /** Where the lens of a large schedule is. */
  place: null as Place | null,
  /** The microbatch that is followed. */
  follow: null as number | null,
  critical: false,
  /** Where the playhead is. */
  moment: 0,
  playing: false,
  /** Whether ticks have steps that can be asked for. */
  stepped: false,
  steps: null as Steps | null,
};
type Fields = typeof BEGINNING;

/** The steps of the function below its schedule: asked for, shown at the tick of the playhead, or why they are not. */
export type Steps = "asked" | { readonly source: string; readonly model: WidgetModel } | { readonly error: string };

/** What Python answers: a step, the first time with the view that shows it. */
interface Answer {
  n?: number;
  step?: number;
  front_end?: string;
  state?: Readonly<Record<string, unknown>>;
  error?: string;
}

export interface Shown {
  /** All schedules; on the board may be one of them. */
  models: readonly ScheduleModel[];
  board: Board;
  palettes: readonly Palette[];
}

/** Below this width one schedule of several is drawn at a time. */
export const NARROW = 560;
/** Milliseconds that a forward task takes while it plays. */
const STEP = 60;
const STAND = 400;

export class PipelineState extends CardState<Fields> {
  /** Where the pointer went down, and whether it has moved since. */
  grip: { x: number; moved: boolean } | null = null;
  readonly base = new Layer();
  readonly over = new Layer();
  readonly #models = memo((schedules: readonly Schedule[], changes: Changes) =>
    schedules.map((doc) => new ScheduleModel(doc, changes)),
  );
  readonly #drawn = memo((models: readonly ScheduleModel[], opened: number | null) =>
    opened === null ? models : models.slice(opened, opened + 1),
  );
  readonly #board = memo((models: readonly ScheduleModel[], width: number, span: Span | null) =>
    boardOf(models, width, span),
  );
  readonly #palettes = memo((models: readonly ScheduleModel[], scheme: Scheme) =>
    models.map((m) => paletteOf(m.tasks.microbatches, scheme)),
  );
  readonly #shown = memo(
    (models: readonly ScheduleModel[], board: Board, palettes: readonly Palette[]): Shown => ({
      models,
      board,
      palettes,
    }),
  );
  readonly #clock = new Clock();
  /** What was asked for last. */
  #asked = { n: 0, tick: -1 };

  constructor(widget: WidgetModel, frame: HTMLElement) {
    const stepped = widget.get("_stepped") === true && widget.get("_static") !== true;
    super(widget, frame, { ...BEGINNING, stepped }, ["follow", "moment", "_opened"]);
    this.until(() => this.#clock.stop());
  }

  name(): string {
    return `pipeline schedule ${this.now.schedules.map((s) => s.name).join(", ")}`;
  }

  shown(): Shown | null {
    const { theme, width, schedules, several, changes, opened, span } = this.now;
    if (!theme || width === 0 || schedules.length === 0) return null;
    const models = this.#models(schedules, changes);
    const drawn = this.#drawn(models, several && width < NARROW ? opened : null);
    const board = this.#board(drawn, width - 2 * PAD, span);
    return this.#shown(models, board, this.#palettes(drawn, theme.scheme));
  }

  protected override paint(): boolean {
    const { theme, at, place, follow, critical, moment } = this.now;
    const shown = this.shown();
    if (!shown || !theme) return false;
    const { board, palettes } = shown;
    this.base.paint([board, palettes, follow], board, theme, () => baseMarks(board, palettes, follow));
    const reader = { at, place, follow, critical, moment };
    this.over.paint([board, palettes, at, place, follow, critical, moment], board, theme, () =>
      overMarks(board, palettes, reader),
    );
    return true;
  }

  /** Looks at a place: the task there, if there is one. */
  look(place: Place | null): void {
    const model = place && this.shown()?.board.blocks[place.schedule]?.model;
    const task = place && model ? model.taskAt(place.rank, place.time) : null;
    const at = place && task !== null ? { schedule: place.schedule, task } : null;
    const same = at?.task === this.now.at?.task && at?.schedule === this.now.at?.schedule;
    this.set({ ...(same ? {} : { at }), ...(place ? { place } : {}) });
  }

  /** Goes to a task; the playhead goes with it, and it is scrolled into view. */
  go(at: At): void {
    const model = this.shown()?.board.blocks[at.schedule]?.model;
    if (!model) return;
    const [start, end] = [model.run.start[at.task] ?? 0, model.run.end[at.task] ?? 0];
    const place = { schedule: at.schedule, rank: model.tasks.rank[at.task] ?? 0, time: (start + end) / 2 };
    this.set({ at, place });
    this.seek(start);
    this.#reveal(start, end);
  }

  /** Goes on by tasks of the same rank, or to another rank at the same time. */
  step(tasks: number, ranks: number): void {
    const { board } = this.shown() ?? {};
    const at = this.now.at ?? { schedule: 0, task: 0 };
    const block = board?.blocks[at.schedule];
    if (!board || !block) return;
    const { tasks: all, run } = block.model;
    const rank = all.rank[at.task] ?? 0;
    if (ranks === 0) {
      const [first, last] = [all.first[rank] ?? 0, (all.first[rank + 1] ?? 1) - 1];
      this.go({ ...at, task: clamp(this.now.at ? at.task + tasks : first, first, last) });
      return;
    }
    const time = ((run.start[at.task] ?? 0) + (run.end[at.task] ?? 0)) / 2;
    const to = rank + ranks;
    const other = to < 0 || to >= all.ranks ? board.blocks[at.schedule + Math.sign(ranks)] : block;
    if (!other) return;
    const model = other.model;
    const on = other === block ? to : ranks > 0 ? 0 : model.tasks.ranks - 1;
    const last = (model.tasks.first[on + 1] ?? 1) - 1;
    this.go({ schedule: other.index, task: Math.min(last, model.firstAfter(on, time)) });
  }

  /** What a badge of the head shows: the task that is waited for longest, the one from which on most is kept, the way of a microbatch. */
  show(what: string): void {
    const model = this.shown()?.models[0];
    if (!model) return;
    if (what === "sends") this.followBatch(this.now.follow === null ? 0 : null);
    else this.go({ schedule: 0, task: what === "idle" ? model.longestWaited : model.fullest });
  }

  followBatch(follow: number | null): void {
    this.set({ follow });
    this.share({ follow });
  }

  seek(moment: number): void {
    this.#pause();
    const most = this.shown()?.board.whole ?? 0;
    const to = clamp(moment, 0, most);
    this.set({ moment: to });
    this.share({ moment: to });
    this.#toStep();
  }

  /** Opens the steps of the function at the tick of the playhead, or closes them. */
  toggleSteps(): void {
    if (this.now.steps) this.set({ steps: null });
    else this.openSteps();
  }

  openSteps(): void {
    if (!this.now.stepped || this.now.steps) return;
    this.set({ steps: "asked" });
    this.#ask(true);
  }

  /** Moves the steps to the tick of the playhead. */
  #toStep(): void {
    const { steps } = this.now;
    if (steps && steps !== "asked" && "model" in steps && this.#tick() !== this.#asked.tick) this.#ask(false);
  }

  #tick(): number {
    return this.shown()?.models[0]?.tickAt(this.now.moment) ?? 0;
  }

  #ask(first: boolean): void {
    // Another page may have asked as well: numbers continue from the last of all.
    const last = this.widget.get("_asked") as { n?: number } | undefined;
    this.#asked = { n: Math.max(this.#asked.n, last?.n ?? 0) + 1, tick: this.#tick() };
    this.share({ _asked: { ...this.#asked, first } });
  }

  #take({ n, step, front_end: source, state, error }: Answer): void {
    const { steps } = this.now;
    if (n !== this.#asked.n || !steps) return;
    if (error !== undefined) this.set({ steps: { error } });
    else if (source && state) {
      this.set({ steps: { source, model: fixedModel(new Map(Object.entries({ ...state, step }))) } });
    } else if (steps !== "asked" && "model" in steps) steps.model.set("step", step);
    this.share({ _asked: {} });
    // The playhead may have moved on meanwhile.
    this.#toStep();
  }

  /** Shows more or less time, about a moment that stays where it is. */
  zoom(by: number, about?: number): void {
    const board = this.shown()?.board;
    if (!board) return;
    const [from, to] = board.span;
    const middle = about ?? clamp(this.now.moment, from, to);
    const least = Math.min(board.whole, ...board.blocks.map((b) => 6 * b.model.shortest));
    const long = clamp((to - from) / by, least, board.whole);
    const start = clamp(middle - ((middle - from) / (to - from)) * long, 0, board.whole - long);
    this.set({ span: long >= board.whole ? null : [start, start + long] });
  }

  /** Moves the span by time. */
  pan(by: number): void {
    const board = this.shown()?.board;
    const { span } = this.now;
    if (!board || !span) return;
    const long = span[1] - span[0];
    const from = clamp(span[0] + by, 0, board.whole - long);
    this.set({ span: [from, from + long] });
  }

  change(patch: Partial<Changes>): void {
    this.#pause();
    this.set({ changes: { ...this.now.changes, ...patch }, span: null, at: null, place: null });
    const most = this.shown()?.board.whole ?? 0;
    const { follow, moment } = this.now;
    const batches = Math.max(0, ...(this.shown()?.models ?? []).map((m) => m.tasks.microbatches));
    this.set({ moment: Math.min(moment, most), ...(follow !== null && follow >= batches ? { follow: null } : {}) });
  }

  toggle(): void {
    if (this.now.playing) {
      this.#pause();
      return;
    }
    const shown = this.shown();
    if (!shown) return;
    const unit = shown.models[0]?.durations.forward[0] ?? 1;
    const most = shown.board.whole;
    this.set({ playing: true, at: null, moment: this.now.moment >= most ? 0 : this.now.moment });
    // A long schedule takes half a minute at most.
    const pace = Math.max(unit / STEP, most / 30_000);
    this.#clock.play(
      motionless() ? jumps(STAND, () => this.#play(unit, most)) : (elapsed) => this.#play(elapsed * pace, most),
    );
  }

  /** Returns whether there is more to play. */
  #play(by: number, most: number): boolean {
    const moment = Math.min(most, this.now.moment + by);
    const { span } = this.now;
    this.set({ moment, playing: moment < most });
    if (span && moment > span[1]) this.pan(moment - span[0]);
    if (moment >= most) {
      this.share({ moment });
      this.#toStep();
    }
    return moment < most;
  }

  #pause(): void {
    this.#clock.stop();
    if (this.now.playing) this.#toStep();
    this.set({ playing: false });
  }

  #reveal(start: number, end: number): void {
    const { span } = this.now;
    if (!span || (start >= span[0] && end <= span[1])) return;
    this.pan((start + end) / 2 - (span[0] + span[1]) / 2);
  }

  protected read(document: unknown): void {
    const { schedules, several } = decodeSchedules(document);
    // A schedule that cannot be run is an error, said in place of a picture.
    this.#models(schedules, UNCHANGED);
    this.#pause();
    const fresh = { changes: UNCHANGED, span: null, at: null, place: null, moment: 0, opened: 0, steps: null };
    this.set({ schedules, several, ...fresh });
  }

  protected override follow(trait: string | null): void {
    if (trait === "_opened") {
      this.#take((this.widget.get("_opened") ?? {}) as Answer);
      return;
    }
    const { schedules } = this.now;
    const models = this.#models(schedules, this.now.changes);
    const batches = Math.max(0, ...models.map((m) => m.tasks.microbatches));
    const follow = this.widget.get("follow");
    const moment = this.widget.get("moment");
    this.set({
      follow: typeof follow === "number" && follow >= 0 && follow < batches ? follow : null,
      moment: typeof moment === "number" ? Math.max(0, moment) : 0,
    });
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), Math.max(low, high));
}

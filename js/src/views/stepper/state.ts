/** The state of a stepper: the moment that is shown, what is watched and looked at, and the clock while it plays. */

import type { Algorithm } from "../../model/algorithm";
import type { Scheme } from "../../model/color";
import type { Step, Trace } from "../../model/document.gen";
import { atLevel, LEVELS, type Level, type Leveled } from "../../model/levels";
import { openAtFirst, pathOf, stepAfter } from "../../model/rows";
import { type SpaceTime, spaceTime } from "../../model/spacetime";
import { advance, type Moment, momentAt } from "../../model/timeline";
import { decodeTrace, TraceModel } from "../../model/trace";
import { frameMarks, frameOf } from "../../scene/stepper";
import { contents } from "../../scene/stepper/contents";
import { describe, type Shown } from "../../scene/stepper/describe";
import type { StepperLayout } from "../../scene/stepper/layout";
import { layoutSpace, type SpaceLayout, spaceMarks } from "../../scene/stepper/spacetime";
import { type Hit, StepView } from "../../scene/stepper/view";
import { Layer } from "../card/canvas";
import { CardState, motionless } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import { layoutOf } from "./sizes";

interface Fields {
  /** The trace at the level that is shown. */
  trace: TraceModel | null;
  /** What a step is: an equation, an expression or a statement. */
  level: Level;
  moment: Moment;
  playing: boolean;
  /** How many times as fast, or as fast as sentences are read. */
  speed: number | "reading";
  algorithm: Algorithm;
  /** Names of watched variables. */
  watch: readonly string[];
  /** Mesh position that is kept in view. */
  device: number | null;
  /** Which of its blocks; null for the result of the step. */
  slot: number | null;
  /** What the pointer is at. */
  hover: Hit | null;
  /** Whether the keyboard is at the devices. */
  keyboard: boolean;
  search: string;
  /** Scopes whose steps are shown one by one, and scopes that stay folded even at their own steps. */
  open: ReadonlySet<number>;
  shut: ReadonlySet<number>;
  /** Whether steps that only move shapes are left out of the list. */
  fold: boolean;
  /** Whether the list has collectives alone. */
  sends: boolean;
  help: boolean;
  interconnect: number;
  /** Whether what sends nothing is skipped while playing. */
  collectives: boolean;
  /** A step in full, or all steps against all devices. */
  page: "tiles" | "space-time";
  /** Loops of the space-time whose iterations stand one by one; null until one was folded or opened. */
  loops: ReadonlySet<number> | null;
  /** Which menu is open where the source and the list have no column. */
  listed: "source" | "steps" | null;
}

export class StepperState extends CardState<Fields> {
  readonly layer = new Layer();
  readonly #layout = memo(
    (trace: TraceModel, width: number, watch: string): StepperLayout =>
      layoutOf(trace, width, watch === "" ? [] : watch.split("\n")),
  );
  readonly #view = memo(
    (
      trace: TraceModel,
      layout: StepperLayout,
      scheme: Scheme,
      algorithm: Algorithm,
      step: number,
      phase: number,
      device: number | null,
      lit: Hit | null,
      still: boolean,
    ): StepView => {
      return new StepView(trace, layout, { step, phase }, { scheme, algorithm, device, lit, still });
    },
  );
  readonly #opened = memo(
    (trace: TraceModel, open: ReadonlySet<number>, shut: ReadonlySet<number>, step: Step | null) => {
      const around = pathOf(trace.doc, step).filter((scope) => !shut.has(scope) && !open.has(scope));
      return around.length > 0 ? new Set([...open, ...around]) : open;
    },
  );
  #clock = 0;
  /** The document as it came, and as it is shown. */
  #whole: Trace | null = null;
  #leveled: Leveled | null = null;

  constructor(widget: WidgetModel, frame: HTMLElement) {
    const fields: Fields = {
      trace: null,
      level: "expression",
      moment: { step: 0, phase: 1 },
      playing: false,
      speed: 1,
      algorithm: "meaning",
      watch: [],
      device: null,
      slot: null,
      hover: null,
      keyboard: false,
      search: "",
      open: new Set(),
      shut: new Set(),
      fold: false,
      sends: false,
      help: false,
      interconnect: 0,
      collectives: false,
      listed: null,
      page: "tiles",
      loops: null,
    };
    super(widget, frame, fields, ["step", "watch"]);
    this.until(() => cancelAnimationFrame(this.#clock));
  }

  name(): string {
    return `steps of ${this.now.trace?.doc.name ?? "a program"}`;
  }

  step(): Step | null {
    return this.now.trace?.step(this.now.moment.step) ?? null;
  }

  layout(): StepperLayout | null {
    const { trace, width, watch } = this.now;
    return trace && width > 0 ? this.#layout(trace, width, watch.join("\n")) : null;
  }

  readonly #spaceTime = memo((trace: TraceModel): SpaceTime => spaceTime(trace));
  readonly #space = memo((trace: TraceModel, width: number, open: ReadonlySet<number>) =>
    layoutSpace(trace, this.#spaceTime(trace), width, open),
  );

  /** Where rows and columns of the space-time stand; null while it is not shown. */
  space(): SpaceLayout | null {
    const { trace, page } = this.now;
    const layout = this.layout();
    return trace && layout && page === "space-time" ? this.#space(trace, layout.width, this.#openLoops(trace)) : null;
  }

  readonly #everyLoop = memo((trace: TraceModel): ReadonlySet<number> => {
    const { rows, loops } = this.#spaceTime(trace);
    return rows.length <= MANY_ROWS ? new Set(loops.keys()) : new Set();
  });

  #openLoops(trace: TraceModel): ReadonlySet<number> {
    return this.now.loops ?? this.#everyLoop(trace);
  }

  toggleLoop(loop: number): void {
    const { trace } = this.now;
    if (!trace) return;
    const loops = new Set(this.#openLoops(trace));
    if (!loops.delete(loop)) loops.add(loop);
    this.set({ loops });
  }

  /** Follows the block of the next device, or of the one before. */
  trail(by: number): void {
    const { device, trace } = this.now;
    const last = (trace?.mesh.size ?? 1) - 1;
    this.set({ device: device === null ? 0 : Math.max(0, Math.min(last, device + by)) });
  }

  /** The step whose row is marked: the one that is shown, else the one that was shown last on the way to it. */
  spaceStep(): number {
    const { step } = this.now.moment;
    const rows = this.space()?.rows ?? [];
    return Math.max(0, ...rows.flatMap(({ row }) => row.steps.filter((s) => s <= step)));
  }

  /** The step as it is at this moment, with what is pointed at. */
  view(): StepView | null {
    const { trace, theme, moment, algorithm, device, hover, keyboard } = this.now;
    const layout = this.layout();
    if (!trace || !theme || !layout) return null;
    const lit = hover ?? (keyboard && device !== null ? this.#hit(device, this.keptSlot()) : null);
    const { step, phase } = moment;
    return this.#view(...([trace, layout, theme.scheme, algorithm, step, phase, device, lit, motionless()] as const));
  }

  /** What the tooltip says: of what is pointed at, else of where the keyboard is. */
  tip(): Shown | null {
    const { hover, keyboard, device } = this.now;
    const view = this.view();
    if (hover) return view && describe(view, hover);
    return keyboard && device !== null ? this.kept() : null;
  }

  /** The block of the device that is kept. */
  kept(): Shown | null {
    const view = this.view();
    const { device } = this.now;
    return view && device !== null ? describe(view, { device, slot: this.keptSlot(), cell: null }) : null;
  }

  /** Index of the block that is kept in view: the chosen one, else the result of the step. */
  keptSlot(): number | null {
    const { trace, watch, moment, slot } = this.now;
    const step = this.step();
    if (!trace || !step) return null;
    const { before, after, watch: other } = contents(trace, step, trace.latest(watch, moment.step));
    const count = before.length + after.length + other.length;
    if (count === 0) return null;
    return slot !== null && slot < count ? slot : Math.min(before.length, count - 1);
  }

  readonly #hit = memo((device: number, slot: number | null): Hit => ({ device, slot, cell: null }));

  point(hit: Hit | null): void {
    const { hover } = this.now;
    if (hit?.device === hover?.device && hit?.slot === hover?.slot && hit?.cell === hover?.cell) return;
    this.set({ hover: hit });
  }

  /** Scopes whose steps stand one by one now: those that were opened, and those around the step. */
  opened(): ReadonlySet<number> {
    const { trace, open, shut } = this.now;
    return trace ? this.#opened(trace, open, shut, this.step()) : open;
  }

  toggleScope(scope: number): void {
    const [open, shut] = [new Set(this.now.open), new Set(this.now.shut)];
    if (this.opened().has(scope)) {
      open.delete(scope);
      shut.add(scope);
    } else {
      open.add(scope);
      shut.delete(scope);
    }
    this.set({ open, shut });
  }

  protected override paint(): boolean {
    const { theme } = this.now;
    const view = this.view();
    if (!view || !theme) return false;
    const { layout, moment } = view;
    this.frame.dataset.swStep = `${moment.step}`;
    const space = this.space();
    if (!space) return this.layer.paint([view], layout, theme, () => frameMarks(frameOf(view)));
    const at = this.spaceStep();
    const { trace, options } = view;
    const { device } = options;
    return this.layer.paint([space, at, device], space, theme, () => spaceMarks(trace, layout, space, at, options));
  }

  /** Shows a step: done, or about to begin. */
  go(step: number, phase = 1): void {
    const { trace } = this.now;
    if (!trace) return;
    const last = trace.steps.length - 1;
    const bounded = Math.max(0, Math.min(last, step));
    this.set({ moment: { step: bounded, phase } });
    this.#share();
  }

  /** Shows any moment between, as the scrubber does. */
  scrub(at: number): void {
    const { trace } = this.now;
    if (!trace) return;
    this.#pause();
    this.set({ moment: momentAt(trace, at) });
    this.#share();
  }

  forward(): void {
    this.#pause();
    const { moment } = this.now;
    if (moment.phase < 1) this.go(moment.step);
    else this.#run(moment.step + 1);
  }

  back(): void {
    this.jump(this.now.moment.step - 1);
  }

  jump(step: number): void {
    this.#pause();
    this.go(step);
  }

  /** Shows the collective before or after the step that is shown. */
  jumpToCollective(by: -1 | 1): void {
    const { trace, moment } = this.now;
    if (!trace) return;
    for (let at = moment.step + by; at >= 0 && at < trace.steps.length; at += by) {
      const step = trace.step(at);
      if (step && trace.communicates(step)) {
        this.jump(at);
        return;
      }
    }
  }

  toggle(): void {
    if (this.now.playing) {
      this.#pause();
      return;
    }
    const { trace, moment } = this.now;
    if (!trace) return;
    const ended = moment.step >= trace.steps.length - 1 && moment.phase >= 1;
    this.set({ playing: true, moment: ended ? { step: 0, phase: 0 } : moment });
    this.#tick(() => false);
  }

  setAlgorithm(algorithm: Algorithm): void {
    const { moment } = this.now;
    const step = this.step();
    // A collective that stands done is played anew: the choice is about how it comes about.
    const again = step !== null && this.now.trace?.communicates(step) === true && !this.now.playing;
    this.set({ algorithm });
    if (again) this.#run(moment.step);
  }

  /** The next algorithm that the step has, in turn. */
  nextAlgorithm(): void {
    const step = this.step();
    const names = step ? (this.now.trace?.plans(step) ?? []).map((plan) => plan.algorithm) : [];
    const next = names[(names.indexOf(this.now.algorithm) + 1) % names.length];
    if (next) this.setAlgorithm(next);
  }

  setWatch(watch: readonly string[]): void {
    this.set({ watch });
    this.share({ watch: [...watch] });
  }

  toggleWatch(name: string): void {
    const { watch } = this.now;
    this.setWatch(watch.includes(name) ? watch.filter((other) => other !== name) : [...watch, name]);
  }

  /** Plays one step and rests. */
  #run(step: number): void {
    const { trace } = this.now;
    if (!trace || step >= trace.steps.length) return;
    this.go(step, 0);
    this.set({ playing: true });
    this.#tick((moment) => moment.step > step || moment.phase >= 1, step);
  }

  #tick(until: (moment: Moment) => boolean, only: number | null = null): void {
    cancelAnimationFrame(this.#clock);
    let before: number | null = null;
    const frame = (now: number) => {
      const { trace, moment, speed, algorithm, collectives, playing } = this.now;
      if (!trace || !playing) return;
      const elapsed = before === null ? 0 : Math.min(100, now - before);
      before = now;
      const reading = speed === "reading";
      // One step that was asked for is played, whatever it is.
      const pace = { algorithm, collectives: collectives && only === null, reading };
      let next = advance(trace, moment, reading ? elapsed : elapsed * speed, pace);
      if (only !== null && next.step > only) next = { step: only, phase: 1 };
      const over = next.phase >= 1 && next.step >= trace.steps.length - 1;
      const moved = next.step !== moment.step;
      this.set({ moment: next });
      if (moved) this.#share();
      if (over || until(next)) {
        this.set({ playing: false });
        return;
      }
      this.#clock = requestAnimationFrame(frame);
    };
    this.#clock = requestAnimationFrame(frame);
  }

  #pause(): void {
    cancelAnimationFrame(this.#clock);
    this.set({ playing: false });
  }

  protected read(document: unknown): void {
    this.#pause();
    this.#whole = decodeTrace(document);
    this.#show(this.now.level);
  }

  /** Whether a level has other steps than the next finer one. */
  levels(): readonly Level[] {
    const whole = this.#whole;
    if (!whole) return [];
    const counts = LEVELS.map((level) => atLevel(whole, level).last.length);
    return LEVELS.filter((_, k) => counts[k] !== counts[k + 1]);
  }

  /** Shows the same place with other steps: the coarser or finer one that it is part of, done. */
  setLevel(level: Level): void {
    const at = this.#leveled?.last[this.now.moment.step];
    if (at === undefined) return;
    this.#pause();
    this.#show(level);
    this.set({ moment: { step: this.#leveled?.shown[at] ?? 0, phase: 1 } });
  }

  #show(level: Level): void {
    if (!this.#whole) return;
    this.#leveled = atLevel(this.#whole, level);
    const { doc } = this.#leveled;
    this.set({ level, trace: new TraceModel(doc), open: openAtFirst(doc), shut: new Set(), hover: null, loops: null });
  }

  /** The equations of the step that is shown, from the first. */
  into(): void {
    const { level, moment } = this.now;
    const first = (this.#leveled?.last[moment.step - 1] ?? -1) + 1;
    const finer = this.levels()[this.levels().indexOf(level) + 1];
    if (!finer) {
      this.jump(moment.step + 1);
      return;
    }
    this.setLevel(finer);
    this.jump(this.#leveled?.shown[first] ?? 0);
  }

  /** The next step that is in no function, loop or branch which this one is not in. */
  over(): void {
    const { trace, moment } = this.now;
    if (trace) this.jump(stepAfter(trace.doc, moment.step, pathOf(trace.doc, this.step()).length));
  }

  /** The step after the function, loop or branch that this one is in. */
  out(): void {
    const { trace, moment } = this.now;
    if (trace) this.jump(stepAfter(trace.doc, moment.step, pathOf(trace.doc, this.step()).length - 1));
  }

  protected override follow(): void {
    const { trace } = this.now;
    if (!trace) return;
    // A document in place of a longer one may come before its step does.
    const { shown } = this.#leveled ?? { shown: [] };
    const asked = Math.max(0, Math.min(shown.length - 1, Number(this.widget.get("step") ?? 0)));
    const step = shown[asked] ?? 0;
    const watch = (this.widget.get("watch") ?? []) as readonly string[];
    this.set({ watch });
    if (step === this.now.moment.step) return;
    this.#pause();
    this.set({ moment: { step, phase: 1 } });
  }

  #share(): void {
    const { step } = this.now.moment;
    this.share({ step: this.#leveled?.last[step] ?? step });
  }
}

/** A space-time of more rows begins with its loops folded. */
const MANY_ROWS = 40;

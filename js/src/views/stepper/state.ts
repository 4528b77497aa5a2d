/** The state of a stepper: the moment that is shown, what is watched and looked at, and the clock while it plays. */
import type { WidgetModel } from "../../host/model";
import { pageTheme } from "../../host/theme";
import type { Plan, Step } from "../../model/document.gen";
import { advance, type Moment, momentAt } from "../../model/timeline";
import { decodeTrace, TraceModel } from "../../model/trace";
import type { Theme } from "../../paint/theme";
import { layoutStepper, type StepperLayout } from "../../scene/stepper";
import { asError, memo, Store } from "../store";

export type Algorithm = Plan["algorithm"];

interface Fields {
  trace: TraceModel | null;
  generation: number;
  broken: Error | null;
  width: number;
  theme: Theme | null;
  moment: Moment;
  playing: boolean;
  speed: number;
  algorithm: Algorithm;
  /** Names of watched variables. */
  watch: readonly string[];
  /** Mesh position that is looked at. */
  device: number | null;
  search: string;
  /** Scopes whose steps are shown one by one. */
  open: ReadonlySet<number>;
  /** Whether steps that only move shapes are left out of the list. */
  fold: boolean;
  interconnect: number;
  /** Whether the source and the list are shown where they stand above the picture. */
  listed: boolean;
}

/** Steps up to this many are all listed one by one at first. */
const FEW = 60;

export class StepperState extends Store<Fields> {
  readonly #layout = memo(
    (trace: TraceModel, width: number, watch: string): StepperLayout =>
      layoutStepper(trace, width, watch === "" ? [] : watch.split("\n")),
  );
  readonly #widget: WidgetModel;
  readonly #frame: HTMLElement;
  readonly #undo: (() => void)[] = [];
  #clock = 0;

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super({
      trace: null,
      generation: 0,
      broken: null,
      width: 0,
      theme: null,
      moment: { step: 0, phase: 1 },
      playing: false,
      speed: 1,
      algorithm: "meaning",
      watch: [],
      device: null,
      search: "",
      open: new Set(),
      fold: false,
      interconnect: 0,
      listed: false,
    });
    this.#widget = widget;
    this.#frame = frame;
    this.#listen("_document", () => this.#load());
    this.#listen("step", () => this.#follow());
    this.#listen("watch", () => this.#follow());
    this.#load();
  }

  step(): Step | null {
    return this.now.trace?.step(this.now.moment.step) ?? null;
  }

  /** Width of the picture: all of the card on a narrow one, else what the list leaves. */
  pictureWidth(): number {
    const { width } = this.now;
    return width < NARROW ? width - 2 * PAD : width - LIST - 2 * PAD;
  }

  layout(): StepperLayout | null {
    const { trace, width, watch } = this.now;
    return trace && width > 0 ? this.#layout(trace, this.pictureWidth(), watch.join("\n")) : null;
  }

  /** Ids of the watched variables, each the last one of its name up to this step. */
  watched(): number[] {
    const { trace, watch, moment } = this.now;
    return trace?.latest(watch, moment.step) ?? [];
  }

  resize(width: number): void {
    this.set({ width: Math.max(260, width - 2), theme: this.now.theme ?? pageTheme(this.#frame) });
  }

  retheme(): void {
    if (this.#frame.isConnected && this.now.width > 0) this.set({ theme: pageTheme(this.#frame) });
  }

  /** Says to whoever waits for it what is shown. */
  drawn(): void {
    const { moment } = this.now;
    this.#frame.dataset.swReady = String(Number(this.#frame.dataset.swReady ?? 0) + 1);
    this.#frame.dataset.swStep = `${moment.step}`;
  }

  dispose(): void {
    cancelAnimationFrame(this.#clock);
    for (const undo of this.#undo) undo();
  }

  /** Shows a step: done, or about to begin. */
  go(step: number, phase = 1): void {
    const { trace } = this.now;
    if (!trace) return;
    const last = trace.steps.length - 1;
    const bounded = Math.max(0, Math.min(last, step));
    this.set({ moment: { step: bounded, phase }, open: this.#opened(bounded) });
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

  setWatch(watch: readonly string[]): void {
    this.set({ watch });
    this.#widget.set("watch", [...watch]);
    this.#widget.save_changes();
  }

  toggleWatch(name: string): void {
    const { watch } = this.now;
    this.setWatch(watch.includes(name) ? watch.filter((other) => other !== name) : [...watch, name]);
  }

  /** Whether motion is unwelcome: then pictures jump from step to step. */
  still(): boolean {
    return matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  /** Plays one step and rests. */
  #run(step: number): void {
    const { trace } = this.now;
    if (!trace || step >= trace.steps.length) return;
    if (this.still()) {
      this.go(step);
      return;
    }
    this.go(step, 0);
    this.set({ playing: true });
    this.#tick((moment) => moment.step > step || moment.phase >= 1, step);
  }

  #tick(until: (moment: Moment) => boolean, only: number | null = null): void {
    cancelAnimationFrame(this.#clock);
    let before: number | null = null;
    const frame = (now: number) => {
      const { trace, moment, speed, algorithm, playing } = this.now;
      if (!trace || !playing) return;
      const elapsed = before === null ? 0 : Math.min(100, now - before);
      before = now;
      let next = this.still()
        ? this.#nextStill(trace, moment, elapsed * speed)
        : advance(trace, moment, elapsed * speed, algorithm);
      if (only !== null && next.step > only) next = { step: only, phase: 1 };
      const over = next.phase >= 1 && next.step >= trace.steps.length - 1;
      const moved = next.step !== moment.step;
      this.set({ moment: next, ...(moved ? { open: this.#opened(next.step) } : {}) });
      if (moved) this.#share();
      if (over || until(next)) {
        this.set({ playing: false });
        return;
      }
      this.#clock = requestAnimationFrame(frame);
    };
    this.#clock = requestAnimationFrame(frame);
  }

  #waited = 0;

  /** Without motion a step stands for a while, then the next one does. */
  #nextStill(trace: TraceModel, moment: Moment, ms: number): Moment {
    this.#waited += ms;
    if (this.#waited < 900) return { ...moment, phase: 1 };
    this.#waited = 0;
    return { step: Math.min(trace.steps.length - 1, moment.step + 1), phase: 1 };
  }

  #pause(): void {
    cancelAnimationFrame(this.#clock);
    this.set({ playing: false });
  }

  /** The open scopes, with those around a step. */
  #opened(step: number): ReadonlySet<number> {
    const { trace, open } = this.now;
    const scopes = trace?.doc.scopes ?? [];
    let at = trace?.step(step)?.scope ?? -1;
    if (at < 0 || open.has(at)) return open;
    const out = new Set(open);
    while (at >= 0) {
      out.add(at);
      at = scopes[at]?.parent ?? -1;
    }
    return out;
  }

  #load(): void {
    try {
      const doc = decodeTrace(this.#widget.get("_document"));
      const trace = new TraceModel(doc);
      this.#pause();
      const few = doc.steps.length <= FEW;
      this.set({
        trace,
        broken: null,
        generation: this.now.generation + 1,
        open: few ? new Set(doc.scopes.keys()) : new Set(),
      });
      this.#follow();
    } catch (error) {
      this.set({ broken: asError(error) });
    }
  }

  /** Takes step and watch over from Python. */
  #follow(): void {
    const { trace } = this.now;
    if (!trace) return;
    // A document in place of a longer one may come before its step does.
    const step = Math.max(0, Math.min(trace.steps.length - 1, Number(this.#widget.get("step") ?? 0)));
    const watch = (this.#widget.get("watch") ?? []) as readonly string[];
    this.set({ watch });
    // What this view itself shares comes by here too: only another step than the one shown is news.
    if (step === this.now.moment.step) return;
    this.#pause();
    this.set({ moment: { step, phase: 1 }, open: this.#opened(step) });
  }

  #share(): void {
    const { step } = this.now.moment;
    if (this.#widget.get("step") === step) return;
    this.#widget.set("step", step);
    this.#widget.save_changes();
  }

  #listen(name: string, callback: () => void): void {
    this.#widget.on(`change:${name}`, callback);
    this.#undo.push(() => this.#widget.off(`change:${name}`, callback));
  }
}

/** Below this width the source and the list stand above the picture. */
export const NARROW = 900;
/** Width of the column of the source and the list. */
export const LIST = 316;
export const PAD = 16;

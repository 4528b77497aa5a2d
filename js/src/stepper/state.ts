/** The state of a stepper: the moment that is shown, what is watched and looked at, and the clock while it plays. */

import { Layer } from "../card/canvas";
import { motionless } from "../card/clock";
import { loaded } from "../card/loaded";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import type { Algorithm } from "../collective/model/algorithm";
import type { Scheme } from "../core/color";
import type { Step } from "../core/document.gen";
import { BEGINNING, type Fields } from "./fields";
import { Leveling } from "./leveling";
import type { Level } from "./model/levels";
import { loops, openAtFirst, pathOf } from "./model/rows";
import { momentAt } from "./model/timeline";
import { decodeTrace, TraceModel } from "./model/trace";
import type { Parts, PartsModule } from "./parts";
import { Player } from "./player";
import { contents } from "./scene/contents";
import type { StepperLayout } from "./scene/layout";
import { frameMarks, frameOf } from "./scene/stepper";
import { type Hit, type Rules, type StepView, stepView } from "./scene/view";
import { layoutOf } from "./sizes";
import { spaceBeside } from "./space";

export class StepperState extends CardState<Fields> {
  readonly layer = new Layer();
  readonly #layout = memo(
    (trace: TraceModel, width: number, watch: string): StepperLayout =>
      layoutOf(trace, width, watch === "" ? [] : watch.split("\n")),
  );
  readonly #view = memo(
    (
      layout: StepperLayout,
      scheme: Scheme,
      algorithm: Algorithm,
      step: number,
      phase: number,
      device: number | null,
      lit: Hit | null,
      rules: Rules | null,
      still: boolean,
    ) => stepView(layout, { step, phase }, { scheme, algorithm, device, lit, rules, still }),
  );
  readonly #opened = memo(
    (trace: TraceModel, open: ReadonlySet<number>, shut: ReadonlySet<number>, step: Step | null) => {
      const around = pathOf(trace.doc, step).filter((scope) => !shut.has(scope) && !open.has(scope));
      return around.length > 0 ? new Set([...open, ...around]) : open;
    },
  );
  readonly leveling = new Leveling();
  #parts: Promise<Parts> | null = null;
  readonly #player = new Player({
    at: () => this.now,
    show: (moment, playing) => {
      const moved = moment.step !== this.now.moment.step;
      this.set({ moment, playing });
      if (moved) this.#share();
    },
  });

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, ["step", "watch", "_usable"]);
    this.until(() => this.#player.stop());
    this.until(spaceBeside(this));
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

  /** All steps against all devices; null while a step in full is shown. */
  space(): Parts | null {
    return this.now.page === "space-time" ? this.now.parts : null;
  }

  /** Does something with the parts, which are loaded when they are first needed. */
  use(act: (parts: Parts) => void, failed: (error: unknown) => void = (error) => this.fail(error)): void {
    const { parts } = this.now;
    if (parts) act(parts);
    else {
      this.#parts ??= loaded<PartsModule<StepperState>>(this.widget.get("_parts") as string).then((m) =>
        m.default(this, this.frame.shadowRoot as ShadowRoot),
      );
      this.#parts.then((found) => {
        this.set({ parts: found });
        act(found);
      }, failed);
    }
  }

  /** Opens what is drawn by the parts. */
  open(shown: Partial<Pick<Fields, "page">>): void {
    this.use(() => this.set(shown));
  }

  /** The step as it is at this moment, with what is pointed at. */
  view(): StepView | null {
    const { theme, moment, algorithm, device, hover, keyboard, parts } = this.now;
    const layout = this.layout();
    if (!theme || !layout) return null;
    const lit = hover ?? (keyboard && device !== null ? this.#hit(device, this.keptSlot()) : null);
    const { step, phase } = moment;
    const rules = parts?.rules ?? null;
    return this.#view(layout, theme.scheme, algorithm, step, phase, device, lit, rules, motionless());
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
    const same = hit?.device === hover?.device && hit?.slot === hover?.slot && hit?.cell === hover?.cell;
    if (same && hit?.box?.y === hover?.box?.y && hit?.box?.x === hover?.box?.x) return;
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
    const { theme, parts } = this.now;
    const view = this.view();
    // A program that stops is complete when it says why.
    if (!view || !theme || (view.trace.doc.error && !parts)) return false;
    const { layout, moment } = view;
    this.frame.dataset.swStep = `${moment.step}`;
    const space = this.space();
    return space ? space.paint(view, theme) : this.layer.paint([view], layout, theme, () => frameMarks(frameOf(view)));
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
    this.#bring();
    this.#player.pause();
    this.set({ moment: momentAt(trace, at) });
    this.#share();
  }

  /** Loads what draws copies on their way. Where it cannot be loaded, blocks are there when they have arrived. */
  #bring(): void {
    this.use(NOTHING, NOTHING);
  }

  forward(): void {
    this.#bring();
    this.#player.pause();
    const { moment } = this.now;
    if (moment.phase < 1) this.go(moment.step);
    else this.#player.step(moment.step + 1);
  }

  back(): void {
    this.jump(this.now.moment.step - 1);
  }

  jump(step: number): void {
    this.#player.pause();
    this.go(step);
  }

  toggle(): void {
    this.#bring();
    this.#player.toggle();
  }

  setAlgorithm(algorithm: Algorithm): void {
    const { moment } = this.now;
    const step = this.step();
    // A collective that is already done is played again: the choice is about how it is done.
    const again = step !== null && this.now.trace?.communicates(step) === true && !this.now.playing;
    // Without the parts, only what collectives mean is shown.
    this.use(() => {
      this.set({ algorithm });
      if (again) this.#player.step(moment.step);
    }, NOTHING);
  }

  setWatch(watch: readonly string[]): void {
    this.set({ watch });
    this.share({ watch: [...watch] });
  }

  toggleWatch(name: string): void {
    const { watch } = this.now;
    this.setWatch(watch.includes(name) ? watch.filter((other) => other !== name) : [...watch, name]);
  }

  /** Whether the kernel can trace the program with a fix. */
  usable(): boolean {
    return !this.saved && this.widget.get("_usable") === true;
  }

  /** Shows the program with a fix; -1: as it is. */
  useFix(fix: number): void {
    this.set({ asked: fix });
    this.share({ used: fix });
  }

  protected read(document: unknown): void {
    this.#player.pause();
    this.set({ asked: null });
    this.leveling.load(decodeTrace(document));
    this.#show(this.now.level);
    const { trace } = this.now;
    if (trace?.doc.error) this.open({});
    else if (trace && loops(trace)) this.open({ page: "space-time" });
    // Where they cannot be loaded, nothing is said of where elements came from.
    else setTimeout(() => this.#bring(), 200);
  }

  /** Shows the same place with other steps: the coarser or finer one that it is part of, done. */
  setLevel(level: Level): void {
    const at = this.leveling.equation(this.now.moment.step);
    this.#player.pause();
    this.#show(level);
    this.set({ moment: { step: this.leveling.step(at), phase: 1 } });
  }

  #show(level: Level): void {
    const doc = this.leveling.show(level);
    if (!doc) return;
    this.set({
      level,
      trace: new TraceModel(doc, this.leveling.numbers()),
      open: openAtFirst(doc),
      shut: new Set(),
      hover: null,
      loops: null,
      tile: null,
    });
  }

  protected override follow(changed: string | null): void {
    const { trace } = this.now;
    if (!trace) return;
    if (changed === "_usable") {
      this.set({ asked: null });
      return;
    }
    // A document in place of a longer one may come before its step does.
    const step = this.leveling.step(Number(this.widget.get("step") ?? 0));
    const watch = (this.widget.get("watch") ?? []) as readonly string[];
    this.set({ watch });
    // A collective is opened before it moves anything.
    const phase = changed === null && trace.sends(trace.step(step)) ? 0 : 1;
    if (changed !== null && step === this.now.moment.step) return;
    this.#player.pause();
    this.set({ moment: { step, phase } });
  }

  #share(): void {
    const { step } = this.now.moment;
    this.share({ step: this.leveling.equation(step) });
  }
}

const NOTHING = () => {};

/** The state of a kernel on screen: the fault, the order, the moment, the device and the block that are looked at. */
import { Layer } from "../card/canvas";
import { Clock, jumps, motionless } from "../card/clock";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import type { Kernel } from "../core/document.gen";
import { answerOf, decodeKernel, KernelModel } from "./model/kernel";
import type { Shown } from "./scene/columns";
import { layoutKernel, pointAt } from "./scene/layout";
import { kernelMarks, momentMarks } from "./scene/picture";

const BEGINNING = {
  doc: null as Kernel | null,
  fault: 0,
  /** Whether the order without delays is shown in place of the one that shows the fault. */
  plain: false,
  moment: 0,
  device: 0,
  /** The block that is followed. */
  block: null as number | null,
  /** The slot that was pointed at. */
  slot: null as number | null,
  playing: false,
};
type Fields = typeof BEGINNING;

/** From this width on the source stands at the left. */
export const BESIDE = 858;
export const SOURCE = 272;
/** Milliseconds of a moment. */
const BEAT = 220;

export class KernelState extends CardState<Fields> {
  readonly picture = new Layer();
  readonly line = new Layer();
  readonly #clock = new Clock();
  readonly #model = memo((doc: Kernel) => new KernelModel(doc));
  readonly #layout = memo(layoutKernel);
  #part = 0;

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, ["fault"]);
    this.until(() => this.#clock.stop());
  }

  name(): string {
    const model = this.model();
    return model ? `kernel ${model.doc.name}: ${answerOf(model, model.fault(this.now.fault))}` : "kernel";
  }

  model(): KernelModel | null {
    return this.now.doc && this.#model(this.now.doc);
  }

  shown(): Shown | null {
    const { theme, width, fault, plain, block } = this.now;
    const model = this.model();
    if (!model || !theme || width === 0) return null;
    const at = model.fault(fault);
    const order = model.order(at, plain);
    const room = width - (width >= BESIDE && model.doc.listing ? SOURCE : 0) - 24;
    return { model, order, layout: this.#layout(model, order, at, room), scheme: theme.scheme, block };
  }

  protected override read(document: unknown): void {
    this.#clock.stop();
    this.set({ ...BEGINNING, doc: decodeKernel(document) });
    this.#open();
  }

  protected override follow(): void {
    const fault = this.widget.get("fault");
    if (typeof fault !== "number" || fault === this.now.fault) return;
    this.set({ fault });
    this.#open();
  }

  /** At the moment that shows what is wrong; without a fault, at the end. */
  #open(): void {
    const model = this.model();
    if (!model) return;
    const fault = model.fault(this.now.fault);
    const order = model.order(fault, this.now.plain);
    const time = model.overlap(order, fault);
    const moment = time ? Math.floor(time.to) - 1 : order.length - 1;
    this.set({ moment, device: Math.max(0, fault?.device ?? 0), slot: null });
  }

  protected override paint(): boolean {
    const shown = this.shown();
    const { theme, fault, moment, device, block } = this.now;
    if (!shown || !theme) return false;
    const { layout, order, model } = shown;
    this.picture.paint([layout, order, fault, block], layout, theme, () => kernelMarks(shown, model.fault(fault)));
    this.line.paint([layout, order, moment, device], layout, theme, () => momentMarks(shown, moment, device));
    return true;
  }

  jump(moment: number): void {
    this.#stop();
    this.#to(moment);
  }

  #to(moment: number): void {
    const last = (this.shown()?.order.length ?? 1) - 1;
    this.set({ moment: Math.max(0, Math.min(last, moment)) });
  }

  back(): void {
    this.jump(this.now.moment - 1);
  }

  forward(): void {
    this.jump(this.now.moment + 1);
  }

  /** To the next operation of the device, or the one before. */
  event(by: 1 | -1): void {
    const shown = this.shown();
    if (!shown) return;
    const begins = (shown.model.of[this.now.device] ?? []).map((k) => shown.order.begins[k] ?? -1);
    const next = begins.filter((at) => at >= 0 && (at - this.now.moment) * by > 0).sort((a, b) => by * (a - b))[0];
    if (next !== undefined) this.jump(next);
  }

  turn(by: 1 | -1): void {
    const devices = this.shown()?.layout.devices ?? [];
    const at = devices.indexOf(this.now.device) + by;
    const device = devices[Math.max(0, Math.min(devices.length - 1, at))];
    if (device !== undefined) this.set({ device, slot: null });
  }

  next(by: 1 | -1): void {
    const count = this.now.doc?.faults.length ?? 0;
    if (count > 0) this.choose((this.now.fault + by + count) % count);
  }

  choose(fault: number): void {
    this.#stop();
    this.set({ fault, plain: false });
    this.#open();
    this.share({ fault });
  }

  plain(plain: boolean): void {
    this.#stop();
    this.set({ plain });
    this.#to(this.now.moment);
  }

  /** Looks at a point; a block that is pointed at is followed. */
  point(x: number, y: number): void {
    const shown = this.shown();
    const at = shown && pointAt(shown.layout, shown.order, x, y);
    if (!shown || !at) return;
    const held = at.slot === null ? null : shown.model.held(shown.order, at.device, at.slot, at.moment);
    const block = held && held.block !== this.now.block ? held.block : null;
    this.#stop();
    this.set({ moment: at.moment, device: at.device, slot: at.slot, block });
  }

  toggle(): void {
    const shown = this.shown();
    if (!shown) return;
    if (this.now.playing) {
      this.#stop();
      return;
    }
    const last = shown.order.length - 1;
    this.set({ playing: true, moment: this.now.moment >= last ? 0 : this.now.moment });
    this.#part = 0;
    const on = () => {
      this.#to(this.now.moment + 1);
      const more = this.now.moment < last;
      if (!more) this.set({ playing: false });
      return more;
    };
    this.#clock.play(
      motionless()
        ? jumps(2 * BEAT, on)
        : (elapsed) => {
            this.#part += elapsed;
            if (this.#part < BEAT) return true;
            this.#part = 0;
            return on();
          },
    );
  }

  #stop(): void {
    this.#clock.stop();
    this.set({ playing: false });
  }
}

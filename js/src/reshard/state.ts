/** The state of a plan on screen: its threshold, the chunk and the group that are looked at, and the clock while it plays. */

import { Layer } from "../card/canvas";
import { Clock, motionless } from "../card/clock";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import type { ReshardPlan } from "../core/document.gen";
import { PAD } from "../draw/marks";
import { decodeReshard, PlanModel, ThresholdScale } from "./model/reshard";
import { titleOf } from "./model/words";
import { boardMarks, groupMarks, type Phase } from "./scene/bars";
import { boardOf, type PlanBoard } from "./scene/board";
import { flowMarks, type PutLayout, putLayout, putMarks } from "./scene/put";

interface Fields {
  doc: ReshardPlan | null;
  /** Null: the document's own. */
  threshold: number | null;
  chunk: number;
  /** The group that is looked at; of `device_put` the flow. */
  at: number | null;
  playing: boolean;
  speed: number;
  phase: Phase;
  /** How far the list of arrays is scrolled; null on paper, where those of all chunks are. */
  top: number | null;
}

export interface Shown {
  model: PlanModel;
  chunk: number;
  /** One of both. */
  board: PlanBoard | null;
  put: PutLayout | null;
}

/** Milliseconds of a chunk: its blocks are made, and what is not kept is freed. */
const CHUNK = 850;

export class ReshardState extends CardState<Fields> {
  readonly base = new Layer();
  readonly over = new Layer();
  readonly #model = memo((doc: ReshardPlan, threshold: number | null) => new PlanModel(doc, threshold));
  readonly #board = memo(boardOf);
  readonly #put = memo(putLayout);
  readonly #scale = memo((model: PlanModel) => new ThresholdScale(model));
  readonly #clock = new Clock();

  constructor(widget: WidgetModel, frame: HTMLElement) {
    const fields: Fields = {
      ...{ doc: null, threshold: null, chunk: 0, at: null },
      ...{ playing: false, speed: 1, phase: null, top: 0 },
    };
    super(widget, frame, fields, ["chunk", "threshold"]);
    this.until(() => this.#clock.stop());
  }

  name(): string {
    const model = this.model();
    return model ? `reshard plan: ${titleOf(model)}` : "reshard plan";
  }

  protected override read(document: unknown): void {
    this.#stop();
    this.set({ doc: decodeReshard(document), threshold: null, chunk: 0, at: null, top: 0 });
  }

  protected override follow(): void {
    const { doc } = this.now;
    if (!doc) return;
    const [chunk, threshold] = [this.widget.get("chunk"), this.widget.get("threshold")];
    const given = typeof threshold === "number" && threshold > 0 && threshold !== doc.threshold;
    this.set({ threshold: given && doc.direction !== "device_put" ? threshold : null });
    const last = Math.max(0, (this.model()?.chunks ?? 1) - 1);
    this.set({ chunk: typeof chunk === "number" ? Math.max(0, Math.min(last, chunk)) : 0 });
  }

  override print(on: boolean): void {
    super.print(on);
    this.set({ top: on ? null : 0 });
  }

  model(): PlanModel | null {
    const { doc, threshold } = this.now;
    return doc && this.#model(doc, threshold);
  }

  scale(): ThresholdScale | null {
    const model = this.model();
    return model && this.#scale(model);
  }

  shown(): Shown | null {
    const { theme, width } = this.now;
    const model = this.model();
    if (!model || !theme || width === 0) return null;
    const chunk = Math.min(this.now.chunk, Math.max(0, model.chunks - 1));
    const room = width - 2 * PAD;
    if (model.axis < 0) return { model, chunk, board: null, put: this.#put(model, room) };
    return { model, chunk, board: this.#board(model, room, chunk), put: null };
  }

  protected override paint(): boolean {
    const { theme, at, phase } = this.now;
    const shown = this.shown();
    if (!shown || !theme) return false;
    const { model, board, put } = shown;
    if (board) {
      this.base.paint([board, phase], board, theme, () => boardMarks(board, theme.scheme, phase));
      this.over.paint([board, at], board, theme, () => groupMarks(board, at));
    } else if (put) {
      this.base.paint([put], put, theme, () => putMarks(model, put, theme.scheme));
      this.over.paint([put, at], put, theme, () => flowMarks(put, at === null ? undefined : model.doc.flows[at]));
    }
    return true;
  }

  /** Goes to a chunk; what plays stops. */
  jump(chunk: number): void {
    this.#stop();
    this.#to(chunk);
  }

  step(by: number): void {
    this.jump(this.now.chunk + by);
  }

  back(): void {
    this.step(-1);
  }

  forward(): void {
    this.step(1);
  }

  #to(chunk: number): void {
    const last = Math.max(0, (this.model()?.chunks ?? 1) - 1);
    const to = Math.max(0, Math.min(last, chunk));
    this.set({ chunk: to, top: to === this.now.chunk ? this.now.top : 0 });
    this.share({ chunk: to });
  }

  /** Looks at a group, or at a flow; null at none. */
  look(at: number | null): void {
    this.set({ at });
  }

  /** To the next group or flow, or the one before. */
  move(by: number): void {
    const shown = this.shown();
    if (!shown) return;
    const { model, board } = shown;
    const { at } = this.now;
    const last = (board ? model.folds.length : model.doc.flows.length) - 1;
    const now = at === null || !board ? at : model.foldOf(at);
    const to = Math.max(0, Math.min(last, now === null ? (by > 0 ? 0 : last) : now + by));
    if (last >= 0) this.look(board ? (model.folds[to]?.first ?? null) : to);
  }

  /** To the moment at which a device holds most. */
  toPeak(): void {
    const peak = this.model()?.peak;
    if (!peak) return;
    this.jump(peak.chunk);
    this.look(peak.group);
  }

  /** Plans with another threshold; null: as given. The chunk stays the one of the same array. */
  change(threshold: number | null): void {
    const { doc, chunk } = this.now;
    const before = this.model();
    if (!doc || !before) return;
    this.#stop();
    const first = before.starts[chunk] ?? 0;
    this.set({ threshold: threshold === doc.threshold ? null : threshold });
    const after = this.model() ?? before;
    const to = Math.max(
      0,
      after.starts.findLastIndex((start, k) => start <= first && k < after.chunks),
    );
    this.set({ chunk: to, top: 0 });
    this.share({ threshold: after.threshold, chunk: to });
  }

  toggle(): void {
    const model = this.model();
    if (this.now.playing) {
      this.#stop();
      return;
    }
    if (!model || model.axis < 0) return;
    if (this.now.chunk >= model.chunks - 1) this.#to(0);
    this.set({ playing: true, phase: motionless() ? null : 0 });
    let phase = 0;
    this.#clock.play((elapsed) => {
      phase += (elapsed * this.now.speed) / CHUNK;
      if (phase >= 1) {
        phase = 0;
        if (this.now.chunk >= (this.model()?.chunks ?? 1) - 1) {
          this.#stop();
          return false;
        }
        this.#to(this.now.chunk + 1);
      }
      this.set({ phase: motionless() ? null : phase });
      return true;
    });
  }

  #stop(): void {
    this.#clock.stop();
    this.set({ playing: false, phase: null });
  }
}

/** The state of a plan on screen: its threshold, the chunk and the group that are looked at, and the clock while it plays. */

import { Layer } from "../card/canvas";
import { Clock, motionless } from "../card/clock";
import { CardState } from "../card/state";
import { memo } from "../card/store";
import type { WidgetModel } from "../card/widget";
import type { ReshardPlan } from "../core/document.gen";
import { PAD } from "../draw/marks";
import { hasMoves, type Moves, movesOf, type Ribbons, ribbonsOf } from "./model/moves";
import { decodeReshard, PlanModel, ThresholdScale } from "./model/reshard";
import { titleOf } from "./model/words";
import { boardMarks, groupMarks, type Phase } from "./scene/bars";
import { boardOf, type PlanBoard } from "./scene/board";
import { type ChunkRow, chunkMarks, chunkRows, chunksHeight } from "./scene/chunks";
import { arraysAcross, type FlowBoard, flowBoard, flowMarks } from "./scene/flows";
import { type PutLayout, pairMarks, putLayout, putMarks } from "./scene/put";

const BEGINNING = {
  doc: null as ReshardPlan | null,
  /** Null: the document's own. */
  threshold: null as number | null,
  chunk: 0,
  page: "flows" as Page,
  /** Index in the chunk of the first array whose flows are drawn. */
  first: 0,
  /** On the page of the peak the group that is looked at, of a matrix the flow; among flows the device, by id. */
  at: null as number | null,
  playing: false,
  speed: 1,
  phase: null as Phase,
  /** How far the list of arrays is scrolled; null on paper, where those of all chunks are. */
  top: 0 as number | null,
};
type Fields = typeof BEGINNING;

/** Who sends what to whom, or what devices hold meanwhile. */
export type Page = "flows" | "peak";

export interface Shown {
  model: PlanModel;
  chunk: number;
  /** One of these. */
  flows: Flowing | null;
  board: PlanBoard | null;
  put: PutLayout | null;
  /** Ribbons of all chunks where flows can be drawn, on either page: the legend is the same in every chunk. */
  ribbons: Ribbons | null;
  /** Height of the highest page, so that none moves what is below. */
  least: number;
}

/** Flows of some arrays of a chunk, over rows of chunks. */
interface Flowing extends FlowBoard {
  readonly first: number;
  readonly rows: readonly ChunkRow[];
  readonly rowsTop: number;
}

/** Milliseconds of a chunk: its blocks are made, and what is not kept is freed. */
const CHUNK = 1400;
/** Heights of an array in a list, and of one on narrower cards. */
export const LINE = 44;
const TALL = 66;
const WIDE = 698;

export function lineOf(width: number): number {
  return width >= WIDE ? LINE : TALL;
}

/** Height of a list of arrays that has room for so much: whole arrays under its border. */
export function listHeight(room: number, line: number): number {
  return 1 + line * Math.floor((room - 1) / line);
}

/** Room for the list of arrays under the page of the peak. */
const LIST = 133;

export class ReshardState extends CardState<Fields> {
  readonly base = new Layer();
  readonly over = new Layer();
  readonly #model = memo((doc: ReshardPlan, threshold: number | null) => new PlanModel(doc, threshold));
  readonly #board = memo(boardOf);
  readonly #put = memo(putLayout);
  readonly #flows = memo((model: PlanModel, width: number, chunk: number, first: number): Flowing => {
    const arrays = model.arraysOf(chunk);
    const start = Math.max(0, Math.min(first, arrays.length - 1));
    const drawn = arrays.slice(start, start + arraysAcross(width)).map((i) => this.#movesOf(model)(i));
    const board = flowBoard(model, drawn, width);
    const rowsTop = board.height + 8;
    const rows = chunkRows(model, chunk, rowsTop, width);
    return { ...board, height: rowsTop + chunksHeight(model), first: start, rows, rowsTop };
  });
  readonly #movesOf = memo((model: PlanModel) => {
    const known = new Map<number, Moves>();
    return (i: number): Moves => {
      const moves = known.get(i) ?? movesOf(model, i);
      known.set(i, moves);
      return moves;
    };
  });
  readonly #ribbons = memo((model: PlanModel) => ribbonsOf(model.doc.arrays.map((_, i) => this.#movesOf(model)(i))));
  readonly #scale = memo((model: PlanModel) => new ThresholdScale(model));
  readonly #clock = new Clock();

  constructor(widget: WidgetModel, frame: HTMLElement) {
    super(widget, frame, BEGINNING, ["chunk", "threshold"]);
    this.until(() => this.#clock.stop());
  }

  name(): string {
    const model = this.model();
    return model ? `reshard plan: ${titleOf(model)}` : "reshard plan";
  }

  protected override read(document: unknown): void {
    this.#stop();
    this.set({ doc: decodeReshard(document), threshold: null, chunk: 0, first: 0, at: null, top: 0 });
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
    const { theme, width, page, first } = this.now;
    const model = this.model();
    if (!model || !theme || width === 0) return null;
    const chunk = Math.min(this.now.chunk, Math.max(0, model.chunks - 1));
    const room = width - 2 * PAD;
    const flows = hasMoves(model) ? this.#flows(model, room, chunk, first) : null;
    const none = { model, chunk, flows: null, board: null, put: null, ribbons: flows && this.#ribbons(model) };
    if (model.axis < 0) {
      const put = flows ? null : this.#put(model, room);
      return { ...none, flows, put, least: 0 };
    }
    const board = this.#board(model, room, chunk);
    const least = flows ? Math.max(flows.height, board.height + LIST) : board.height + LIST;
    return flows && page === "flows" ? { ...none, flows, least } : { ...none, board, least };
  }

  protected override paint(): boolean {
    const { theme, at, phase } = this.now;
    const shown = this.shown();
    if (!shown || !theme) return false;
    const { model, chunk, flows, board, put } = shown;
    if (flows) {
      this.base.paint([flows, at, phase], flows, theme, () => [
        ...flowMarks(flows, theme.scheme, at, phase),
        ...chunkMarks(model, flows.rows, chunk, this.#movesOf(model)),
      ]);
      this.over.paint([flows], flows, theme, () => []);
    } else if (board) {
      this.base.paint([board, phase], board, theme, () => boardMarks(board, theme.scheme, phase));
      this.over.paint([board, at], board, theme, () => groupMarks(board, at));
    } else if (put) {
      this.base.paint([put], put, theme, () => putMarks(model, put, theme.scheme));
      this.over.paint([put, at], put, theme, () => pairMarks(put, at === null ? undefined : model.doc.flows[at]));
    }
    return true;
  }

  /** Whether flows can be drawn as well as what devices hold. */
  twoPages(): boolean {
    const model = this.model();
    return model !== null && model.axis >= 0 && hasMoves(model);
  }

  turn(page: Page): void {
    this.set({ page, at: null });
  }

  /** Other arrays of the chunk. */
  other(by: 1 | -1): void {
    const shown = this.shown();
    if (!shown?.flows) return;
    const { first, width } = shown.flows;
    const to = first + by * arraysAcross(width);
    if (to >= 0 && to < shown.model.arraysOf(shown.chunk).length) this.set({ first: to, at: null });
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
    const same = to === this.now.chunk;
    this.set({ chunk: to, top: same ? this.now.top : 0, first: same ? this.now.first : 0 });
    this.share({ chunk: to });
  }

  /** Looks at a group, or at a flow; null at none. */
  look(at: number | null): void {
    this.set({ at });
  }

  /** To the next device, group or flow, or the one before. */
  move(by: number): void {
    const shown = this.shown();
    if (!shown) return;
    const { model, flows, board } = shown;
    const { at } = this.now;
    if (flows) {
      const ids = [...new Set(flows.panels.flatMap(({ moves }) => [...moves.before.ids, ...moves.after.ids]))];
      const to = at === null ? (by > 0 ? 0 : ids.length - 1) : ids.indexOf(at) + by;
      this.look(ids[Math.max(0, Math.min(ids.length - 1, to))] ?? null);
      return;
    }
    const last = (board ? model.folds.length : model.doc.flows.length) - 1;
    const now = at === null || !board ? at : model.foldOf(at);
    const to = Math.max(0, Math.min(last, now === null ? (by > 0 ? 0 : last) : now + by));
    if (last >= 0) this.look(board ? (model.folds[to]?.first ?? null) : to);
  }

  /** To the moment at which a device holds most. */
  toPeak(): void {
    const peak = this.model()?.peak;
    if (!peak || this.shown()?.put) return;
    this.jump(peak.chunk);
    this.turn("peak");
    this.look(peak.group);
  }

  /** What a badge of the head shows: the peak, or the flows again; where most is made to be freed. */
  go(to: string): void {
    if (to === "freed") this.toFreed();
    else if (this.shown()?.board && this.twoPages()) this.turn("flows");
    else this.toPeak();
  }

  /** To the group and the chunk in which a device makes most that is freed again. */
  toFreed(): void {
    const most = this.model()?.mostFreed;
    if (!most) return;
    this.jump(most.chunk);
    this.turn("peak");
    this.look(most.group);
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
    this.set({ chunk: to, top: 0, first: 0 });
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

/** A step at a moment: what it moves and how far it has come, and where every block stands. */
import { chunkOf } from "../../model/chunks";
import { isDark, positionColor, type Rgb, type Scheme } from "../../model/color";
import type { Collective, Plan, Step, Variable } from "../../model/document.gen";
import { unpack } from "../../model/ints";
import type { Played } from "../../model/plan";
import { type Moment, roundAt } from "../../model/timeline";
import type { TraceModel } from "../../model/trace";
import type { Box } from "../scene";
import { type Contents, contents, face } from "./contents";
import { ARROW, arrange, FOOT, GAP, HEAD, heightOf, rowWidth, type StepperLayout, seatsOf, UNDER } from "./layout";

/** A device of the picture, one of its blocks, an element of that. */
export interface Hit {
  /** Mesh position. */
  device: number;
  /** Index in the view's slots. */
  slot: number | null;
  cell: number | null;
}

export interface StepperOptions {
  scheme: Scheme;
  algorithm: Plan["algorithm"];
  /** Ids of variables that every device shows beside the step's own. */
  watch: readonly number[];
  /** The device that is looked at. */
  device: number | null;
  /** What is pointed at. */
  lit?: Hit | null;
  /** Show arrows and results at once instead of copies on their way. */
  still: boolean;
}

export class StepView {
  readonly step: Step;
  readonly show: Contents;
  /** What the step communicates; null for a local one. */
  readonly collective: Collective | null;
  readonly plan: Plan | null;
  readonly played: Played | null;
  readonly round: number;
  /** How far the round has come: at 1 everything has arrived. */
  readonly progress: number;
  /** Rounds that are over. */
  readonly arrived: number;
  readonly finished: boolean;
  /** Mesh positions whose tiles stand in full, and their boxes. */
  readonly seats: ReadonlyMap<number, Box>;
  /** The group whose tiles stand in full, where that is not everyone. */
  readonly focus: readonly number[];
  /** Positions that run the step; null for all. */
  readonly active: ReadonlySet<number> | null;
  readonly #slots: readonly Slot[];
  readonly #groupOf = new Map<number, readonly number[]>();

  constructor(
    readonly trace: TraceModel,
    readonly layout: StepperLayout,
    readonly moment: Moment,
    readonly options: StepperOptions,
  ) {
    const step = trace.step(moment.step);
    if (!step) throw new RangeError(`there is no step ${moment.step}`);
    this.step = step;
    this.show = contents(trace, step, options.watch);
    this.collective = trace.communicates(step) ? step.collective : null;
    this.plan = this.collective ? trace.plan(step, options.algorithm) : null;
    this.played = this.plan && trace.played(this.plan);
    const rounds = this.plan?.rounds.length ?? 0;
    const { round, progress } = roundAt(rounds, moment.phase);
    this.round = round;
    this.progress = moment.phase >= 1 ? 1 : progress;
    this.arrived = this.progress >= 1 ? round + 1 : round;
    this.finished = !this.plan || this.arrived >= rounds;
    if (this.collective) {
      for (const group of trace.groups(this.collective)) for (const p of group) this.#groupOf.set(p, group);
    }
    this.focus = layout.strip ? focusOf(trace, moment.step, options.device, layout.strip.seats) : [];
    this.seats = seatsOf(trace, layout, this.focus);
    this.active = step.active && new Set(unpack(step.active));
    this.#slots = placeSlots(trace, layout, this.show);
  }

  /** How a partial sum is drawn. */
  get hatch(): "plain" | "dim" {
    return isDark(this.options.scheme) ? "dim" : "plain";
  }

  groupOf(position: number): readonly number[] | null {
    return this.#groupOf.get(position) ?? null;
  }

  get slots(): readonly Slot[] {
    return this.#slots;
  }

  /** The box of a block on a device. */
  box(position: number, index: number): Box | null {
    const [tile, slot] = [this.seats.get(position), this.#slots[index]];
    return tile && slot ? { x: tile.x + slot.x, y: tile.y + slot.y, w: slot.w, h: slot.h } : null;
  }

  /** Index of the block in which an algorithm works: the received one, or the sent one where only that is cut. */
  get work(): number {
    return this.collective?.semantics.cuts === "sent" ? 0 : this.show.before.length;
  }

  /** Whether what is sent to a rank is no chunk of a block, but as many rows as the program says. */
  get ragged(): boolean {
    const { by_origin = false, cuts = "both" } = this.collective?.semantics ?? {};
    return by_origin && cuts === "none";
  }

  /** Which chunk each cell of the block at work belongs to; of the sent block with `sends`. */
  chunks(v: Variable, sends = false): ((cell: number) => number) | null {
    const { collective: c, plan, trace } = this;
    // Rows of a ragged exchange end anywhere: its blocks are not cut into chunks.
    if (!c || !plan || this.ragged) return null;
    const { cuts } = c.semantics;
    const axis = cuts === "sent" || (sends && cuts === "both") ? c.split_axis : c.concat_axis;
    return chunkOf(v.shape, trace.corner(v)?.shape ?? v.shape, axis, plan.n);
  }

  /** Colour of a variable's block on a device: by the place in the mesh along the axes that it varies over. */
  color(v: Variable, position: number, without: readonly string[] = []): Rgb {
    const { mesh } = this.trace;
    const [a, b] = this.trace.colorAxes(v, without);
    const digits = mesh.digits(position);
    const at = (axis: number | undefined) =>
      axis === undefined ? ([0, 1] as const) : ([digits[axis] ?? 0, mesh.meshShape[axis] ?? 1] as const);
    return positionColor(...at(a), ...at(b), this.options.scheme);
  }
}

/** A block's place in a tile, from the tile's corner. */
export interface Slot extends Box {
  v: Variable;
  /** Whether it is an input of the step. */
  input: boolean;
}

function placeSlots(trace: TraceModel, { tile, natural }: StepperLayout, show: Contents): Slot[] {
  const { rows, heights, h } = arrange(natural, show, tile.w);
  const room = tile.h - HEAD - FOOT;
  const between = UNDER * (rows.length - 1);
  // A step of small blocks in a tile with room for larger ones shows them larger.
  const grown = Math.max(0.2, Math.min(GROWTH, (room - between) / (h - between)));
  let top = HEAD + Math.max(0, (room - between - (h - between) * grown) / 2);
  return rows.flatMap((row, r) => {
    const high = (heights[r] ?? 0) * grown;
    const both = rows.length === 1 && show.before.length > 0 && show.after.length > 0;
    const fixed = 16 + GAP * (row.length - 1) + (both ? ARROW : 0);
    const wanted = rowWidth(natural, row) - 16 - GAP * (row.length - 1);
    const scale = Math.min(grown > 1 ? GROWTH : 1, (tile.w - fixed) / Math.max(1, wanted));
    let x = 8 + Math.max(0, (tile.w - fixed - wanted * scale) / 2);
    const slots = row.map((v, i) => {
      const input = rows.length > 1 ? r === 0 : i < show.before.length;
      if (both && i === show.before.length) x += ARROW;
      const slot = {
        v,
        input,
        x,
        y: 0,
        w: (natural.widths.get(v.id) ?? 34) * scale,
        h: Math.min(high, heightOf(natural, v) * grown, face(trace, v).rows * HIGHEST_ROW),
      };
      x += slot.w + GAP;
      return { ...slot, y: top + (high - slot.h) / 2 };
    });
    top += high + UNDER;
    return slots;
  });
}

const GROWTH = 1.4;
const HIGHEST_ROW = 28;

/** The group that is shown in full at a step: the device's of the nearest collective, this step's first. */
export function focusOf(trace: TraceModel, at: number, device: number | null, seats: number): readonly number[] {
  const nearest = nearestCollective(trace, at);
  const groups = nearest?.collective ? trace.groups(nearest.collective) : [];
  const group = groups.find((g) => g.includes(device ?? 0)) ?? groups[0] ?? everyone(trace.mesh.size);
  const rank = Math.max(0, group.indexOf(device ?? group[0] ?? 0));
  return group.slice(rank - (rank % seats)).slice(0, seats);
}

/** The step that communicates and is the fewest steps away. */
function nearestCollective(trace: TraceModel, at: number): Step | null {
  for (let away = 0; away < trace.steps.length; away++) {
    for (const step of [trace.step(at - away), trace.step(at + away)])
      if (step && trace.communicates(step)) return step;
  }
  return null;
}

function everyone(n: number): number[] {
  return Array.from({ length: n }, (_, p) => p);
}

/** Rows and columns of a slot's block. */
export function slotFace(view: StepView, slot: Slot) {
  return face(view.trace, slot.v);
}

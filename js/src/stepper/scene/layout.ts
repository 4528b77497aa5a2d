/** The stages of all steps in one room: as high at every step, so that the page does not move. */
import { NOBODYS, positionColor, type Rgb, type Scheme } from "../../core/color";
import type { Plan, Step, Variable } from "../../core/document.gen";
import { type Formats, formatsOf } from "../model/formats";
import { NOT_KNOWN, originsOf, originVariable } from "../model/origins";
import type { TraceModel } from "../model/trace";
import { acrossHeight, acrossStage } from "./across";
import { type Ask, motionOf } from "./ask";
import { contents } from "./contents";
import { downStage } from "./down";
import { downHeight } from "./downrows";
import { type Field, localField, localStage, type Shown } from "./local";
import type { Stage } from "./stage";

/** Most height of the picture and of its line: what is left of a card of 640 px. */
export const ROOM = 508;

/** How high a picture may be. */
export interface Room {
  /** Most height of the picture and its line. */
  most: number;
  /** Least height, so that a narrow card is no lower than a wide one. */
  least: number;
  /** Widths at which the picture is as high as at its own. */
  widths: readonly number[];
}

export class StepperLayout {
  readonly height: number;
  readonly #field: Field;
  readonly #local: readonly Shown[];
  readonly #shown = new Map<number, Shown>();
  readonly #colors = new Map<string, Rgb>();
  readonly #stages = new Map<string, Stage>();

  constructor(
    readonly trace: TraceModel,
    readonly width: number,
    /** Names of watched variables. */
    readonly watch: readonly string[] = [],
    readonly room: Room = { most: ROOM, least: 0, widths: [] },
  ) {
    const local: Shown[] = [];
    const heights = new Map<string, number>();
    trace.steps.forEach((step, at) => {
      const asks = trace.communicates(step) ? trace.plans(step).map((plan) => this.#ask(at, step, plan, null)) : [];
      if (asks.length === 0 || asks.includes(null)) local.push(this.shown(at));
      for (const ask of asks) {
        if (!ask) continue;
        const key = signature(ask);
        if (!heights.has(key)) heights.set(key, Math.max(downHeight(ask), acrossHeight(ask)));
      }
    });
    this.#local = unlike(local);
    this.#field = this.#fieldAt(width);
    const fields = room.widths.map((w) => this.#fieldAt(w).height);
    this.height = Math.ceil(Math.max(room.least, this.#field.height, ...fields, ...heights.values()));
  }

  #fieldAt(width: number): Field {
    return localField({ trace: this.trace, all: this.#local, width, room: this.room.most });
  }

  /**
   * Colour of a variable's block on a device: by the place in the mesh along the axes that it varies over. A block that
   * was only moved keeps the colour that it had where it was made.
   */
  blockColor(v: Variable, position: number, scheme: Scheme, without: readonly string[] = []): Rgb {
    const { mesh } = this.trace;
    const [from, ...more] = originsOf(this.trace, v, position);
    if (v.origin && from !== undefined && from >= 0 && more.length === 0)
      return this.blockColor(originVariable(this.trace, v), from, scheme);
    if (from === NOT_KNOWN) return NOBODYS;
    const [a, b] = this.trace.colorAxes(v, without);
    const digits = mesh.digits(position);
    const at = (axis: number | undefined) =>
      axis === undefined ? ([0, 1] as const) : ([digits[axis] ?? 0, mesh.meshShape[axis] ?? 1] as const);
    return this.#color(...at(a), ...at(b), scheme);
  }

  /** A colour by its place, kept: mixing one takes longer than painting it. */
  #color(i: number, n: number, j: number, m: number, scheme: Scheme): Rgb {
    const key = `${i} ${n} ${j} ${m} ${scheme}`;
    let color = this.#colors.get(key);
    if (!color) {
      color = positionColor(i, n, j, m, scheme);
      this.#colors.set(key, color);
    }
    return color;
  }

  /** What a step shows, and how its numbers are written. */
  shown(at: number): Shown {
    let shown = this.#shown.get(at);
    if (!shown) {
      const step = this.trace.step(at);
      if (!step) throw new RangeError(`there is no step ${at}`);
      const show = contents(this.trace, step, this.trace.latest(this.watch, at));
      shown = { show, formats: formatsOf(this.trace, step, show.watch) };
      this.#shown.set(at, shown);
    }
    return shown;
  }

  /** Where everything stands at a step, with the group of a device that is looked at. */
  stage(at: number, algorithm: Plan["algorithm"], device: number | null): Stage {
    const { trace } = this;
    const step = trace.step(at) as Step;
    const plan = trace.communicates(step) ? trace.plan(step, algorithm) : null;
    const key = `${at} ${plan?.algorithm ?? ""} ${device ?? ""}`;
    let stage = this.#stages.get(key);
    if (!stage) {
      const ask = plan && this.#ask(at, step, plan, device);
      stage = ask ? (acrossStage(ask) ?? downStage(ask, this.height)) : this.#localStage(at, device);
      // What is asked for at every step of a long program is not kept forever.
      if (this.#stages.size > 64) this.#stages.clear();
      this.#stages.set(key, stage);
    }
    return stage;
  }

  #localStage(at: number, device: number | null): Stage {
    const focus = focusOf(this.trace, at, device, this.#field.list?.seats ?? 0);
    return localStage(this.trace, this.#field, this.shown(at), focus, this.width);
  }

  /** What a collective is about to show; null where its blocks cannot be drawn. */
  #ask(at: number, step: Step, plan: Plan, device: number | null): Ask | null {
    const { trace } = this;
    const [input, output] = [trace.variable(step.inputs[0] ?? -1), trace.variable(step.outputs[0] ?? -1)];
    const { collective: c } = step;
    if (!c || !input || !output || !input.drawn || !output.drawn) return null;
    const groups = trace.groups(c);
    const own = device === null ? undefined : groups.find((g) => g.includes(device));
    const group = own ?? groups[Math.floor(groups.length / 2)];
    if (!group || group.length < 2) return null;
    return {
      trace,
      step,
      c,
      plan,
      motion: motionOf(c, plan),
      input,
      output,
      format: this.shown(at).formats.get(input.id) ?? null,
      group,
      receiver: Math.max(0, device === null ? 0 : group.indexOf(device)),
      width: this.width,
      room: this.room.most,
    };
  }
}

/** What the height of a collective's stage depends on. */
function signature({ trace, plan, c, input, output, format }: Ask): string {
  const shape = (v: Variable) => (trace.corner(v)?.shape ?? v.shape).join();
  const { algorithm } = plan;
  return [
    algorithm,
    c.kind,
    c.axes,
    c.group_size,
    c.split_axis,
    c.concat_axis,
    shape(input),
    shape(output),
    format?.width,
  ].join(" ");
}

/** One of each kind that needs different room. */
function unlike(all: readonly Shown[]): Shown[] {
  const kept = new Map<string, Shown>();
  for (const shown of all) {
    const say = (formats: Formats) => (v: { id: number; name: string; shape: readonly number[] }) =>
      `${v.shape} ${formats.get(v.id)?.width} ${Math.min(10, v.name.length)}`;
    const { before, after, watch } = shown.show;
    const key = [before, after, watch].map((vs) => vs.map(say(shown.formats)).join(";")).join("|");
    if (!kept.has(key)) kept.set(key, shown);
  }
  return [...kept.values()];
}

/** The devices that are shown in full: the group of the nearest collective that holds the one that is looked at. */
function focusOf(trace: TraceModel, at: number, device: number | null, seats: number): readonly number[] {
  const everyone = Array.from({ length: trace.mesh.size }, (_, p) => p);
  if (seats === 0 || seats >= trace.mesh.size) return everyone;
  const nearest = nearestCollective(trace, at)?.collective;
  const groups = nearest ? trace.groups(nearest) : [];
  const group = groups.find((g) => g.includes(device ?? -1)) ?? groups[Math.floor(groups.length / 2)] ?? everyone;
  const rank = Math.max(0, group.indexOf(device ?? group[0] ?? 0));
  return group.slice(rank - (rank % seats));
}

/** The step that communicates and is the fewest steps away. */
function nearestCollective(trace: TraceModel, at: number): Step | null {
  for (let away = 0; away < trace.steps.length; away++) {
    for (const step of [trace.step(at - away), trace.step(at + away)])
      if (step && trace.communicates(step)) return step;
  }
  return null;
}

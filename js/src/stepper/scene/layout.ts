/** The stages of all steps in one room: as high at every step, so that the page does not move. */
import type { Plan, Step, Variable } from "../../core/document.gen";
import { type Formats, formatsOf } from "../model/formats";
import { permutes, tells } from "../model/semantics";
import type { TraceModel } from "../model/trace";
import { acrossStage } from "./across";
import { type Ask, chunksOf, ROOM, type Size, tileFace } from "./ask";
import { cellOf, FONTS } from "./cells";
import { type BlockColor, blockColors } from "./colors";
import { contents, once } from "./contents";
import { downStage, inHome } from "./down";
import { downHeight } from "./downrows";
import { asLarge, type Field, type Local, localField, localStage, type Shown } from "./local";
import { type Setting, settingOf } from "./setting";
import type { Stage } from "./stage";
import { thumbStage, thumbsHeight } from "./thumbs";

const NONE: Size = { w: 0, h: 0 };

/** How high a picture may be. */
export interface Room {
  /** Most height of the picture and its line. */
  most: number;
  /** Least height, so that a narrow card is no lower than a wide one. */
  least: number;
}

export class StepperLayout {
  readonly height: number;
  readonly blockColor: BlockColor;
  readonly #field: Field | null = null;
  /** Least size of tiles. */
  #least = NONE;
  readonly #mixed: boolean;
  readonly #local: readonly Shown[];
  readonly #homes = new Map<string, Stage | null>();
  readonly #settings = new Map<string, Setting>();

  constructor(
    readonly trace: TraceModel,
    readonly width: number,
    /** Names of watched variables. */
    readonly watch: readonly string[] = [],
    readonly room: Room = { most: ROOM, least: 0 },
    /** Sizes of tiles of the same trace and names, as a layout of another width found them. */
    private readonly tiles: Local["tiles"] = new Map(),
  ) {
    this.blockColor = blockColors(trace);
    const over = trace.steps.flatMap(({ collective: c }) => c?.axes.join() ?? []);
    this.#mixed = trace.mesh.axes.length === 2 && new Set(over).size > 1;
    const all = trace.steps.map((step, at) => this.#ask(at, step, null));
    this.#local = unlike(all.flatMap((ask, at) => (ask ? [] : [this.shown(at)])));
    const asks = [...new Map(all.flatMap((ask) => (ask ? [[signature(ask), ask] as const] : []))).values()];
    this.#field = this.#fieldAt(width);
    const { height } = this.#field;
    const least = this.#field.home ? this.#withStrips(asks, this.#field.least) : NONE;
    this.#least = least;
    const heights = asks.map((ask) => acrossStage({ ...ask, least })?.height ?? heightOf(ask));
    this.height = Math.ceil(Math.max(room.least, height, ...heights));
  }

  /** Tiles in which most of every chunk is seen, where what a collective means is seen as large as without. */
  #withStrips(asks: readonly Ask[], least: Size): Size {
    const { width, room } = this;
    const own = this.#homeAt(null, { width, least }, room.most);
    const hops = asks.filter(({ trace, step }) => trace.plans(step).length > 1);
    const place = own?.tiles[0]?.places[0]?.box;
    if (!own || !place) return least;
    const [{ box, id } = { box: place, id: "" }] = own.tiles;
    const around = id === "above" ? 8 : place.x - box.x + 4;
    for (let columns = 8; columns > 0; columns--) {
      const strips = hops.map((ask) => {
        const chunks = { ...ask, motion: "lanes" } as const;
        return Math.min(tileFace(chunks, [1, 4096]).columns, chunksOf(chunks) * columns) * cellOf(ask, FONTS[0]);
      });
      const w = Math.ceil(around + Math.max(0, ...strips));
      const wider = { ...least, w };
      if (w <= box.w) return least;
      // Tiles that only a ring fills are empty in all other steps.
      const stage = w < Math.min(width, 1.35 * box.w) ? this.#homeAt(null, { width, least: wider }, room.most) : null;
      if (stage && stage.font >= own.font && asLarge(stage, own, true) && (stage.tiles[0]?.box.w ?? 0) >= w)
        return wider;
    }
    return least;
  }

  #fieldAt(width: number): Field {
    // Rows that are higher may need more width.
    const home = (least: Size) =>
      this.#homeAt(null, { width, least }, this.room.most) && this.#homeAt(null, { width, least }, 0);
    const { trace, room, tiles } = this;
    return localField({ trace, all: this.#local, width, room: room.most, mixed: this.#mixed, home, tiles });
  }

  /** The stage of the first collective's meaning, if it shows every device, in full or in small; local steps stand in its tiles. */
  #homeAt(device: number | null, own: Pick<Ask, "width" | "least">, height: number): Stage | null {
    const { width, least } = own;
    const key = [device, width, least.w, least.h, height].join();
    let home = this.#homes.get(key);
    if (home === undefined) {
      home = this.#newHome(device, own, height);
      this.#homes.set(key, home);
    }
    return home;
  }

  #newHome(device: number | null, own: Pick<Ask, "width" | "least">, height: number): Stage | null {
    const { trace } = this;
    const at = trace.steps.findIndex((step) => trace.communicates(step));
    const step = trace.step(at);
    const ask = step && this.#ask(at, step, device);
    if (!ask) return null;
    if (own.least.w > own.width) return null;
    return this.#stageOf({ ...ask, ...own }, height);
  }

  #stageOf(ask: Ask, height: number): Stage {
    const own = { ...ask, home: null };
    return this.#inHome(ask) ?? acrossStage(own) ?? groupStage(own, height);
  }

  /** A collective in the tiles of the first one; null where it has no room there. */
  #inHome(ask: Ask): Stage | null {
    const { home } = ask;
    if (!home) return null;
    return home.large ? thumbStage(ask, 0, home) : (acrossStage(ask) ?? inHome(ask, home));
  }

  /** What a step shows, and how its numbers are written. */
  shown(at: number): Shown {
    const { trace } = this;
    const step = trace.step(at);
    if (!step) throw new RangeError(`there is no step ${at}`);
    const watch = trace.latest(this.watch, at);
    return once(SHOWN, trace, `${at} ${watch}`, () => {
      const show = contents(trace, step, watch);
      return { show, formats: formatsOf(trace, step, show.watch) };
    });
  }

  /** What a step shows and where everything stands, with the group of a device that is looked at; without rules, what it means. */
  setting(at: number, algorithm: Plan["algorithm"], device: number | null, rules: Rounds | null): Setting {
    const { trace } = this;
    const shown = this.shown(at);
    const step = trace.step(at) as Step;
    const plan = trace.communicates(step) ? trace.plan(step, rules ? algorithm : "meaning") : null;
    const key = `${at} ${plan?.algorithm ?? ""} ${device ?? ""}`;
    let setting = this.#settings.get(key);
    if (!setting) {
      const ask = this.#asked(at, step, device);
      const own = ask ? this.#stageOf(ask, this.height) : this.#localStage(at, device);
      const stage = (ask && plan && plan.algorithm !== "meaning" && rules?.roundsStage({ ...ask, plan }, own)) || own;
      setting = settingOf(trace, step, shown, plan, stage);
      // What is asked for at every step of a long program is not kept forever.
      if (this.#settings.size > 64) this.#settings.clear();
      this.#settings.set(key, setting);
    }
    return setting;
  }

  /** What a collective is about to show in the tiles of the first one, if all steps stand there. */
  #asked(at: number, step: Step, device: number | null): Ask | null {
    const ask = this.#ask(at, step, device);
    const { width } = this;
    if (!ask) return null;
    const home = this.#homeAt(device, { width, least: this.#least }, this.height);
    const first = this.trace.steps.findIndex((s) => this.trace.communicates(s)) === at;
    return home && !first ? { ...ask, home } : ask;
  }

  #localStage(at: number, device: number | null): Stage {
    const { width, height, trace } = this;
    const field = this.#field as Field;
    const focus = focusOf(trace, at, device, field.list?.seats ?? 0);
    const home = field.home ? this.#homeAt(device, { width, least: this.#least }, height) : null;
    return localStage(trace, field, this.shown(at), focus, home, width);
  }

  /** What a collective is about to show; null where its blocks cannot be drawn. */
  #ask(at: number, step: Step, device: number | null): Ask | null {
    const { trace } = this;
    const plan = trace.communicates(step) ? trace.plan(step, "meaning") : null;
    const [input, output] = [trace.variable(step.inputs[0] ?? -1), trace.given(step)];
    const { collective: c } = step;
    if (!c || !plan || !input || !output || !input.drawn || !output.drawn) return null;
    const groups = trace.groups(c);
    const own = device === null ? undefined : groups.find((g) => g.includes(device));
    const group = own ?? groups[0];
    if (!group || group.length < 2) return null;
    return {
      trace,
      step,
      c,
      plan,
      motion: permutes(c) || tells(c) ? "permute" : "gather",
      input,
      output,
      format: this.shown(at).formats.get(input.id) ?? null,
      group,
      receiver: Math.max(0, device === null ? 0 : group.indexOf(device)),
      width: this.width,
      room: this.room.most,
      least: this.#least,
      home: null,
      alone: false,
      mixed: this.#mixed,
    };
  }
}

/** An algorithm in rounds, in the tiles of what the collective means: `rounds.ts`, which is loaded later. */
export interface Rounds {
  roundsStage(ask: Ask, home: Stage): Stage;
}

/** What steps show, whatever the width. */
const SHOWN = new WeakMap<TraceModel, Map<string, Shown>>();

/**
 * The group that is drawn with its addition: all groups beside it where there is room, else in small or in a map, unless
 * copies lost their numbers by that, or blocks more than half of their columns.
 */
function groupStage(ask: Ask, height: number): Stage {
  const stage = downStage(ask, height);
  const all = !stage.bare && stage.tiles.length === ask.trace.mesh.size;
  const small = all ? null : thumbStage(ask, height);
  const columns = ({ face }: Stage) => face?.columns ?? 0;
  // A map shows the others, too.
  const as =
    small &&
    (stage.carried.swatch || !small.carried.swatch) &&
    2 * columns(small) >= columns(stage) + Number(stage.map !== null);
  return small && (stage.bare || as) ? small : stage;
}

function heightOf(ask: Ask): number {
  return Math.max(downHeight(ask), thumbsHeight(ask));
}

/** What the height of a collective's stage depends on. */
function signature({ trace, c, input, output, format }: Ask): string {
  const shape = (v: Variable) => (trace.corner(v)?.shape ?? v.shape).join();
  return [c.kind, c.axes, c.group_size, c.split_axis, c.concat_axis, shape(input), shape(output), format?.width].join(
    " ",
  );
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
  const group = groups.find((g) => g.includes(device ?? -1)) ?? groups[0] ?? everyone;
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

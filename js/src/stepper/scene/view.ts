/** A step at a moment: what stands where, what it holds, and how far what moves has come. */

import { chunkOf, combined, isEmpty, partsAt } from "../../collective/model/chunks";
import type { Held, Played } from "../../collective/model/plan";
import { isDark, type Rgb, type Scheme } from "../../core/color";
import type { Collective, Plan, Step, Variable } from "../../core/document.gen";
import { unpack } from "../../core/ints";
import { product } from "../../core/mesh";
import type { Box, Mark } from "../../draw/marks";
import type { Formats } from "../model/formats";
import { differing } from "../model/origins";
import { gathers, reducesAll, scatters } from "../model/semantics";
import { type Flow, flowAt, type Moment } from "../model/timeline";
import { reduces, type TraceModel } from "../model/trace";
import { type Contents, type Face, partOf, slotsOf } from "./contents";
import type { StepperLayout } from "./layout";
import type { Lane, Stage, Tile } from "./stage";

/** A device of the picture, one of the step's blocks, an element of that. */
export interface Hit {
  /** Mesh position. */
  device: number;
  /** Index among the step's blocks: those before, those after, those watched. */
  slot: number | null;
  /** Number of the element in the corner that travelled. */
  cell: number | null;
}

/** What says where elements came from and how they were made: `explain.ts`, in a bundle of its own. */
export interface Rules {
  /** The cells that the one that is pointed at came from, on every device. */
  sourceMarks(view: StepView): Mark[];
  fromText(view: StepView, v: Variable, device: number, cell: number | null): string;
  worked(view: StepView): string;
}

export interface StepperOptions {
  scheme: Scheme;
  algorithm: Plan["algorithm"];
  /** The device that is looked at. */
  device: number | null;
  /** What is pointed at. */
  lit?: Hit | null;
  /** By which it is said where an element came from; null where they are not loaded. */
  rules?: Rules | null;
  /** Copies are where they leave or where they arrive, and nowhere between. */
  still: boolean;
}

/** A block as it is drawn at a moment. */
export interface Drawn {
  device: number;
  v: Variable;
  box: Box;
  face: Face;
}

export class StepView {
  readonly step: Step;
  readonly show: Contents;
  readonly formats: Formats;
  readonly stage: Stage;
  /** What the step communicates; null for a local one. */
  readonly collective: Collective | null;
  readonly plan: Plan | null;
  readonly flow: Flow;
  readonly finished: boolean;
  /** Mesh positions whose tiles stand in full, and their boxes. */
  readonly seats: ReadonlyMap<number, Box>;
  /** Positions that run the step; null for all. */
  readonly active: ReadonlySet<number> | null;
  readonly slots: readonly Variable[];
  readonly #groupOf = new Map<number, readonly number[]>();
  #drawn: readonly Drawn[] | null = null;
  #played: Played | null = null;
  #opened: readonly StepView[] | null = null;

  constructor(
    readonly trace: TraceModel,
    readonly layout: StepperLayout,
    readonly moment: Moment,
    readonly options: StepperOptions,
  ) {
    const step = trace.step(moment.step);
    if (!step) throw new RangeError(`there is no step ${moment.step}`);
    this.step = step;
    const { show, formats } = layout.shown(moment.step);
    this.show = show;
    this.formats = formats;
    this.slots = slotsOf(show);
    this.stage = layout.stage(moment.step, options.algorithm, options.device);
    this.collective = trace.sends(step);
    this.plan = this.collective ? trace.plan(step, options.algorithm) : null;
    this.flow = flowAt(trace.times(step, options.algorithm), moment.phase, options.still);
    this.finished = this.plan === null || this.flow.finished;
    if (this.collective) {
      for (const group of trace.groups(this.collective)) for (const p of group) this.#groupOf.set(p, group);
    }
    this.seats = new Map(
      this.stage.tiles.flatMap(({ members, box }) => (members.length === 1 ? [[members[0] ?? 0, box] as const] : [])),
    );
    this.active = step.active && new Set(unpack(step.active));
  }

  /** How a partial sum is drawn. */
  get hatch(): "plain" | "dim" {
    return isDark(this.options.scheme) ? "dim" : "plain";
  }

  /** Whether copies go from tile to tile, in rounds. */
  get hops(): boolean {
    return this.stage.motion === "gutters" || this.stage.motion === "lanes";
  }

  /** The operation by which blocks are combined; empty where they are only moved. */
  get combines(): string {
    return this.collective?.semantics.combines ?? "";
  }

  get adds(): boolean {
    return reduces(this.collective);
  }

  /** The algorithm without what is not there: chunks without elements. */
  get played(): Played | null {
    if (!this.plan || this.stage.motion === "gather") return null;
    this.#played ??= this.#existing(this.trace.played(this.plan));
    return this.#played;
  }

  #existing(played: Played): Played {
    if (!this.isEmpty(0)) return played;
    const rounds = played.rounds.map((round) =>
      round.flatMap((t) => {
        const chunks = t.chunks.filter((k) => !this.isEmpty(k));
        return chunks.length > 0 ? [{ ...t, chunks }] : [];
      }),
    );
    return { ...played, rounds };
  }

  /** Whether a chunk has no element. If any has none, the first one has none. */
  isEmpty(chunk: number): boolean {
    const { chunks } = this.stage;
    return chunks > 1 && reducesAll(this.collective) && isEmpty(product(this.input?.shape ?? []), chunks, chunk);
  }

  /** What every rank holds now. */
  get held(): Held | undefined {
    return this.played?.states[this.flow.arrived];
  }

  /** Mesh axis of the collective, which chooses its ink. */
  get axis(): number {
    return this.trace.mesh.axisOf(this.collective?.axes[0] ?? "");
  }

  /** Mesh axis whose link a copy crosses from one position to another: the first, if there are several. */
  inkBetween(from: number, to: number): number {
    const { mesh } = this.trace;
    const axes = (this.collective?.axes ?? []).map((name) => mesh.axisOf(name));
    const along = differing(mesh, from, to);
    return axes.find((axis) => along.includes(axis)) ?? this.axis;
  }

  /** Views of all groups that hold their addition: this one's, and the others where all are open at once. */
  get opened(): readonly StepView[] {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  #open(): readonly StepView[] {
    const { collective: c, stage, trace, layout, moment, options } = this;
    if (!stage.open || !c) return [this];
    const rank = Math.max(0, stage.group.indexOf(this.receiver));
    const of = (device: number | null) => new StepView(trace, layout, moment, { ...options, device });
    return trace.groups(c).map((g) => (g === stage.group ? this : of(g[rank] ?? null)));
  }

  get input(): Variable | null {
    return this.trace.variable(this.step.inputs[0] ?? -1);
  }

  get output(): Variable | null {
    return this.trace.variable(this.step.outputs[0] ?? -1);
  }

  groupOf(position: number): readonly number[] | null {
    return this.#groupOf.get(position) ?? null;
  }

  /** The receiver whose addition is drawn. */
  get receiver(): number {
    return this.stage.lanes[this.stage.receiver]?.members[0] ?? this.stage.group[0] ?? 0;
  }

  /** Lanes in the order in which their terms are added: the receiver's own first. */
  get order(): readonly Lane[] {
    const { lanes, receiver } = this.stage;
    const own = lanes[receiver];
    return own ? [own, ...lanes.filter((lane) => lane !== own)] : lanes;
  }

  /** Mesh positions whose terms are in the result now. */
  get summed(): readonly number[] {
    return this.order.slice(0, this.flow.added).flatMap((lane) => lane.members);
  }

  /** Which chunk an element of a variable belongs to. */
  chunk(v: Variable): (element: number) => number {
    const { collective: c, plan, trace } = this;
    if (!c || !plan) return () => 0;
    const sent = v.id === this.input?.id && v.id !== this.output?.id && !gathers(c);
    const axis = sent ? c.split_axis : c.concat_axis;
    return chunkOf(v.shape, trace.corner(v)?.shape ?? v.shape, axis, plan.n);
  }

  /** A variable's number on a device, as the step writes its numbers. */
  text(v: Variable, device: number, element: number): string {
    const corner = this.trace.corner(v);
    const format = this.formats.get(v.id);
    return corner && format && element >= 0 ? format.text(corner.elements.value(corner.start(device) + element)) : "";
  }

  /** What some members' numbers make together. */
  together(members: readonly number[], element: number): string {
    const input = this.input;
    const corner = input && this.trace.corner(input);
    const format = input && this.formats.get(input.id);
    if (!this.collective || !corner || !format || element < 0 || members.length === 0) return "";
    return format.text(combined(this.collective, corner, members, element, input.dtype));
  }

  /** Mesh positions whose parts a device's chunk holds now. */
  parts(device: number, chunk: number): readonly number[] {
    const group = this.groupOf(device) ?? [];
    return partsAt(this.held, group.indexOf(device), chunk).map((r) => group[r] ?? 0);
  }

  /** The element that is worked out: what is pointed at, else the second one, because the first is too often zero. */
  get element(): number | null {
    const { piece, face, reading, tiles } = this.stage;
    const v = reading ? tiles[0]?.places[0]?.v : this.input;
    const corner = v && this.trace.corner(v);
    const shown = reading ? face : (piece ?? face);
    if (!corner || !shown || !(this.adds || reading)) return null;
    const all = shown.elements.filter((i) => i >= 0);
    const { lit } = this.options;
    if (lit?.cell != null && all.includes(lit.cell) && lit.cell < product(corner.shape)) return lit.cell;
    return all[Math.min(1, all.length - 1)] ?? null;
  }

  /** Blocks that are drawn now, with where they are. */
  get drawn(): readonly Drawn[] {
    this.#drawn ??= [
      ...[...this.stage.tiles, ...this.stage.holds].flatMap((tile) => this.#ofTile(tile)),
      ...this.opened.flatMap((each) => each.#ofAddition()),
    ];
    return this.#drawn;
  }

  #ofTile(tile: Tile): Drawn[] {
    const [device] = tile.members;
    if (device === undefined || tile.members.length > 1) return [];
    const { after, motion, holds } = this.stage;
    const late = holds.includes(tile) || (this.finished && motion !== "permute");
    return tile.places.flatMap(({ v, box, face }): Drawn[] => {
      if (!this.collective || !after) return [{ device, v, box, face }];
      const part = late ? this.scattered(device, box) : null;
      if (part) return [part];
      return late ? [{ device, v: after.v, box, face: after.face }] : [{ device, v, box, face }];
    });
  }

  /** Slots that are filled, and the result under them. */
  #ofAddition(): Drawn[] {
    const { lanes, piece, result, receiver, chunks } = this.stage;
    const { input, output, flow } = this;
    if (this.stage.motion !== "gather" || !piece || !input || !output || gathers(this.collective)) return [];
    const slots = lanes.flatMap(({ members, slot }, i): Drawn[] =>
      members.length === 1 && (i === receiver || flow.arrived > 0)
        ? [{ device: members[0] ?? 0, v: input, box: slot, face: piece }]
        : [],
    );
    const same = chunks <= 1 && input.shape.join() === output.shape.join();
    return result && same ? [...slots, { device: this.receiver, v: output, box: result.box, face: piece }] : slots;
  }

  /** The part of a scattered sum that a device keeps, in the place of its chunk. */
  scattered(device: number, box: Box): Drawn | null {
    const { face, chunks } = this.stage;
    const { input, output, collective: c } = this;
    const rank = this.groupOf(device)?.indexOf(device) ?? -1;
    if (!scatters(c) || chunks <= 1 || !input || !output || !face || rank < 0) return null;
    const part = partOf(face, chunks, [rank]);
    const chunk = this.chunk(input);
    const size = product(this.trace.corner(input)?.shape ?? []);
    const own = Array.from({ length: size }, (_, i) => i).filter((i) => chunk(i) === rank);
    const w = box.w / chunks;
    const elements = part.elements.map((i) => (i < 0 ? -1 : own.indexOf(i)));
    return { device, v: output, box: { ...box, x: box.x + rank * w, w }, face: { ...part, elements } };
  }

  /** Colour of a variable's block on a device. */
  color(v: Variable, position: number, without: readonly string[] = []): Rgb {
    return this.layout.blockColor(v, position, this.options.scheme, without);
  }
}

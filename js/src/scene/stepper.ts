/** A step of a trace on the mesh: every device's blocks before and after, groups, and what is in flight between them. */

import { chunkOf, combined, partsAt, receiveAxis } from "../model/chunks";
import { hex, positionColor, type Rgb, type Scheme } from "../model/color";
import type { Collective, Plan, Step, Variable } from "../model/document.gen";
import { unpack } from "../model/ints";
import { type Held, play, transfers } from "../model/plan";
import { type Moment, roundAt } from "../model/timeline";
import { reduces, type TraceModel } from "../model/trace";
import { blockMarks, faceOf } from "./block";
import { type DeviceGrid, deviceBox, frameGrid, placeGrid, rails } from "./grid";
import { fit, textWidth } from "./measure";
import { axisStroke, axisToken, BOLD, type Box, CENTER, label, type Mark, MONO } from "./scene";

export interface StepperLayout {
  width: number;
  height: number;
  grid: DeviceGrid;
}

export interface StepperOptions {
  scheme: Scheme;
  algorithm: Plan["algorithm"];
  /** Ids of variables that every device shows beside the step's own. */
  watch: readonly number[];
  /** The device that is looked at. */
  device: number | null;
  /** Show arrows and results at once instead of copies on their way. */
  still: boolean;
}

/** Height of a row of a block; blocks of many rows get lower ones. */
const CELL_H = 20;
const LOW = 15;
/** Room for the device's id, and for the names over its blocks. */
const HEAD = 36;
const ARROW = 26;

/** Tiles keep their size and place through all steps: only copies move. */
export function layoutStepper(trace: TraceModel, width: number): StepperLayout {
  const { mesh } = trace;
  const many = mesh.size > 16;
  const along = (axis: number) =>
    trace.steps.some((s) => trace.communicates(s) && s.collective?.axes.some((a) => mesh.axisOf(a) === axis));
  const frame = frameGrid(mesh, width, many ? 40 : 120);
  const wide = frame.columns > 1 && along(1) && !many;
  const gap = many ? 8 : wide ? Math.max(32, Math.min(160, (0.24 * width) / (frame.columns - 1))) : 16;
  const room = frame.room(gap);
  let [w, h] = [0, 0];
  for (const step of trace.steps) {
    const shown = contents(trace, step, []);
    w = Math.max(w, naturalWidth(trace, shown));
    h = Math.max(h, ...[...shown.before, ...shown.after].map((v) => blockHeight(trace, v)));
  }
  const tall = frame.rows > 1 && along(0) && !many;
  const tile = many
    ? { w: Math.min(room, 110), h: 46 }
    : { w: Math.max(56, Math.min(room, w)), h: Math.min(190, Math.max(54, h + HEAD + 12)) };
  const density = mesh.size > 1024 ? "field" : mesh.size > 64 ? "cell" : many ? "compact" : "full";
  const small = density === "cell" || density === "field" ? { w: Math.min(frame.room(2), 24), h: 18 } : tile;
  const grid = placeGrid(
    frame,
    { x: 0, y: 2 },
    {
      ...small,
      gap: density === "cell" ? 2 : gap,
      rowGap: density === "cell" ? 2 : tall ? 44 : many ? 8 : 16,
      density,
    },
  );
  return { width, height: Math.ceil(grid.box.y + grid.box.h + 8), grid };
}

/** Everything at a moment. */
export function stepperMarks(
  trace: TraceModel,
  layout: StepperLayout,
  moment: Moment,
  options: StepperOptions,
): Mark[] {
  const step = trace.step(moment.step);
  const { mesh } = trace;
  const { grid } = layout;
  const marks: Mark[] = rails(mesh, grid);
  if (!step) return marks;
  const show = contents(trace, step, options.watch);
  const scene = new StepScene(trace, layout, step, show, moment, options);
  marks.push(...scene.groupMarks());
  for (let p = 0; p < mesh.size; p++) marks.push(...scene.tileMarks(p));
  marks.push(...scene.flightMarks());
  return marks;
}

interface Contents {
  before: readonly Variable[];
  after: readonly Variable[];
  watch: readonly Variable[];
}

/** The variables that a tile shows at a step. */
function contents(trace: TraceModel, step: Step, watch: readonly number[]): Contents {
  const get = (ids: readonly number[]) => ids.flatMap((id) => trace.variable(id) ?? []);
  const inputs = get([...new Set(step.inputs)]);
  const arrays = inputs.filter((v) => v.shape.length > 0);
  const before = step.primitive === "in_specs" ? [] : (arrays.length > 0 ? arrays : inputs).slice(0, 2);
  const after = get(step.outputs).slice(0, step.primitive === "in_specs" ? 3 : 2);
  const own = new Set([...before, ...after].map((v) => v.id));
  return { before, after, watch: get(watch).filter((v) => !own.has(v.id)) };
}

function face(trace: TraceModel, v: Variable): { rows: number; columns: number } {
  const corner = trace.corner(v);
  return faceOf(corner ? corner.shape : v.shape.map((n) => Math.min(n, 8)));
}

function blockHeight(trace: TraceModel, v: Variable): number {
  const { rows } = face(trace, v);
  return rows * (rows > 4 ? LOW : CELL_H);
}

function cellWidth(v: Variable): number {
  return /^(f|bf|c)/.test(v.type) ? 31 : 24;
}

function naturalWidth(trace: TraceModel, { before, after, watch }: Contents): number {
  const all = [...before, ...after, ...watch];
  const arrow = before.length > 0 && after.length > 0 ? ARROW : 0;
  return all.reduce((w, v) => w + Math.max(34, face(trace, v).columns * cellWidth(v)) + 10, 14) + arrow;
}

class StepScene {
  readonly #collective: Collective | null;
  readonly #plan: Plan | null;
  readonly #states: readonly Held[];
  readonly #round: number;
  readonly #progress: number;
  readonly #groupOf = new Map<number, readonly number[]>();
  readonly #slots: readonly { v: Variable; x: number; w: number; h: number }[];
  readonly #arrowAt: number | null;
  /** Positions that run the step; null for all. */
  readonly #active: ReadonlySet<number> | null;

  constructor(
    private readonly trace: TraceModel,
    private readonly layout: StepperLayout,
    private readonly step: Step,
    private readonly show: Contents,
    moment: Moment,
    private readonly options: StepperOptions,
  ) {
    const moving = trace.communicates(step);
    this.#collective = moving ? step.collective : null;
    this.#plan = moving ? trace.plan(step, options.algorithm) : null;
    this.#states = this.#plan && trace.mesh.size <= 1024 ? play(this.#plan) : [];
    const at = roundAt(this.#plan?.rounds.length ?? 0, moment.phase);
    this.#round = at.round;
    this.#progress = moment.phase >= 1 ? 1 : at.progress;
    if (this.#collective) {
      for (const group of trace.groups(this.#collective)) for (const p of group) this.#groupOf.set(p, group);
    }
    this.#active = step.active && new Set(unpack(step.active));
    const { slots, arrow } = this.#place();
    this.#slots = slots;
    this.#arrowAt = arrow;
  }

  /** Outlines of the groups that take part together. */
  groupMarks(): Mark[] {
    const c = this.#collective;
    const { grid } = this.layout;
    if (!c || grid.density === "cell" || grid.density === "field") return [];
    const axis = this.trace.mesh.axisOf(c.axes[0] ?? "");
    const marks: Mark[] = [];
    for (const group of this.trace.groups(c)) {
      const boxes = group.map((p) => deviceBox(this.trace.mesh, grid, p));
      const pad = Math.min(7, (grid.pitch[1] - grid.h) / 2 - 1);
      const x = Math.min(...boxes.map((b) => b.x)) - pad;
      const y = Math.min(...boxes.map((b) => b.y)) - pad;
      const w = Math.max(...boxes.map((b) => b.x + b.w)) + pad - x;
      const h = Math.max(...boxes.map((b) => b.y + b.h)) + pad - y;
      // A rectangle that held devices of other groups would lie.
      const inside = Array.from({ length: this.trace.mesh.size }, (_, p) => deviceBox(this.trace.mesh, grid, p)).filter(
        (b) => b.x >= x && b.y >= y && b.x + b.w <= x + w && b.y + b.h <= y + h,
      );
      if (inside.length !== group.length) continue;
      marks.push({ kind: "rect", x, y, w, h, r: 11, fill: axisToken(axis), alpha: 0.05 });
      marks.push({ kind: "rect", x, y, w, h, r: 11, stroke: { color: axisToken(axis), width: 1.2, dash: [6, 4] } });
    }
    return marks;
  }

  tileMarks(p: number): Mark[] {
    const { trace, options } = this;
    const { grid } = this.layout;
    const box = deviceBox(trace.mesh, grid, p);
    const id = String(trace.mesh.ids[p] ?? 0);
    const active = this.#active === null || this.#active.has(p);
    const looked = options.device === p;
    if (grid.density === "cell" || grid.density === "field") {
      const v = this.show.after[0] ?? this.show.before[0];
      const fill = v ? this.#color(v, p) : null;
      return [
        {
          kind: "rect",
          ...box,
          r: 2,
          fill: fill ? hex(fill) : "panel",
          stroke: { color: looked ? "ink" : "edge", width: looked ? 2 : 1 },
        },
      ];
    }
    const stroke = { color: looked ? "ink" : "line", width: looked ? 2 : 1 } as const;
    const marks: Mark[] = [{ kind: "rect", ...box, r: 8, fill: "bg", stroke, ...(active ? {} : { alpha: 0.5 }) }];
    marks.push(label(box.x + 10, box.y + 17, id, 12, active ? "ink" : "muted", BOLD));
    const digits = `(${trace.mesh.digits(p).join(",")})`;
    if (trace.mesh.axes.length > 0 && textWidth(id + digits, 12, true) + 26 < box.w) {
      marks.push(label(box.x + 16 + textWidth(id, 12, true), box.y + 17, digits, 11, "muted", MONO));
    }
    if (!active) {
      marks.push(label(box.x + box.w - 8, box.y + 17, "does not run", 10, "muted", { anchor: "end" }));
      return marks;
    }
    this.#slots.forEach((slot, i) => {
      marks.push(...this.#blockMarks(p, i));
      const at = this.#slotBox(p, i);
      if (!at || grid.density !== "full") return;
      const name = fit(slot.v.name, slot.w + 6, 10, true);
      marks.push(label(at.x + at.w / 2, at.y - 4, name, 10, "muted", CENTER));
    });
    if (this.#arrowAt !== null) {
      const y = box.y + HEAD + (box.h - HEAD - 8) / 2;
      const x = box.x + this.#arrowAt;
      const points = [
        [x + 3, y],
        [x + ARROW - 12, y],
      ] as const;
      marks.push({ kind: "line", points, stroke: { color: "muted", width: 1.4 }, arrow: true });
    }
    return marks;
  }

  /** Copies on their way, each along its path, in the colour of its data with the halo of its mesh axis. */
  flightMarks(): Mark[] {
    const c = this.#collective;
    const plan = this.#plan;
    const { grid } = this.layout;
    if (!c || !plan || grid.density === "cell" || grid.density === "field") return [];
    if (this.#progress >= 1 && this.#round >= plan.rounds.length - 1) return [];
    const groups = this.trace.groups(c);
    const focus = this.options.device === null ? groups[0] : this.#groupOf.get(this.options.device);
    const animated = this.trace.mesh.size <= 32 ? groups : focus ? [focus] : [];
    const axis = this.trace.mesh.axisOf(c.axes[0] ?? "");
    const marks: Mark[] = [];
    const flights = transfers(plan, this.#round);
    const crowded = flights.length * animated.length > 160;
    for (const group of animated) {
      for (const t of flights) {
        const [source, destination] = [group[t.source], group[t.destination]];
        if (source === undefined || destination === undefined || source === destination) continue;
        if (
          crowded &&
          this.options.device !== null &&
          source !== this.options.device &&
          destination !== this.options.device
        )
          continue;
        const from = this.#chunkBox(source, t.chunks, true, t.destination);
        const to = this.#chunkBox(destination, t.chunks, false, plan.kind === "all_to_all" ? t.origin : t.source);
        if (!from || !to) continue;
        const meets = flights.some((o) => o.source === t.destination && o.destination === t.source);
        const path = this.#path(source, destination, from, to, axis, meets);
        const stroke = axisStroke(axis, 1.1);
        if (this.options.still) {
          marks.push({ kind: "line", points: path, r: 8, stroke: axisStroke(axis, 1.6), arrow: true });
          marks.push({ kind: "rect", ...from, r: 3, stroke: axisStroke(axis, 2.2) });
          continue;
        }
        const seen = crowded ? [] : this.#between(path, source, destination);
        if (seen.length > 1) marks.push({ kind: "line", points: seen, r: 8, stroke, arrow: true });
        const t01 = easeInOut(this.#progress);
        const at = along(path, t01);
        const [w, h] = [from.w + (to.w - from.w) * t01, from.h + (to.h - from.h) * t01];
        const b = { x: at[0] - w / 2, y: at[1] - h / 2, w, h };
        marks.push({
          kind: "rect",
          x: b.x - 4,
          y: b.y - 4,
          w: b.w + 8,
          h: b.h + 8,
          r: 7,
          fill: axisToken(axis),
          alpha: 0.16,
        });
        marks.push(...this.#pieceMarks(b, source, group, t.chunks));
        marks.push({ kind: "rect", x: b.x - 1, y: b.y - 1, w: b.w + 2, h: b.h + 2, r: 4, stroke: axisStroke(axis, 2) });
      }
    }
    return marks;
  }

  /** Where the blocks of a tile stand, from the tile's left edge. */
  #place() {
    const { grid } = this.layout;
    const { before, after, watch } = this.show;
    const compact = grid.density !== "full";
    const all = compact ? (after.length > 0 ? after : before).slice(0, 1) : [...before, ...after, ...watch];
    const arrow = !compact && before.length > 0 && after.length > 0;
    const natural = all.map((v) => Math.max(30, face(this.trace, v).columns * cellWidth(v)));
    const total = natural.reduce((a, b) => a + b, 0);
    const room = grid.w - 16 - 8 * (all.length - 1) - (arrow ? ARROW : 0) - (compact ? 18 : 0);
    const scale = Math.min(1, room / Math.max(1, total));
    const used = total * scale + 8 * (all.length - 1) + (arrow ? ARROW : 0);
    let x = compact ? 26 : 8 + Math.max(0, (grid.w - 16 - used) / 2);
    let arrowAt: number | null = null;
    const most = grid.h - (compact ? 14 : HEAD + 10);
    const slots = all.map((v, i) => {
      if (arrow && i === before.length) {
        arrowAt = x;
        x += ARROW - 8;
      }
      const w = (natural[i] ?? 30) * scale;
      const slot = { v, x, w, h: Math.min(most, blockHeight(this.trace, v)) };
      x += w + 8;
      return slot;
    });
    return { slots, arrow: arrowAt };
  }

  #slotBox(p: number, index: number): Box | null {
    const slot = this.#slots[index];
    if (!slot) return null;
    const { grid } = this.layout;
    const device = deviceBox(this.trace.mesh, grid, p);
    const top = grid.density === "full" ? HEAD : 7;
    const y = device.y + top + (grid.h - top - 8 - slot.h) / 2;
    return { x: device.x + slot.x, y, w: slot.w, h: slot.h };
  }

  /** Index of the slot in which an algorithm works: the received block, but the sent one for a reduce-scatter. */
  get #work(): number {
    const last = this.#slots.length - this.show.watch.length - 1;
    return this.#collective?.kind === "reduce_scatter" ? 0 : Math.max(0, last);
  }

  #blockMarks(p: number, index: number): Mark[] {
    const box = this.#slotBox(p, index);
    const slot = this.#slots[index];
    if (!box || !slot) return [];
    const { v } = slot;
    const { trace } = this;
    const c = this.#collective;
    const corner = trace.corner(v);
    const { rows, columns } = face(trace, v);
    const numbers = corner && this.layout.grid.density === "full";
    const plain = numbers
      ? (r: number, col: number) => corner.elements.text(corner.start(p) + r * columns + col)
      : null;
    const isInput = index < this.show.before.length && this.#slots.length > 1;
    const summed = isInput && reduces(c) ? (c?.axes ?? []) : [];
    const hatch = summed.length > 0 || v.unreduced.length > 0;
    const fill = this.#color(v, p, summed);
    if (!c || index !== this.#work || isInput !== (c.kind === "reduce_scatter")) {
      const waiting = !isInput && c === null ? false : !isInput && c !== null && this.#progress < 1;
      return waiting && c?.kind === "reduce_scatter"
        ? blockMarks(box, { rows, columns, text: null, fill: null, stroke: { color: "faint", width: 1, dash: [3, 3] } })
        : blockMarks(box, { rows, columns, text: plain, fill, hatch });
    }
    return this.#workMarks(p, box, v, { rows, columns }, plain);
  }

  /** The block that an algorithm works on, chunk by chunk. */
  #workMarks(
    p: number,
    box: Box,
    v: Variable,
    size: { rows: number; columns: number },
    final: ((r: number, c: number) => string) | null,
  ): Mark[] {
    const c = this.#collective;
    const plan = this.#plan;
    const input = this.show.before[0];
    const group = this.#groupOf.get(p);
    if (!c || !plan || !input || !group) return blockMarks(box, { ...size, text: final, fill: this.#color(v, p) });
    const rank = group.indexOf(p);
    const arrived = this.#progress >= 1 ? this.#round + 1 : this.#round;
    const held = this.#states[arrived];
    const corner = this.trace.corner(v)?.shape ?? v.shape;
    const chunk = chunkOf(v.shape, corner, receiveAxis(this.step, c), plan.n);
    const adds = reduces(c);
    const texts = new Map<string, ((cell: number) => string) | null>();
    const partsOf = (r: number, col: number) => partsAt(held, rank, chunk(r, col));
    const done = (parts: readonly number[]) => (adds ? parts.length === group.length : parts.length > 0);
    const text = final
      ? (r: number, col: number) => {
          const parts = partsOf(r, col);
          if (parts.length === 0) return "";
          if (done(parts) && c.kind !== "reduce_scatter") return final(r, col);
          const key = parts.join();
          if (!texts.has(key)) texts.set(key, combined(this.trace, c, input, group, parts));
          return texts.get(key)?.(r * size.columns + col) ?? "";
        }
      : null;
    const finished = arrived >= plan.rounds.length;
    const fillAt = (r: number, col: number): Rgb | null => {
      const parts = partsOf(r, col);
      const from = parts[0];
      if (from === undefined) return null;
      return adds ? this.#color(v, p, c.axes) : this.#color(input, group[from] ?? p);
    };
    const empty = !adds && !finished;
    return blockMarks(box, {
      ...size,
      text,
      fill: adds ? this.#color(v, p, c.axes) : null,
      ...(adds ? {} : { fillAt }),
      hatch: adds && !finished,
      ...(empty ? { stroke: { color: "faint", width: 1, dash: [3, 3] } } : {}),
    });
  }

  /** The cells of some chunks in the block that a rank sends from or receives into. */
  #chunkBox(p: number, chunks: readonly number[], sends: boolean, other: number): Box | null {
    const c = this.#collective;
    const plan = this.#plan;
    if (!c || !plan) return null;
    const apart = c.kind === "ppermute" || c.kind === "pbroadcast" || c.kind === "all_to_all";
    const index = apart && sends ? 0 : this.#work;
    const box = this.#slotBox(p, index);
    const v = this.#slots[index]?.v;
    if (!box || !v || (apart && c.kind !== "all_to_all")) return box;
    const { rows, columns } = face(this.trace, v);
    const axis = c.kind === "all_to_all" && !sends ? receiveAxis(this.step, c) : c.chunk_axis;
    const chunk = chunkOf(v.shape, this.trace.corner(v)?.shape ?? v.shape, axis, plan.n);
    const wanted = new Set(c.kind === "all_to_all" && !sends ? [other] : chunks);
    let [r0, r1, c0, c1] = [rows, -1, columns, -1];
    for (let r = 0; r < rows; r++) {
      for (let col = 0; col < columns; col++) {
        if (!wanted.has(chunk(r, col))) continue;
        r0 = Math.min(r0, r);
        r1 = Math.max(r1, r);
        c0 = Math.min(c0, col);
        c1 = Math.max(c1, col);
      }
    }
    if (r1 < 0) return null;
    const [w, h] = [box.w / columns, box.h / rows];
    return { x: box.x + c0 * w, y: box.y + r0 * h, w: (c1 - c0 + 1) * w, h: (r1 - r0 + 1) * h };
  }

  /** A copy in flight: the colour of what it holds. */
  #pieceMarks(b: Box, source: number, group: readonly number[], chunks: readonly number[]): Mark[] {
    const c = this.#collective;
    const input = this.show.before[0];
    if (!c || !input) return [];
    const adds = reduces(c);
    const rank = group.indexOf(source);
    const held = partsAt(this.#states[this.#round], rank, chunks[0] ?? 0);
    const origin = adds || held[0] === undefined ? source : (group[held[0]] ?? source);
    const fill = this.#color(input, origin, adds ? c.axes : []);
    const look = this.#pieceText(b, source, group, chunks, held);
    return blockMarks(b, { rows: 1, columns: 1, text: null, fill, hatch: adds, ...look });
  }

  /** The numbers of a copy, where they are few enough to read in flight. */
  #pieceText(b: Box, source: number, group: readonly number[], chunks: readonly number[], held: readonly number[]) {
    const c = this.#collective;
    const plan = this.#plan;
    const input = this.show.before[0];
    const v = this.#slots[this.#work]?.v;
    if (!c || !plan || !input || !v || b.h < 13) return {};
    const corner = this.trace.corner(input);
    if (!corner || this.layout.grid.density !== "full") return {};
    if (reduces(c)) {
      const { rows, columns } = face(this.trace, v);
      const chunk = chunkOf(v.shape, this.trace.corner(v)?.shape ?? v.shape, c.chunk_axis, plan.n);
      const wanted = new Set(chunks);
      const picked: number[] = [];
      for (let i = 0; i < rows * columns; i++)
        if (wanted.has(chunk(Math.floor(i / columns), i % columns))) picked.push(i);
      const across = Math.max(1, Math.round(b.w / cellWidth(v)));
      const text = combined(this.trace, c, input, group, held.length > 0 ? held : [group.indexOf(source)]);
      const shape = picked.length % across === 0 ? across : picked.length;
      return {
        rows: picked.length / shape,
        columns: shape,
        text: (r: number, col: number) => (text?.(picked[r * shape + col] ?? 0) ?? "").replace(/\+$/, ""),
      };
    }
    if (c.kind === "all_to_all") return {};
    const origin = held[0] === undefined ? source : (group[held[0]] ?? source);
    const { rows, columns } = face(this.trace, input);
    return {
      rows,
      columns,
      text: (r: number, col: number) => corner.elements.text(corner.start(origin) + r * columns + col),
    };
  }

  /** Straight between neighbours, in two lanes where copies meet; around the tiles between where ranks are far apart. */
  #path(
    source: number,
    destination: number,
    from: Box,
    to: Box,
    axis: number,
    meets: boolean,
  ): (readonly [number, number])[] {
    const { mesh } = this.trace;
    const center = (b: Box) => [b.x + b.w / 2, b.y + b.h / 2] as const;
    const [a, b] = [center(from), center(to)];
    const [da, db] = [mesh.digits(source)[axis] ?? 0, mesh.digits(destination)[axis] ?? 0];
    const { grid } = this.layout;
    if (Math.abs(da - db) <= 1 || axis > 1 || grid.wrapped) {
      if (!meets) return [a, b];
      const side = source < destination ? -1 : 1;
      const level = Math.abs(b[0] - a[0]) > Math.abs(b[1] - a[1]);
      const off = side * ((level ? from.h : from.w) / 2 + 6);
      const at = (t: number): readonly [number, number] => {
        const [x, y] = [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
        return level ? [x, y + off] : [x + off, y];
      };
      return [a, at(0.3), at(0.7), b];
    }
    const [sa, sb] = [deviceBox(mesh, grid, source), deviceBox(mesh, grid, destination)];
    if (axis === 0) {
      const lane = Math.max(sa.x + sa.w, sb.x + sb.w) + Math.min(18, (grid.pitch[0] - grid.w) / 2);
      return [a, [lane, a[1]], [lane, b[1]], b];
    }
    const lane = Math.max(sa.y + sa.h, sb.y + sb.h) + Math.min(12, (grid.pitch[1] - grid.h) / 2);
    return [a, [a[0], lane], [b[0], lane], b];
  }

  /** The part of a path outside the two devices: inside them a line would cross the numbers. */
  #between(path: readonly (readonly [number, number])[], source: number, destination: number) {
    const { grid } = this.layout;
    const outside = (b: Box, [x, y]: readonly [number, number]) =>
      x < b.x - 3 || x > b.x + b.w + 3 || y < b.y - 3 || y > b.y + b.h + 3;
    const [a, b] = [deviceBox(this.trace.mesh, grid, source), deviceBox(this.trace.mesh, grid, destination)];
    const steps = 48;
    const points = Array.from({ length: steps + 1 }, (_, i) => along(path, i / steps));
    return points.filter((p) => outside(a, p) && outside(b, p));
  }

  #color(v: Variable, p: number, without: readonly string[] = []): Rgb {
    const { mesh } = this.trace;
    const axes = this.trace.colorAxes(v, without);
    const digits = mesh.digits(p);
    const [a, b] = axes;
    const n = a === undefined ? 1 : (mesh.meshShape[a] ?? 1);
    const m = b === undefined ? 1 : (mesh.meshShape[b] ?? 1);
    const i = a === undefined ? 0 : (digits[a] ?? 0);
    const j = b === undefined ? 0 : (digits[b] ?? 0);
    return positionColor(i, n, j, m, this.options.scheme);
  }
}

/** The point a fraction of the way along a path. */
function along(path: readonly (readonly [number, number])[], t: number): readonly [number, number] {
  const lengths = path.slice(1).map((b, i) => Math.hypot(b[0] - (path[i]?.[0] ?? 0), b[1] - (path[i]?.[1] ?? 0)));
  let left = t * lengths.reduce((a, b) => a + b, 0);
  for (let i = 0; i < lengths.length; i++) {
    const [a, b, length] = [path[i], path[i + 1], lengths[i] ?? 0];
    if (!a || !b) break;
    if (left <= length || i === lengths.length - 1) {
      const f = length > 0 ? Math.min(1, left / length) : 1;
      return [a[0] + (b[0] - a[0]) * f, a[1] + (b[1] - a[1]) * f];
    }
    left -= length;
  }
  return path.at(-1) ?? [0, 0];
}

function easeInOut(t: number): number {
  return t < 0.5 ? 4 * t ** 3 : 1 - (-2 * t + 2) ** 3 / 2;
}

/**
 * Who sends what to whom: of one or two arrays the devices before and after, and a ribbon for each piece between them.
 *
 *      before               after
 *   stage=0              0
 *   ┌ 0 ▘ ─────────╮     ┌ 0
 *   └ 1 ▖ ───────╮ │     └ 1
 *   1            │ │     1
 *   ┌ 2 ▝        │ ╰───▶ ┌ 2 ▀    core: the block's colour; outline: the axis along which it moves
 *   └ 3 ▗ ─ ─ ─  ╰─────▶ └ 3 ▄    no outline: it stays; struck out: freed
 */
import { hex, type Rgb, type Scheme, tileColors } from "../../core/color";
import { bytes } from "../../core/format";
import type { PlacementModel } from "../../core/placement";
import { axisTokens } from "../../core/text";
import { axisStroke, axisToken, BOLD, type Box, EMPTY, label, type Mark, spans, strike } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import { type Moves, type Region, regionOf } from "../model/moves";
import type { PlanModel } from "../model/reshard";
import { typeOf } from "../model/words";
import { ribbons } from "./ribbons";

export interface FlowBoard {
  readonly model: PlanModel;
  readonly width: number;
  readonly height: number;
  /** Height of the panels alone. */
  readonly tall: number;
  readonly panels: readonly FlowPanel[];
}

export interface FlowPanel {
  readonly moves: Moves;
  readonly box: Box;
  /** Of each device before and after: where it is drawn. */
  readonly before: readonly Box[];
  readonly after: readonly Box[];
  /** Frames of groups, by index on the plan's axis; one where there are none. */
  readonly frames: readonly { readonly group: number; readonly before: Box; readonly after: Box }[];
}

/** Height of the lines above the devices: name and type, the specs, `before` and `after`. */
const HEAD = 60;
/** Between groups: their names. */
const BETWEEN = 19;
/** Room of a column with the names of its groups: more where fewer chunks stand below, see `chunks.ts`. */
const ROOM = 262;
const MORE = 28;
const TALLEST = 27;
/** From more devices on. */
export const MANY = 8;
/** Two arrays stand side by side from this width on. */
const PAIR = 700;
const APART = 28;

/** How many arrays are drawn side by side. */
export function arraysAcross(width: number): number {
  return width >= PAIR ? 2 : 1;
}

export function flowBoard(model: PlanModel, all: readonly Moves[], width: number): FlowBoard {
  const across = Math.max(1, Math.min(arraysAcross(width), all.length));
  const w = (width - APART * (across - 1)) / across;
  const panels = all.slice(0, across).map((moves, i) => panelOf(model, moves, { x: i * (w + APART), y: 0, w, h: 0 }));
  const tall = heightOf(model, all);
  return { model, width, height: tall, tall, panels };
}

/** The same for every array of a plan. */
function heightOf(model: PlanModel, [moves]: readonly Moves[]): number {
  const devices = Math.max(model.size, moves?.after.size ?? 0);
  return HEAD + devices * pitchOf(model, devices) + model.groups * BETWEEN + 4;
}

function pitchOf({ groups }: PlanModel, devices: number): number {
  const room = ROOM + (devices > MANY ? MORE : 0) - BETWEEN * groups;
  return Math.max(10, Math.min(TALLEST, Math.floor(room / devices)));
}

function panelOf(model: PlanModel, moves: Moves, box: Box): FlowPanel {
  const pitch = pitchOf(model, Math.max(moves.before.size, moves.after.size));
  const left = bracketed(model, box.w) ? Math.min(84, 16 + nameWidth(model)) : 0;
  const tile = Math.min(126, (box.w - left) * 0.32);
  const columns = [box.x + left, box.x + box.w - tile] as const;
  const groupOf = (of: PlacementModel, p: number) => (model.axis < 0 ? 0 : (of.digits(p)[model.axis] ?? 0));
  const column = (of: PlacementModel, x: number): Box[] => {
    const place: Box[] = [];
    let y = HEAD;
    for (let g = 0; g < model.groups; g++) {
      y += BETWEEN;
      for (let p = 0; p < of.size; p++) {
        if (groupOf(of, p) !== g) continue;
        place[p] = { x: x + 4, y, w: tile - 8, h: pitch - 3 };
        y += pitch;
      }
    }
    return place;
  };
  const before = column(moves.before, columns[0]);
  const after = column(moves.after, columns[1]);
  const frame = (of: PlacementModel, boxes: readonly Box[], g: number): Box => {
    const own = boxes.filter((_, p) => groupOf(of, p) === g);
    const [first, last] = [own[0] ?? box, own.at(-1) ?? box];
    return { x: first.x - 4, y: first.y - 4, w: tile, h: last.y + last.h + 8 - first.y };
  };
  const frames = Array.from({ length: model.groups }, (_, group) => ({
    group,
    before: frame(moves.before, before, group),
    after: frame(moves.after, after, group),
  }));
  return { moves, box, before, after, frames };
}

export function flowMarks(board: FlowBoard, scheme: Scheme, at: number | null, phase: number | null): Mark[] {
  return board.panels.flatMap((panel, i) => [
    ...(i > 0 ? [between(panel.box.x - APART / 2, board.tall)] : []),
    ...headMarks(board.model, panel),
    ...framesMarks(board.model, panel),
    ...bracketMarks(board.model, panel),
    ...ribbons(panel, colorsOf(panel.moves, scheme), at, phase),
    ...deviceMarks(panel, scheme, at),
  ]);
}

function between(x: number, height: number): Mark {
  return { kind: "rect", x, y: 0, w: 1, h: height, fill: "line" };
}

// ── Words ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function headMarks(model: PlanModel, { moves: { array }, box, before, after }: FlowPanel): Mark[] {
  const name = fit(array.path, box.w * 0.4, 13, true);
  const type = fit(typeOf(array), box.w * 0.5, 13, true);
  const gap = textWidth(`${name} `, 13, true) + 2;
  const said = whereText(model, array.groups, array.source_bytes, array.target_bytes);
  const at = box.x + gap + textWidth(type, 13, true) + 10;
  const marks: Mark[] = [
    label(box.x, 13, name, 13, "ink", BOLD),
    label(box.x + gap, 13, type, 13, "ink", { mono: true }),
    label(at, 13, fit(said, box.x + box.w - at, 12), 12, "muted"),
  ];
  const specs = `${array.source} → ${array.target}`;
  marks.push(label(box.x, 33, fitted(specs, box.w, model), 12, "ink", { mono: true }));
  const middle = (b: Box | undefined) => (b ? b.x + b.w / 2 : box.x);
  marks.push(
    label(middle(before[0]), HEAD - 7, "before", 11.5, "muted", { anchor: "middle" }),
    label(middle(after[0]), HEAD - 7, "after", 11.5, "muted", { anchor: "middle" }),
  );
  return marks;
}

function fitted(text: string, width: number, model: PlanModel) {
  return spans(axisTokens(fit(text, width, 12, true), model));
}

/** `goes to stage=1`, `comes from stage=0`; of a `device_put` the bytes of a shard. */
function whereText({ doc }: PlanModel, groups: readonly number[], source: number, target: number): string {
  if (doc.direction === "device_put") return `${bytes(source)} on a device, then ${bytes(target)}`;
  if (doc.direction === "mpmd_to_spmd") return `comes from ${doc.axis}=${groups[0] ?? 0}`;
  return `goes to ${doc.axis}=${groups.length > 3 ? `${groups.slice(0, 3).join(", ")}, …` : groups.join(", ")}`;
}

// ── Groups and devices ───────────────────────────────────────────────────────────────────────────────────────────────

function framesMarks(model: PlanModel, { moves, frames }: FlowPanel): Mark[] {
  const { array, has, keeps } = moves;
  return frames.flatMap(({ group, before, after }) => {
    const holds = model.axis < 0 || model.doc.direction === "spmd_to_mpmd" || array.groups.includes(group);
    const gets = model.axis < 0 || model.doc.direction === "mpmd_to_spmd" || array.groups.includes(group);
    const named = model.axis >= 0;
    const ink = named ? axisToken(model.axis) : "muted";
    const each = (n: number, w: number) => {
      const text = `${bytes(n)} each`;
      return textWidth(text, 11) <= w - 8 ? text : fit(bytes(n), w - 8, 11);
    };
    const end = (text: string, b: Box) => label(b.x + b.w, b.y - 5, text, 11, "muted", { anchor: "end" });
    const name = (text: string, b: Box) => {
      const short = fit(text, b.w * 0.55, 11.5, true);
      return named ? [label(b.x, b.y - 5, short, 11.5, ink, BOLD)] : [];
    };
    const room = (b: Box, text: string) => (named ? b.w - textWidth(text, 11.5, true) : b.w);
    const first = group === 0 ? `${model.doc.axis}=0` : `${group}`;
    return [
      { kind: "rect", ...before, r: 7, stroke: { color: "line", width: 1 } },
      { kind: "rect", ...after, r: 7, stroke: gets ? { color: ink, width: 1.8 } : { color: "line", width: 1 } },
      ...name(first, before),
      ...name(`${group}`, after),
      end(has.some(Boolean) && holds ? each(array.source_bytes, room(before, first)) : "", before),
      end(gets && keeps.some(Boolean) ? each(array.target_bytes, room(after, `${group}`)) : "freed", after),
    ] satisfies Mark[];
  });
}

/** Whether devices have brackets of another axis at their left. */
function bracketed(model: PlanModel, width: number): boolean {
  return bracketAxis(model) >= 0 && width >= 360;
}

/** The slowest axis beside the plan's own that has several devices at each of its indices. */
function bracketAxis({ axes, axis }: PlanModel): number {
  const rest = axes.map((_, i) => i).filter((i) => i !== axis && (axes[i]?.size ?? 1) > 1);
  return rest.length > 1 || axis < 0 ? (rest[0] ?? -1) : -1;
}

function nameWidth(model: PlanModel): number {
  return textWidth(`${model.axes[bracketAxis(model)]?.name ?? ""}=0`, 11, true);
}

function bracketMarks(model: PlanModel, { moves, before, box }: FlowPanel): Mark[] {
  const axis = bracketAxis(model);
  if (!bracketed(model, box.w)) return [];
  const marks: Mark[] = [];
  const digit = (p: number) => moves.before.digits(p)[axis] ?? 0;
  const order = before.map((_, p) => p).sort((a, b) => (before[a]?.y ?? 0) - (before[b]?.y ?? 0));
  for (let i = 0; i < order.length; ) {
    let end = i;
    const near = (k: number) => (before[order[k] ?? 0]?.y ?? 0) - (before[order[k - 1] ?? 0]?.y ?? 0) < TALLEST + 2;
    while (end + 1 < order.length && digit(order[end + 1] ?? 0) === digit(order[i] ?? 0) && near(end + 1)) end++;
    const [top, bottom] = [before[order[i] ?? 0], before[order[end] ?? 0]];
    if (top && bottom) {
      const x = top.x - 10;
      const index = digit(order[i] ?? 0);
      const text = i === 0 ? `${model.axes[axis]?.name}=${index}` : `${index}`;
      const points = [
        [x + 4, top.y + 1],
        [x, top.y + 1],
        [x, bottom.y + bottom.h - 1],
        [x + 4, bottom.y + bottom.h - 1],
      ] as const;
      const y = (top.y + bottom.y + bottom.h) / 2 + 4;
      const room = x - 5 - box.x;
      marks.push({ kind: "line", points, stroke: axisStroke(axis, 1.6) });
      marks.push(label(x - 5, y, fit(text, room, 11, true), 11, axisToken(axis), { ...BOLD, anchor: "end" }));
    }
    i = end + 1;
  }
  return marks;
}

function deviceMarks(panel: FlowPanel, scheme: Scheme, at: number | null): Mark[] {
  const { moves } = panel;
  const colors = colorsOf(moves, scheme);
  const side = (of: PlacementModel, boxes: readonly Box[], holds: readonly boolean[], after: boolean) =>
    boxes.flatMap((box, p): Mark[] => {
      const ghost = ghostOf(box);
      const chosen = at !== null && of.ids[p] === at;
      const shown = !holds[p]
        ? []
        : after
          ? moves.pieces.filter((piece) => piece.target === p).map(({ region }) => region)
          : [regionOf(of, of.tileAt[p] ?? 0)].flatMap((region) => split(moves, region));
      return [
        {
          kind: "rect",
          ...box,
          r: 5,
          fill: "panel",
          stroke: { color: chosen ? "ink" : "line", width: chosen ? 2 : 1 },
        },
        label(box.x + 7, box.y + box.h / 2 + 4.5, String(of.ids[p]), box.h > 15 ? 12.5 : 10, "ink", BOLD),
        { kind: "rect", ...ghost, fill: "bg", stroke: holds[p] || after ? { color: "faint", width: 1 } : EMPTY },
        ...shown.map((region): Mark => {
          const block = inGhost(ghost, moves.array.shape, region);
          return { kind: "rect", ...block, fill: hex(colors(region)), stroke: { color: "kedge", width: 0.75 } };
        }),
        ...(after && !holds[p] ? [strike(ghost)] : []),
      ];
    });
  return [...side(moves.before, panel.before, moves.has, false), ...side(moves.after, panel.after, moves.keeps, true)];
}

/** Where the whole array is drawn in a device. */
function ghostOf({ x, y, w, h }: Box): Box {
  const wide = Math.min(46, w - 34);
  return { x: x + w - wide - 6, y: y + 3, w: wide, h: h - 6 };
}

/** A block in it: the first dimension down and the last one across, or one across alone. */
function inGhost(ghost: Box, shape: readonly number[], region: Region): Box {
  const [down, across] = shape.length > 1 ? [0, shape.length - 1] : [-1, 0];
  const part = (dim: number, from: number, length: number) => {
    const size = shape[dim] ?? 0;
    const [a, b] = region[dim] ?? [0, size];
    return dim < 0 || size === 0 ? [from, length] : [from + (length * a) / size, (length * (b - a)) / size];
  };
  const [x = 0, w = 0] = part(across, ghost.x, ghost.w);
  const [y = 0, h = 0] = part(down, ghost.y, ghost.h);
  return { x, y, w, h };
}

// ── Colours ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The layout that cuts the array most finely: a piece has the colour of its part there. */
function finest({ before, after }: Moves): PlacementModel {
  return after.tiles > before.tiles ? after : before;
}

function colorsOf(moves: Moves, scheme: Scheme): (region: Region) => Rgb {
  const fine = finest(moves);
  const color = tileColors(fine, scheme);
  return (region) => {
    const parts = region.map(([from], d) => {
      const count = fine.grid[d] ?? 1;
      return Math.max(
        0,
        Array.from({ length: count }, (_, k) => fine.bounds(d, k)[0]).findLastIndex((a) => a <= from),
      );
    });
    return color(fine.tileIndex(parts));
  };
}

/** A block before, in the pieces that have colours of their own. */
function split(moves: Moves, region: Region): Region[] {
  const fine = finest(moves);
  if (fine !== moves.after) return [region];
  return Array.from({ length: fine.tiles }, (_, tile) => regionOf(fine, tile)).filter((part) =>
    part.every(([a, b], d) => a >= (region[d]?.[0] ?? 0) && b <= (region[d]?.[1] ?? 0)),
  );
}

/** The device under a point, by id. */
export function deviceAt({ panels }: FlowBoard, x: number, y: number): number | null {
  for (const { moves, before, after } of panels) {
    for (const [of, boxes] of [
      [moves.before, before],
      [moves.after, after],
    ] as const) {
      const p = boxes.findIndex((b) => x >= b.x && x < b.x + b.w && y >= b.y - 2 && y < b.y + b.h + 2);
      if (p >= 0) return of.ids[p] ?? null;
    }
  }
  return null;
}

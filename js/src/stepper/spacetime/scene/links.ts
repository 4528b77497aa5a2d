/** Blocks on their way to a row, as ribbons: the core has the colour of the data, the outline the inks of the mesh axes. */
import { hex } from "../../../core/color";
import type { Collective, Variable } from "../../../core/document.gen";
import { axisToken, BOLD, CENTER, type Color, label, type Mark } from "../../../draw/marks";
import { differing, originsOf } from "../../model/origins";
import { permutes } from "../../model/semantics";
import type { TraceModel } from "../../model/trace";
import { combinesMarks } from "../../scene/sign";
import { linksOf, type SpaceRow } from "../model/spacetime";
import { type ColorOf, colorAt } from "./tiles";

export interface Between {
  /** Lower edge of the row above, upper edge of the row. */
  y0: number;
  y1: number;
  middle: (p: number) => number;
  color: ColorOf;
  space: { left: number; pitch: number };
  /** The device whose block is followed. */
  device: number | null;
  /** How blocks come to `y0` that set out in an earlier row: down between the columns. */
  trunk?: Trunk | null;
}

/** A way between columns past other rows. */
export interface Trunk {
  points: (p: number) => readonly Point[];
  /** Where it ends. */
  x: (p: number) => number;
  /** Most width of what runs in it, its outline included. */
  width: number;
}

type Point = readonly [x: number, y: number];

interface Ribbon {
  points: readonly Point[];
  core: `#${string}`;
  inks: readonly Color[];
  width: number;
  /** Width of the outline on both sides together. */
  edge: number;
  dash: readonly number[];
  /** When the block leaves and arrives, of the time of the whole: 0 to 1. */
  leaves: number;
  arrives: number;
  /** Mesh position whose block it is; null where it is none's. */
  block: number | null;
}

/** Where a group combines its blocks. */
interface Knot {
  x: number;
  y: number;
  inks: readonly Color[];
  /** The operation: `sum`, `max`, `min`. */
  combines: string;
}

export interface Links {
  ribbons: readonly Ribbon[];
  knots: readonly Knot[];
  /** Whether a piece with the number of its device rides on each ribbon: none ever hides another. */
  ridden: boolean;
}

/** The ribbons of all collectives of a row; those that send blocks the same way are drawn once. */
export function rowLinks(trace: TraceModel, row: SpaceRow, between: Between): Links {
  const drawn = new Set<string>();
  const ribbons: Ribbon[] = [];
  const knots: Knot[] = [];
  let permuted = true;
  for (const i of row.steps) {
    const step = trace.step(i);
    const [sent, made] = [trace.variable(step?.inputs[0] ?? -1), trace.variable(step?.outputs[0] ?? -1)];
    const c = step?.collective;
    if (!c || !sent || !made) continue;
    const way = `${c.plans.join()} ${sent.origin ? trace.origins(sent.origin).join() : ""}`;
    if (drawn.has(way)) continue;
    drawn.add(way);
    permuted &&= permutes(c);
    const links = collectiveLinks(trace, c, sent, made, between);
    ribbons.push(...links.ribbons);
    knots.push(...links.knots);
  }
  const ridden = permuted && trace.mesh.size <= MOST_RIDERS && apart(ribbons);
  return { ribbons, knots, ridden };
}

function collectiveLinks(trace: TraceModel, c: Collective, sent: Variable, made: Variable, between: Between) {
  const { y0, y1, middle, color, space, device, trunk = null } = between;
  const leave = trunk?.x ?? middle;
  const out = (p: number) => trunk?.points(p) ?? [];
  const n = trace.mesh.size;
  const { pairs, knots: groupsCombined } = linksOf(trace, c);
  const axes = c.axes.map((name) => trace.mesh.axisOf(name));
  const originOf = (p: number) => originsOf(trace, sent, p)[0] ?? p;
  const coreOf = (p: number) => hex(colorAt(trace, sent, originOf(p), color));
  const thin = pairs.length > 4 * n;
  const full = thin ? 1.4 : Math.min(5, space.pitch * 0.16, (trunk?.width ?? 9) - 1.8);
  const all = axes.map(axisToken);
  const y = (y0 + y1) / 2;
  const ribbons: Ribbon[] = [];
  const add = (points: readonly Point[], core: `#${string}`, inks: readonly Color[], more: Partial<Ribbon> = {}) =>
    ribbons.push({
      ...{ points, core, inks, width: full, edge: thin ? 0.6 : 1.8, dash: [], leaves: 0, arrives: 1, block: null },
      ...more,
    });
  const knots = groupsCombined.map((group): Knot => {
    const x = group.reduce((sum, p) => sum + middle(p), 0) / group.length;
    for (const p of group)
      add([...out(p), ...curve(leave(p), y0, x, y)], coreOf(p), all, { dash: [4, 2.6], arrives: 0.5 });
    for (const p of group) add(curve(x, y, middle(p), y1), hex(color(made, p)), all, { leaves: 0.5 });
    return { x, y, inks: all, combines: c.semantics.combines };
  });
  // A link is in the ink of the axis that it runs along, of both where it crosses two.
  const crossed = (a: number, b: number) => {
    const along = differing(trace.mesh, a, b);
    const inks = axes.filter((axis) => along.includes(axis)).map(axisToken);
    return inks.length > 0 ? inks : all;
  };
  const edge = space.left + n * space.pitch + 12;
  const addLink = (a: number, b: number, part: number) => {
    // A ring's last block leaves at one side and comes in at the other.
    const round = !permutes(c) || Math.abs(b - a) < n - 1 || n <= 2 ? 0 : Math.sign(a - b);
    const [x0, x1] = [leave(a), middle(b)];
    const [core, inks] = [coreOf(a), crossed(a, b)];
    const own = { width: full * part, block: originOf(a) };
    if (round === 0) {
      add([...out(a), ...curve(x0, y0, x1, y1)], core, inks, own);
      return;
    }
    const [away, into] = round > 0 ? [edge, space.left - 12] : [space.left - 12, edge];
    add([...out(a), ...curve(x0, y0, away, y)], core, inks, { ...own, arrives: 0.5 });
    add(curve(into, y, x1, y1), core, inks, { ...own, leaves: 0.5 });
  };
  // Of several groups that send to all, one stands in front.
  const groups = trace.groups(c);
  const front = groups.find((g) => g.includes(device ?? -1)) ?? groups[0] ?? [];
  const behind = (a: number) => !permutes(c) && !front.includes(a);
  for (const [a, b] of pairs) if (behind(a)) addLink(a, b, 0.5);
  for (const [a, b] of pairs) if (!behind(a)) addLink(a, b, 1);
  return { ribbons, knots };
}

/** Ribbons as far as their blocks have come, thin lines further on; with the pieces that ride on them while they move. */
export function linkMarks(trace: TraceModel, { ribbons, knots, ridden }: Links, time = 1): Mark[] {
  const ahead = ribbons.flatMap((r): Mark[] =>
    travelled(r, time) < 1
      ? [{ kind: "line", points: r.points, stroke: { color: r.inks[0] ?? "muted", width: 1 } }]
      : [],
  );
  const behind = ribbons.flatMap((r) => ribbonMarks(r, travelled(r, time)));
  const joined = knots.flatMap(knotMarks);
  return [...ahead, ...behind, ...joined, ...(ridden ? ridingMarks(trace, { ribbons }, time) : [])];
}

/** The pieces that ride on ribbons. */
export function ridingMarks(trace: TraceModel, { ribbons }: Pick<Links, "ribbons">, time: number): Mark[] {
  return time < 1 ? ribbons.flatMap((r) => riderMarks(trace, r, time)) : [];
}

/** How much of a ribbon its block has left behind. */
function travelled({ leaves, arrives }: Ribbon, time: number): number {
  return Math.min(1, Math.max(0, (time - leaves) / (arrives - leaves)));
}

function ribbonMarks({ points, core, inks, width, edge, dash }: Ribbon, part: number): Mark[] {
  if (part === 0) return [];
  const some = part === 1 ? points : beginning(points, part);
  const outline = inks.slice(0, 2).map(
    (ink, k): Mark => ({
      kind: "line",
      points: some,
      stroke: { color: ink, width: width + edge, ...(k > 0 ? { dash: [TURN, TURN] } : {}) },
    }),
  );
  return [
    ...outline,
    { kind: "line", points: some, stroke: { color: core, width, ...(dash.length > 0 ? { dash } : {}) } },
  ];
}

/** Two inks of one outline take turns, as often as this. */
const TURN = 7;

/** More riders than these would have no room between the columns. */
const MOST_RIDERS = 16;
const RIDER = { w: 26, h: 16 } as const;

/** Where the piece on a ribbon is; null where it has not left yet, or has arrived. */
function riderAt(ribbon: Ribbon, time: number): Point | null {
  const part = travelled(ribbon, time);
  if (time < ribbon.leaves || part === 1 || ribbon.block === null) return null;
  const { points } = ribbon;
  const [x, y] = pointAt(points, part);
  // It stays between the rows, whose tiles have text.
  const [[, from], [, to]] = [points[0] ?? [0, y], points.at(-1) ?? [0, y]];
  const [top, bottom] = [ribbon.leaves > 0 ? from : from + RIDER.h / 2, ribbon.arrives < 1 ? to : to - RIDER.h / 2];
  return [x, Math.min(Math.max(y, top), Math.max(top, bottom))];
}

function riderMarks(trace: TraceModel, ribbon: Ribbon, time: number): Mark[] {
  const at = riderAt(ribbon, time);
  if (!at || ribbon.block === null) return [];
  const [x, y] = at;
  const { w, h } = RIDER;
  const [ink = "ink"] = ribbon.inks;
  const text = String(trace.mesh.ids[ribbon.block] ?? "0");
  return [
    { kind: "rect", x: x - w / 2, y: y - h / 2, w, h, r: 4, fill: ribbon.core, stroke: { color: ink, width: 2 } },
    label(x, y + 4, text, 11, "tile-ink", { ...BOLD, ...CENTER }),
  ];
}

/** Moments of a move at which riders are looked at. */
const MOMENTS = 20;

/** Whether riders never touch each other, at any of these moments. */
function apart(ribbons: readonly Ribbon[]): boolean {
  return Array.from({ length: MOMENTS }, (_, k) => k / MOMENTS).every((time) => {
    const riders = ribbons.flatMap((r) => {
      const at = riderAt(r, time);
      return at ? [at] : [];
    });
    return riders.every(([x, y], i) =>
      riders.slice(0, i).every(([a, b]) => Math.abs(x - a) > RIDER.w + 2 || Math.abs(y - b) > RIDER.h + 2),
    );
  });
}

/** The sign where a group combines its blocks; round it the ink of a second axis. */
function knotMarks({ x, y, inks: [ink = "muted", second], combines }: Knot): Mark[] {
  const w = combines === "sum" ? 20 : 34;
  const around: Mark[] = second ? [{ kind: "rect", x: x - w / 2, y: y - 10, w, h: 20, r: 10, fill: second }] : [];
  return [...around, ...combinesMarks(combines, x, y, 7, ink)];
}

/** The point a part of the way along a curve. */
function pointAt(points: readonly Point[], part: number): Point {
  const at = part * (points.length - 1);
  const i = Math.min(points.length - 2, Math.floor(at));
  const [[x0, y0], [x1, y1]] = [points[i] ?? [0, 0], points[i + 1] ?? [0, 0]];
  return [x0 + (x1 - x0) * (at - i), y0 + (y1 - y0) * (at - i)];
}

function beginning(points: readonly Point[], part: number): readonly Point[] {
  return [...points.slice(0, Math.floor(part * (points.length - 1)) + 1), pointAt(points, part)];
}

/** An S from one point to another, upright at both ends. */
export function curve(x0: number, y0: number, x1: number, y1: number): readonly Point[] {
  return Array.from({ length: 13 }, (_, i) => {
    const t = i / 12;
    const s = t * t * (3 - 2 * t);
    return [x0 + (x1 - x0) * s, y0 + (y1 - y0) * t] as const;
  });
}

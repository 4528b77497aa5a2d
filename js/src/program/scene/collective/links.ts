/** Which links a collective uses and how much each carries, drawn at rest; and the links that it leaves idle. */
import type { HloCollective, Semantics } from "../../../core/document.gen";
import { axisToken, type Box, type Color, type Mark, type Stroke } from "../../../draw/marks";
import type { ProgramModel } from "../../model/program";
import { between, pathBetween } from "./path";
import { LANE } from "./stage";
import type { CollectiveView } from "./view";

/** A link in one direction, between mesh positions. */
export interface Link {
  from: number;
  to: number;
  /** Blocks that it carries, relative to the link that carries most. */
  load: number;
  axis: number | null;
  /** Whether it closes a ring. */
  wraps: boolean;
}

/** More links than this would hide each other. */
const MOST = 160;

/** The links between neighbours in a group: physical ones where these are known, else those in the order of ranks. */
export function linksOf(model: ProgramModel, c: HloCollective, group: readonly number[]): Link[] {
  const axis = c.axes[0] === undefined ? null : model.mesh.axisOf(c.axes[0]);
  if (c.pairs.length > 0) {
    const members = new Set(group);
    const own = c.pairs.filter(([from, to]) => from !== to && members.has(from) && members.has(to));
    return own.map(([from, to]) => ({ from, to, load: 1, axis, wraps: false }));
  }
  const axes = c.axes.map((name) => model.mesh.axisOf(name));
  const axisOf = (from: number, to: number) => {
    const [a, b] = [model.mesh.digits(from), model.mesh.digits(to)];
    return axes.find((k) => a[k] !== b[k]) ?? axis;
  };
  const lies = model.lies(c);
  if (lies) {
    const loads = lies.along.length === 1 && !lies.rings[0] ? lineLoads(c.semantics, group.length) : null;
    return lies.along.flatMap((k, i) => {
      const at = (p: number) => model.mesh.coords[k]?.[p] ?? 0;
      const of = (p: number) => model.mesh.coords.map((c, j) => (j === k ? 0 : c[p])).join();
      return chains(
        [...group].sort((a, b) => at(a) - at(b)),
        of,
      ).flatMap((row) => chain(row, axisOf, loads, lies.rings[i] === true));
    });
  }
  if (axes.length < 2) return chain(group, axisOf, null, false);
  // Over several axes: a chain along each, through every device of the group.
  return axes.flatMap((k) =>
    chains(group, (p) => model.mesh.digits(p).with(k, 0).join()).flatMap((of) => chain(of, () => k, null, false)),
  );
}

/** Devices by what they have in common, each in the order given. */
function chains(group: readonly number[], common: (p: number) => string): number[][] {
  const found = new Map<string, number[]>();
  for (const p of group) found.set(common(p), [...(found.get(common(p)) ?? []), p]);
  return [...found.values()];
}

function chain(
  group: readonly number[],
  axisOf: (from: number, to: number) => number | null,
  loads: Loads | null,
  ring: boolean,
): Link[] {
  const most = loads ? Math.max(...group.slice(1).map((_, i) => Math.max(...loads(i)))) : 1;
  const link = (from: number, to: number, load = 1, wraps = false): Link => {
    return { from, to, load, axis: axisOf(from, to), wraps };
  };
  const links = group.slice(1).flatMap((to, i): Link[] => {
    const [there, back] = loads?.(i) ?? [1, 1];
    const from = group[i] ?? 0;
    return [link(from, to, there / most), link(to, from, back / most)];
  });
  const [first, last] = [group[0], group.at(-1)];
  if (!ring || group.length < 3 || first === undefined || last === undefined) return links;
  return [...links, link(last, first, 1, true), link(first, last, 1, true)];
}

/** Blocks over the i-th link of a line, there and back. */
type Loads = (i: number) => readonly [number, number];

/**
 * Blocks that pass the link between ranks i and i+1 of a line of n, each sent once over every link that it needs.
 *
 * A gathered block goes on to the end of the line; a sum to be scattered collects what lies before it.
 */
export function lineLoads({ cuts, by_origin }: Semantics, n: number): Loads | null {
  if (by_origin) return (i) => [(i + 1) * (n - 1 - i), (i + 1) * (n - 1 - i)];
  switch (cuts) {
    case "received":
      return (i) => [i + 1, n - 1 - i];
    case "sent":
      return (i) => [n - 1 - i, i + 1];
    case "both":
      return () => [n, n];
    default:
      return null;
  }
}

/** Arrows along the links that are used, as wide as they are full. */
export function linkMarks(view: CollectiveView): Mark[] {
  const { c, seats, model } = view;
  if (!c || view.options.lit !== null) return [];
  const links = view.shown.flatMap((group) => {
    const strong = group === view.group || view.groups.length === 1;
    return linksOf(model, c, group).map((link) => ({ ...link, strong }));
  });
  if (links.length > MOST * 2) return [];
  const tiles = [...seats];
  const paired = new Set(links.map((l) => `${l.from} ${l.to}`));
  return links.flatMap((link): Mark[] => {
    const [from, to] = [seats.get(link.from), seats.get(link.to)];
    if (!from || !to) return [];
    const width = link.strong ? 1.3 + 3 * link.load : 0.9 + 1.8 * link.load;
    const stroke = strokeOf(link.axis, width);
    // A ring is closed behind the picture, where it is not drawn as one: its two ends say so.
    if (link.wraps && !view.stage.grid.ring) return stub(from, to, stroke, link.strong);
    const side = paired.has(`${link.to} ${link.from}`) ? (link.from < link.to ? -1 : 1) : 0;
    const others = tiles.flatMap(([p, box]) => (p === link.from || p === link.to ? [] : [box]));
    const path = pathBetween({ from: lane(from), to: lane(to), leaves: from, reaches: to, others, side, lane: LANE });
    const points = between(path, from, to);
    if (points.length < 2) return [];
    return [{ kind: "line", points, r: 6, stroke, arrow: true }];
  });
}

function strokeOf(axis: number | null, width: number): Stroke {
  // Dashes of a wide line run into one another: short links differ by their colour and their outline's pattern.
  return { color: inkOf(axis), width };
}

function inkOf(axis: number | null): Color {
  return axis === null ? "muted" : axisToken(axis);
}

/** The narrow part of a tile that arrows leave: two of them stand beside one another. */
function lane(b: Box): Box {
  return { x: b.x + b.w / 2 - 4, y: b.y + b.h / 2 - 4, w: 8, h: 8 };
}

/** An arrow that leaves the picture at the far side of its tile. */
function stub(from: Box, to: Box, stroke: Stroke, strong: boolean): Mark[] {
  const level = Math.abs(from.x - to.x) > Math.abs(from.y - to.y);
  const out = level ? Math.sign(from.x - to.x) : Math.sign(from.y - to.y);
  const [cx, cy] = [from.x + from.w / 2, from.y + from.h / 2];
  const start = level ? (out > 0 ? from.x + from.w : from.x) + 3 * out : (out > 0 ? from.y + from.h : from.y) + 3 * out;
  const end = start + 9 * out;
  const points = level
    ? ([
        [start, cy],
        [end, cy],
      ] as const)
    : ([
        [cx, start],
        [cx, end],
      ] as const);
  return [{ kind: "line", points, stroke: { ...stroke, width: strong ? 2 : 1.2 }, arrow: true }];
}

/** Links that the collective leaves idle: grey lines between tiles that are physical neighbours and drawn so. */
export function idleMarks(view: CollectiveView): Mark[] {
  const { model, stage, seats } = view;
  if (stage.density !== "full" || model.mesh.coords.length === 0) return [];
  const marks: Mark[] = [];
  for (const [a, from] of seats) {
    for (const [b, to] of seats) {
      if (b <= a || !model.linked(a, b)) continue;
      const [dx, dy] = [to.x - from.x, to.y - from.y];
      const [px, py] = stage.grid.pitch;
      const near =
        (Math.abs(dx) < 1 && Math.abs(Math.abs(dy) - py) < 1) || (Math.abs(dy) < 1 && Math.abs(Math.abs(dx) - px) < 1);
      if (!near || sameGroup(view, a, b)) continue;
      const points = [
        [from.x + from.w / 2, from.y + from.h / 2],
        [to.x + to.w / 2, to.y + to.h / 2],
      ] as const;
      marks.push({ kind: "line", points, stroke: { color: "line", width: 3 } });
    }
  }
  return marks;
}

function sameGroup(view: CollectiveView, a: number, b: number): boolean {
  const group = view.groupOf(a);
  return view.options.lit === null && group !== null && group === view.groupOf(b);
}

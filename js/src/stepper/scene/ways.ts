/** Ways of copies: in the gutters of a ring, by lanes beside the tiles, from what is sent to what is held afterwards. */
import type { Transfer } from "../../collective/model/plan";
import { axisStroke, type Box, type Mark, type Stroke } from "../../draw/marks";
import { wraps } from "./ask";
import { permuted, rowIndex } from "./cells";
import { inkBetween } from "./look";
import { joined, type Route, routesOf } from "./routes";
import type { Stage, Tile } from "./stage";
import type { Moving } from "./view";

/** A copy that goes round a ring: its transfer, the tiles and mesh positions between which it goes, its place in the first. */
export interface Hop {
  transfer: Transfer;
  group: readonly number[];
  source: number;
  destination: number;
  from: Tile;
  to: Tile;
  at: Box;
  /** The lane beside the tiles in which it goes round the side; null where it goes to the next tile. */
  wrap: number | null;
}

/** The copies of a ring in every group that is drawn. */
export function hopsOf({ stage, trace, collective, plan, played, flow }: Moving): readonly Hop[] {
  const tileOf = new Map(stage.tiles.flatMap((t) => (t.members.length === 1 ? [[t.members[0], t] as const] : [])));
  const groups = stage.frames.length > 0 && stage.covered.size === 0 ? trace.groups(collective) : [stage.group];
  const both = plan.algorithm !== "ring" || plan.n === 2;
  return groups.flatMap((group) =>
    (played?.rounds[flow.round] ?? []).flatMap((transfer): Hop[] => {
      const [source = 0, destination = 0] = [group[transfer.source], group[transfer.destination]];
      const [from, to] = [tileOf.get(source), tileOf.get(destination)];
      const at = from && narrowed(chunkBox(stage, from, transfer.chunks), both);
      const by = transfer.destination - transfer.source;
      const wrap = Math.abs(by) === 1 ? null : by < 0 ? 0 : 1;
      return to && at ? [{ transfer, group, source, destination, from, to, at, wrap }] : [];
    }),
  );
}

/** A copy that passes another one in the next column: their halos do not touch. */
function narrowed(box: Box | null, passing: boolean): Box | null {
  const by = box && passing ? Math.min(2.5, box.w / 4) : 0;
  return box && { ...box, x: box.x + by, w: box.w - 2 * by };
}

/** Where chunks stand in a tile: the box about them. */
function chunkBox({ chunks: n }: Stage, tile: Tile, chunks: readonly number[]): Box | null {
  const place = tile.places[0]?.box;
  const [first, last] = [Math.min(...chunks), Math.max(...chunks)];
  if (!place || n <= 1) return place ?? null;
  const w = place.w / n;
  return { ...place, x: place.x + first * w, w: (last - first + 1) * w };
}

/** Where what is so high stands in the middle of a tile's block. */
export function rowOf(tile: Tile, h: number): number {
  const place = tile.places[0]?.box ?? tile.box;
  return place.y + (place.h - h) / 2;
}

/** A way by lanes: its tiles, and its place among those that leave and arrive in the same row. */
export interface Way extends Route {
  tiles: readonly [from: Tile, to: Tile];
  leaves: number;
  arrives: number;
}

/** Ways of a round's copies by lanes, or of a permutation's, and the width of each lane. */
export function waysOf({ stage, trace, collective, plan, played, flow, receiver }: Moving) {
  const { lanes, holds, group, motion, room } = stage;
  const row = rowIndex(lanes.map((lane) => lane.members.map((p) => group.indexOf(p))));
  const permutes = motion === "permute";
  const depth = stage.run === "down" ? room?.w : room?.h;
  const round = permutes
    ? permuted({ trace, plan, c: collective, receiver: group.indexOf(receiver) })
    : (played?.rounds[flow.round] ?? []);
  const routes = routesOf(joined(round), row);
  const ways = routes.flatMap((route): Way[] => {
    const [from, to] = [lanes[route.from]?.tile, permutes ? holds[route.to] : lanes[route.to]?.tile];
    const leaves = routes.filter((o) => o.from === route.from && o.lane > route.lane).length;
    const arrives = routes.filter((o) => o.to === route.to && o.lane > route.lane).length;
    return from && to ? [{ ...route, tiles: [from, to], leaves, arrives }] : [];
  });
  const count = 1 + Math.max(0, ...routes.map((route) => route.lane));
  return { ways, width: ((depth ?? 0) - (permutes ? 28 : 0)) / count };
}

/** Thin lines, drawn under everything: of a permutation always, else while copies go along them. */
export function wayMarks(view: Moving): Mark[] {
  const { stage, finished, flow } = view;
  if (stage.motion === "permute") return elbows(view);
  if (finished || flow.progress >= 1) return [];
  return stage.motion === "lanes" ? laneLines(view) : hopsOf(view).map((hop) => hopLine(view, hop));
}

function laneLines(view: Moving): Mark[] {
  const { ways, width } = waysOf(view);
  const side = sideOf(view.stage);
  return ways.map(({ tiles: [from, to], lane }) => {
    const edge = side.edge(from.box);
    const [v0, v1] = [side.middle(from.box) + 2, side.middle(to.box) - 2];
    const stroke = axisStroke(inkBetween(view, from.members[0] ?? 0, to.members[0] ?? 0), 1);
    const u = edge + (lane + 0.5) * width;
    const points = [[edge + 2, v0], [u, v0], [u, v1], [edge + 5, v1]] as const; // biome-ignore format: one line
    return { kind: "line", points: points.map(([a, b]) => side.point(a, b)), stroke, r: 6, arrow: true };
  });
}

/** The side of the tiles where copies go: how far out, and where along them. */
export function sideOf({ run, room, lanes: [lane] }: Stage) {
  const down = run === "down";
  const up = !down && room !== null && lane !== undefined && room.y < lane.tile.box.y;
  return {
    down,
    /** How far out a tile begins, and ends. */
    start: ({ x, y, h }: Box) => (down ? x : up ? -y - h : y),
    edge: ({ x, y, w, h }: Box) => (down ? x + w : up ? -y : y + h),
    middle: ({ x, y, w, h }: Box) => (down ? y + h / 2 : x + w / 2),
    point: (u: number, v: number) => (down ? [u, v] : [v, up ? -u : u]) as readonly [number, number],
    /** What begins so far out, and there along the tiles. */
    box: (u: number, v: number, { w, h }: { w: number; h: number }): Box =>
      down ? { x: u, y: v, w, h } : { x: v, y: up ? -u - h : u, w, h },
  };
}

function hopLine(view: Moving, { source, destination, from, to, at, wrap }: Hop): Mark {
  const stroke = axisStroke(inkBetween(view, source, destination), 1.3);
  if (wrap === null) {
    const x = at.x + at.w / 2;
    const down = to.box.y > from.box.y;
    const end = at.y + to.box.y - from.box.y;
    const points = [
      [x, down ? at.y + at.h + 1 : at.y - 1],
      [x, down ? end - 3 : end + at.h + 3],
    ] as const;
    return { kind: "line", points, stroke, arrow: true };
  }
  const edge = from.box.x + from.box.w;
  // What leaves a row and what arrives in it are two lines.
  const apart = wraps(view.plan) > 1 ? 4 : 0;
  const [y0, y1] = [rowOf(from, 0) - apart, rowOf(to, 0) + apart];
  return elbow([edge + 1, y0], edge + wrapLane(view, wrap), [edge + 4, y1], stroke);
}

/** From the edge of a tile to the middle of a lane beside it. */
export function wrapLane({ plan, stage }: Moving, lane: number): number {
  return ((stage.room?.w ?? 30) * (lane + 0.5)) / wraps(plan);
}

/** From what a member sends to who holds it after. */
function elbows(view: Moving): Mark[] {
  const { ways, width } = waysOf(view);
  return ways.map(({ tiles: [{ box: from }, { box: to }], lane }) => {
    const x = from.x + from.w + 14 + (lane + 0.5) * width;
    // What leaves a row and what arrives in it are two lines, or they would look like one way straight across.
    const apart = Math.min(4, from.h / 6);
    const [y0, y1] = [from.y + from.h / 2 + apart, to.y + to.h / 2 - apart];
    return elbow([from.x + from.w + 2, y0], x, [to.x - 4, y1], axisStroke(view.axis, 1.3));
  });
}

/** A way with two corners: to a lane, along it, and off. */
function elbow(from: readonly [number, number], lane: number, to: readonly [number, number], stroke: Stroke): Mark {
  return { kind: "line", points: [from, [lane, from[1]], [lane, to[1]], to], stroke, r: 6, arrow: true };
}

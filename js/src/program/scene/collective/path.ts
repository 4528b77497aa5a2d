/** The path of a copy from one tile to another: straight between neighbours, by a lane past tiles in between. */
import type { Box } from "../../../draw/marks";

type Point = readonly [number, number];
type Size = readonly [number, number];

/** A path in two parts: a copy is half way where they meet, between the tiles. */
export interface Path {
  first: readonly Point[];
  second: readonly Point[];
  /** Width and height that a copy may have half way, or somewhat more where its numbers need it; and at most. */
  room: Size;
  most: Size;
}

export interface Journey {
  /** The cells that are sent, and the place where they arrive. */
  from: Box;
  to: Box;
  /** The tiles that they are in. */
  leaves: Box;
  reaches: Box;
  /** All other tiles. */
  others: readonly Box[];
  /** Copies that meet keep to a side each: -1 or 1; 0 where none comes the other way. */
  side: number;
  /** Room at the right of a column of tiles. */
  lane: number;
}

export function pathBetween({ from, to, leaves, reaches, others, side, lane }: Journey): Path {
  const [a, b] = [center(from), center(to)];
  const level = Math.abs(center(leaves)[0] - center(reaches)[0]) > Math.abs(center(leaves)[1] - center(reaches)[1]);
  if (others.some((box) => crosses(center(leaves), center(reaches), box)))
    return past({ leaves, reaches, others, lane }, a, b);
  // Half way lies in the middle of the gap between the two tiles. Copies that meet have half of a tile's side each.
  const free = side === 0 ? FREE : (level ? leaves.h : leaves.w) / 2 - 4;
  const length = Math.min(level ? from.h : from.w, free);
  const off = side * (length / 2 + 6);
  const gap = level ? edges(leaves.x, leaves.w, reaches.x, reaches.w) : edges(leaves.y, leaves.h, reaches.y, reaches.h);
  const at = (along: number): Point => {
    const t = level ? ratio(a[0], b[0], along) : ratio(a[1], b[1], along);
    const other = level ? a[1] + (b[1] - a[1]) * t : a[0] + (b[0] - a[0]) * t;
    return level
      ? [along, within(other + off, length, [leaves.y, reaches.y], leaves.h)]
      : [within(other + off, length, [leaves.x, reaches.x], leaves.w), along];
  };
  const half = at((gap[0] + gap[1]) / 2);
  // A copy that is larger than the gap would hide what stands beside it.
  const wide = Math.abs(gap[1] - gap[0]) - 8;
  const room: Size = level ? [Math.max(22, wide), FREE] : [FREE, Math.max(14, wide)];
  return {
    first: [a, at(gap[0]), half],
    second: [half, at(gap[1]), b],
    room,
    most: level ? [FREE, free] : [free, FREE],
  };
}

/** A path round the tiles in between: beside the column, below the row, or through the gap between two rows. */
function past({ leaves, reaches, others, lane }: Omit<Journey, "from" | "to" | "side">, a: Point, b: Point): Path {
  const size: Pick<Path, "room" | "most"> = { room: [Math.max(40, lane - 8), HIGH], most: [FREE, FREE] };
  if (Math.abs(leaves.x - reaches.x) < 1) {
    const x = leaves.x + leaves.w + lane / 2;
    const half: Point = [x, (a[1] + b[1]) / 2];
    return { first: [a, [x, a[1]], half], second: [half, [x, b[1]], b], ...size };
  }
  const y =
    reaches.y < leaves.y - 1 ? leaves.y - BESIDE : leaves.y + leaves.h + (reaches.y > leaves.y + 1 ? BESIDE : 8);
  const open = !others.some((box) => crosses([b[0], y], b, box));
  const x = open ? b[0] : reaches.x + reaches.w + lane / 2;
  const half: Point = [(a[0] + x) / 2, y];
  return { first: [a, [a[0], y], half], second: [half, [x, y], ...(open ? [] : [[x, b[1]] as const]), b], ...size };
}

/** The point a fraction of the way along a path. */
export function along({ first, second }: Path, t: number): Point {
  return t < 0.5 ? onLine(first, 2 * t) : onLine(second, 2 * t - 1);
}

/** The part of a path outside the two tiles: inside them a line would cross the numbers. */
export function between(path: Path, leaves: Box, reaches: Box): Point[] {
  const outside = (b: Box, [x, y]: Point) => x < b.x - 3 || x > b.x + b.w + 3 || y < b.y - 3 || y > b.y + b.h + 3;
  const points = Array.from({ length: STEPS + 1 }, (_, i) => along(path, i / STEPS));
  return points.filter((p) => outside(leaves, p) && outside(reaches, p));
}

const STEPS = 32;
const FREE = Number.POSITIVE_INFINITY;
/** Height of a copy that passes other tiles. */
const HIGH = 26;
/** From a tile to the middle of the gap between two rows. */
const BESIDE = 14;
/** Pixels by which a copy may reach over the edge of its row or column of tiles. */
const OVER = 10;

/** Where two stretches that do not overlap face each other: the end of the first, the beginning of the second. */
function edges(a: number, wa: number, b: number, wb: number): readonly [number, number] {
  return a < b ? [a + wa, b] : [a, b + wb];
}

function ratio(from: number, to: number, at: number): number {
  return from === to ? 0.5 : Math.max(0, Math.min(1, (at - from) / (to - from)));
}

/** The middle of a copy of some length, kept near the stretch that its two tiles take. */
function within(at: number, length: number, starts: readonly number[], size: number): number {
  const [low, high] = [Math.min(...starts), Math.max(...starts) + size];
  const most = Math.max(0, (high - low - length) / 2 + OVER);
  return Math.max((low + high) / 2 - most, Math.min((low + high) / 2 + most, at));
}

function center(b: Box): Point {
  return [b.x + b.w / 2, b.y + b.h / 2];
}

/** Whether the straight line between two points meets a box. */
function crosses([x0, y0]: Point, [x1, y1]: Point, b: Box): boolean {
  let [t0, t1] = [0, 1];
  for (const [from, by, low, high] of [
    [x0, x1 - x0, b.x, b.x + b.w],
    [y0, y1 - y0, b.y, b.y + b.h],
  ] as const) {
    if (by === 0) {
      if (from < low || from > high) return false;
      continue;
    }
    const [u, v] = [(low - from) / by, (high - from) / by];
    t0 = Math.max(t0, Math.min(u, v));
    t1 = Math.min(t1, Math.max(u, v));
  }
  return t0 < t1;
}

function onLine(points: readonly Point[], t: number): Point {
  const lengths = points.slice(1).map((b, i) => Math.hypot(b[0] - (points[i]?.[0] ?? 0), b[1] - (points[i]?.[1] ?? 0)));
  let left = t * lengths.reduce((a, b) => a + b, 0);
  for (const [i, length] of lengths.entries()) {
    const [a, b] = [points[i], points[i + 1]];
    if (!a || !b) break;
    if (left <= length || i === lengths.length - 1) {
      const f = length > 0 ? Math.min(1, left / length) : 1;
      return [a[0] + (b[0] - a[0]) * f, a[1] + (b[1] - a[1]) * f];
    }
    left -= length;
  }
  return points.at(-1) ?? [0, 0];
}

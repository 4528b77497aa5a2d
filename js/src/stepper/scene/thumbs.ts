/**
 * A group of a mesh of two to four axes, large at its place among the other groups, which are small: of the axes that the
 * group does not run along, the first goes down and the last across.
 */

import { railAcross, railDown, railRoom } from "../../draw/axes";
import { type Box, type Mark, shift } from "../../draw/marks";
import type { Ask } from "./ask";
import { downStage, inHome } from "./down";
import { downHeight, mapOver } from "./downrows";
import type { Small, Stage, Tile } from "./stage";

/** A small tile, the margin of its group and what is between groups; the margin of the large one. */
const TILE = { w: 44, h: 21, gap: 3 };
const PAD = 6;
const GAP = 8;
const TOP = 30;
/** Under the line of the group that is drawn in full. */
const FOOT = 4;
/** Groups in a row or a column at most, and members of one. */
const MOST = 4;
const MEMBERS = 8;

/** The axes beside a group, their sizes, and the size of a small group; null where the others have no place like that. */
function outerOf(ask: Ask) {
  const { trace, c, group, alone } = ask;
  const { mesh } = trace;
  const axes = mesh.axes.flatMap(({ name, size }, axis) => (c.axes.includes(name) || size < 2 ? [] : [axis]));
  const [down, across] = axes.length > 1 ? axes : [null, axes[0] ?? 0];
  const [rows, columns] = [down, across].map((axis) => mesh.meshShape[axis ?? -1] ?? 1) as [number, number];
  // In narrow pictures a map over the group shows the others.
  const fits =
    !alone &&
    !(mesh.axes.length === 2 && mapOver(ask)) &&
    mesh.axes.length > 1 &&
    axes.length < 3 &&
    rows * columns === trace.groups(c).length;
  if (!fits || axes.length < 1 || Math.max(rows, columns) > MOST || group.length > MEMBERS) return null;
  const small = { w: TILE.w + 2 * PAD, h: group.length * (TILE.h + TILE.gap) - TILE.gap + 2 * PAD };
  const left = down === null ? 2 : railRoom(mesh, down);
  const beside = { w: left + (columns - 1) * (small.w + GAP) + 4, h: TOP + (rows - 1) * (small.h + GAP) + FOOT + 4 };
  return { down, across, rows, columns, small, left, beside };
}

type Outer = NonNullable<ReturnType<typeof outerOf>>;

/** What a group may take of the picture. */
function inner(ask: Ask, { beside }: Outer): Ask {
  const [width, room] = [ask.width - beside.w - 2 * PAD, ask.room - beside.h];
  return { ...ask, width, room, alone: true };
}

/** How high it may be at any width; 0 where it is never drawn so. */
export function thumbsHeight(ask: Ask): number {
  const outer = outerOf(ask);
  const height = outer ? downHeight(inner(ask, outer)) + outer.beside.h : 0;
  return height <= ask.room ? height : 0;
}

/** A group large among the others, or in the tiles where it stands in other steps; null where it has no room. */
export function thumbStage(ask: Ask, height: number, home: Stage | null = null): Stage | null {
  const outer = outerOf(ask);
  const own = outer && inner(ask, outer);
  if (!own || own.width < 200) return null;
  const stage = home?.large ? inHome(own, inside(home, home.large, own)) : downStage(own, height - outer.beside.h);
  if (!stage || (stage.bare && !home) || stage.height > own.room) return null;
  const { beside, small, down, across, rows, columns, left } = outer;
  const { mesh } = ask.trace;
  const large = { w: ask.width - beside.w, h: stage.height + FOOT };
  const placeOf = (group: readonly number[]) => {
    const digits = mesh.digits(group[0] ?? 0);
    return [digits[across] ?? 0, down === null ? 0 : (digits[down] ?? 0)] as const;
  };
  const [column, row] = placeOf(ask.group);
  const ends = (n: number, picked: number, from: number, all: number, one: number) =>
    Array.from(
      { length: n },
      (_, i) => [from + i * (one + GAP) + (i > picked ? all - one : 0), i === picked ? all : one] as const,
    );
  const xs = ends(columns, column, left, large.w, small.w);
  const ys = ends(rows, row, TOP, large.h, small.h);
  const at = (x: number, y: number): Box => {
    const [[left = 0, w = 0], [top = 0, h = 0]] = [xs[x] ?? [], ys[y] ?? []];
    return { x: left, y: top, w, h };
  };
  const box = at(column, row);
  const others = ask.trace.groups(ask.c).filter((group) => group !== ask.group);
  const marks = ys.map(([y, h], i) => [y, h, String(i)] as const);
  return {
    ...shifted(stage, box.x + PAD, box.y),
    large: box,
    small: others.map((group) => smallOf(group, { ...at(...placeOf(group)), ...small })),
    outer: [...(down === null ? [] : railDown(mesh, down, left, marks)), ...railAcross(mesh, across, TOP - 4, xs)],
    width: ask.width,
    height: beside.h + stage.height,
  };
}

/** The large group alone. */
function inside(home: Stage, { x, y, h }: Box, { width }: Ask): Stage {
  return { ...shifted(home, -x - PAD, -y), width, height: h - FOOT, large: null };
}

function smallOf(group: readonly number[], box: Box): Small {
  const tiles = group.map((p, i) => {
    const y = box.y + PAD + i * (TILE.h + TILE.gap);
    return [p, { x: box.x + PAD, y, w: TILE.w, h: TILE.h }] as const;
  });
  return { group, box, tiles };
}

/** The same elsewhere. */
function shifted(stage: Stage, dx: number, dy: number): Stage {
  const box = (b: Box): Box => ({ ...b, x: b.x + dx, y: b.y + dy });
  const point = ([x, y]: readonly [number, number]) => [x + dx, y + dy] as const;
  const tile = (t: Tile): Tile => ({
    ...t,
    box: box(t.box),
    places: t.places.map((place) => ({ ...place, box: box(place.box) })),
  });
  const marks = (all: readonly Mark[]) => shift(all, dx, dy);
  const { result, header, room, line } = stage;
  return {
    ...stage,
    tiles: stage.tiles.map(tile),
    holds: stage.holds.map(tile),
    rails: marks(stage.rails),
    fixed: marks(stage.fixed),
    said: marks(stage.said),
    signs: stage.signs.map(point),
    lanes: stage.lanes.map((lane) => ({
      ...lane,
      tile: tile(lane.tile),
      slot: box(lane.slot),
      tag: box(lane.tag),
      sign: lane.sign && point(lane.sign),
    })),
    result: result && {
      ...result,
      box: box(result.box),
      name: point(result.name),
      sign: point(result.sign),
      rule: box(result.rule),
    },
    header: header && { ...header, x: header.x + dx, y: header.y + dy },
    room: room && box(room),
    line: { ...line, x: line.x + dx, y: line.y + dy },
  };
}

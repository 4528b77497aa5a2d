/** A step in which every device works alone: tiles with the blocks before and after. */

import { chunkOf } from "../../collective/model/chunks";
import type { NumberFormat } from "../../core/numbers";
import { railDown, railRoom } from "../../draw/axes";
import { type DeviceGrid, deviceBox, frameGrid, placeGrid } from "../../draw/grid";
import type { Box } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import type { Formats } from "../model/formats";
import type { TraceModel } from "../model/trace";
import type { Size } from "./ask";
import { cellOf, FEWER, FONTS } from "./cells";
import { type Contents, type Face, faceOf, shapeOf, stripOf } from "./contents";
import { copiesSpans } from "./copies";
import { LINE } from "./downrows";
import { placeMap, roomOfMap } from "./map";
import { besideTiles, LEAST_WHOLE, PLAIN, type Place, type Stage, type Tile } from "./stage";

/** What a local step shows, and how its numbers are written. */
export interface Shown {
  show: Contents;
  formats: Formats;
}

export interface Local {
  trace: TraceModel;
  all: readonly Shown[];
  width: number;
  room: number;
  /** As of what a collective is about to show. */
  mixed: boolean;
  /** The tiles of the program's first collective, with room for so much in each; null where it has none that fit. */
  home: (least: Size) => Stage | null;
  /** Sizes of tiles that are known, which no width changes. */
  tiles: Map<Blocks, Size>;
}

/** How blocks stand in tiles: as large as there is room for. */
export interface Blocks {
  font: number;
  rows: number;
  columns: number;
  cell: number;
  /** Lines of blocks: one, those before over those after, or each in its own; none: one, beside the id. */
  lines: 0 | 1 | 2 | 3;
  /** Whether blocks before are shown beside those after. */
  before: boolean;
  /** Whether numbers have no more than 3 px at each side. */
  tight: boolean;
}

/** Where the tiles of all local steps stand, and how large their blocks are. */
export interface Field {
  size: Blocks;
  tile: Size;
  /** What tiles of collectives need besides, to be as large. */
  least: Size;
  /** Whether tiles stand where those of the first collective do. */
  home: boolean;
  grid: DeviceGrid | null;
  /** For a single group: rows of tiles beside a map; for a line of devices one column. */
  list: { x: number; y: number; columns: number; seats: number; gap: number; map: DeviceGrid | null } | null;
  height: number;
}

const PAD = 9;
const GAP = 10;
const ARROW = 24;
/** Height of a cell where it may be low. */
const LOW = 16;
const NAME = 14;
/** Height of the id over the blocks. */
const HEAD = 18;
/** Most width that a name takes from a tile. */
const NAMED = 66;
const BETWEEN = 12;
/** More devices than these are drawn small, with a group of them in full. */
export const FULL = 16;
const SEATS = 8;
/** Between tiles, with room for a sign. */
const SIGNED = 18;
const NONE: Size = { w: 0, h: 0 };

/** Sizes of digits, and whether cells have little more than their digits. */
const DIGITS = [
  [FONTS[0], false],
  [FONTS[2], false],
  [FONTS[2], true],
] as const;

/** Most rows of a block, and most columns. */
const ROWS = [8, 4, 3, 2, 1];
const COLUMNS = [64, 16, 8, 4, 2, 1];

/** Blocks are whole before those that a step reads are shown, too; rows are left out before columns. */
function sizesIn(lines: readonly Blocks["lines"][]): readonly Blocks[] {
  const found: Blocks[] = [];
  for (const columns of COLUMNS)
    for (const rows of ROWS)
      for (const before of [true, false])
        for (const line of lines)
          for (const [font, tight] of DIGITS)
            for (const cell of rows > 2 ? [18] : line === 0 ? [20, LOW] : [20])
              found.push({ font, rows, columns, cell, lines: line, before, tight });
  return found;
}

/** The sizes that are tried, by where tiles stand. */
const SIZES = { column: sizesIn([0]), home: sizesIn([1, 0]), mixed: sizesIn([1, 2, 3, 0]), mesh: sizesIn([1, 2, 3]) };

/** Tiles of their own. */
const COLUMN = { make: inColumn, sizes: SIZES.column, tries: SIZES.column.length };
const MESH = { make: onMesh, sizes: SIZES.mesh, tries: SIZES.mesh.length };

/** The first sizes with which every step has room on the mesh; else a list of some devices. */
export function localField(local: Local): Field {
  const { trace, width, room } = local;
  const line = trace.mesh.meshShape.length === 1;
  const fits = (field: Field | null): field is Field =>
    field !== null && field.height <= room && (field.grid?.box.w ?? 0) <= width;
  const home = local.home(NONE);
  const across = new Set(home?.tiles.map(({ box }) => box.x)).size;
  const own = trace.mesh.size > FULL ? [] : [line ? COLUMN : MESH];
  for (const { make, sizes, tries } of home
    ? waysHome(home, line ? SIZES.column : local.mixed ? SIZES.mixed : SIZES.home)
    : own) {
    const failed: Size[] = [];
    for (const size of sizes) {
      const tile = tileSize(local, size);
      // Tiles that are too wide side by side never fit, whatever stands around them.
      if (tile.w * across > width) continue;
      // What has no room has none for larger tiles.
      if (failed.some(({ w, h }) => w <= tile.w && h <= tile.h)) continue;
      const field = make(local, size, tile);
      if (fits(field)) return field;
      failed.push(tile);
      if (failed.length > tries) break;
    }
  }
  if (home)
    return {
      ...AT_LEAST,
      size: { ...AT_LEAST.size, lines: home.tiles[0]?.id === "above" && !local.mixed ? 1 : 0 },
      height: home.height,
    };
  let last: Field | null = null;
  for (const size of SIZES.mesh) {
    last = inList(local, size);
    if (last.height <= room && (last.list?.x ?? 0) + last.tile.w <= width) return last;
  }
  return last as Field;
}

/** In tiles that are too small for any of these. */
const AT_LEAST: Omit<Field, "height"> = {
  size: { font: FONTS[2], rows: 1, columns: 1, cell: LOW, lines: 0, before: false, tight: true },
  tile: NONE,
  least: NONE,
  home: true,
  grid: null,
  list: null,
};

/** In the tiles of the first collective: larger ones, first where blocks are whole and it shows as much; else as they are. */
function waysHome(home: Stage, sizes: readonly Blocks[]) {
  const whole = sizes.filter(({ columns, rows }) => columns === 64 && rows > 3);
  return [
    { make: keeping((stage) => asLarge(stage, home, true)), sizes: whole, tries: 40 },
    { make: keeping((stage) => asLarge(stage, home, false)), sizes, tries: 40 },
    { make: asItIs(home), sizes, tries: sizes.length },
    { make: keeping((stage) => hasWhole(stage) || !hasWhole(home)), sizes, tries: 400 },
    { make: atHome, sizes, tries: 40 },
  ];
}

/** In the tiles of the first collective, if its stage in tiles of that size still shows what it has to. */
function keeping(shows: (stage: Stage) => boolean): typeof atHome {
  return (local, size, tile) => {
    const field = atHome(local, size, tile);
    const stage = field && local.home(tile);
    return stage && shows(stage) ? field : null;
  };
}

/** Whether a whole array has room beside the tiles. */
const hasWhole = (stage: Stage) => besideTiles(stage).w >= LEAST_WHOLE;

/** Whether a stage shows as much as in tiles of its own size, on copies and beside tiles too, and as many additions. */
export function asLarge(stage: Stage, own: Stage, open: boolean): boolean {
  const cells = ({ face }: Stage) => face?.elements.length ?? 0;
  const shown = ({ tiles, small }: Stage) => tiles.length + small.length;
  return (
    (!open || stage.open === own.open) &&
    !own.map === !stage.map &&
    stage.carried.swatch <= own.carried.swatch &&
    shown(stage) >= shown(own) &&
    stage.covered.size <= own.covered.size &&
    cells(stage) >= cells(own) &&
    (hasWhole(stage) || !hasWhole(own))
  );
}

/** In the tiles of the first collective. */
function atHome(local: Local, size: Blocks, tile: Size): Field | null {
  if (tile.h > local.room || tile.w > local.width) return null;
  const stage = local.home(tile);
  const box = stage?.tiles[0]?.box;
  if (!stage || !box || box.w < tile.w || box.h < tile.h) return null;
  // No device gives way to larger tiles.
  if (stage.tiles.length < (local.home(NONE)?.tiles.length ?? 0)) return null;
  // The id stands where it stands in the collective; in low tiles of the whole mesh beside the blocks, which are higher there.
  const above = stage.tiles[0]?.id === "above";
  if (above !== size.lines > 0 && !(local.mixed && above)) return null;
  return { size, tile, least: tile, home: true, grid: null, list: null, height: stage.height };
}

/** In the tiles of the first collective as they are, which costs no search. */
function asItIs(own: Stage): typeof atHome {
  const box = own.tiles[0]?.box;
  return (local, size, tile) => {
    if (!box || tile.w > box.w || tile.h > box.h) return null;
    const field = atHome(local, size, NONE);
    return field && { ...field, tile };
  };
}

function onMesh({ trace, width }: Local, size: Blocks, tile: Size): Field | null {
  const frame = frameGrid(trace.mesh, width, tile.w);
  const gap = Math.max(10, Math.min(18, frame.room(0) - tile.w));
  if (frame.room(gap) < tile.w) return null;
  const grid = placeGrid(frame, { x: 0, y: 4 }, { ...tile, gap, rowGap: 10, density: "full" });
  const height = Math.ceil(grid.y + grid.box.h - frame.top + LINE);
  return { size, tile, least: NONE, home: false, grid, list: null, height };
}

/** A line of devices under one another, beside their axis. */
function inColumn({ trace, width, room }: Local, size: Blocks, tile: Size): Field | null {
  const { mesh } = trace;
  const x = railRoom(mesh, 0);
  const left = room - LINE - 28 - mesh.size * tile.h;
  if (x + tile.w > width || left < 0) return null;
  const gap = Math.min(SIGNED, Math.floor(left / mesh.size));
  const list = { x, y: 28, columns: 1, seats: mesh.size, gap, map: null };
  return { size, tile, least: NONE, home: false, grid: null, list, height: 28 + mesh.size * (tile.h + gap) + LINE };
}

function inList(local: Local, size: Blocks): Field {
  const { trace, width, room } = local;
  const tile = tileSize(local, size);
  const map = roomOfMap(local, room - LINE - 30);
  const x = map ? map.width + 26 : 0;
  const columns = Math.max(1, Math.min(4, Math.floor((width - x + BETWEEN) / (tile.w + BETWEEN))));
  const down = Math.max(1, Math.floor((room - LINE - 30) / (tile.h + 8)));
  const seats = Math.min(trace.mesh.size, SEATS, columns * Math.min(down, Math.ceil(SEATS / columns)));
  const rows = Math.ceil(seats / columns);
  const top = 30;
  return {
    size,
    tile,
    least: NONE,
    home: false,
    grid: null,
    list: { x, y: top, columns, seats, gap: 8, map: map && placeMap(map, top) },
    height: Math.max(top + rows * (tile.h + 8), map ? top + map.grid.box.h : 0) + LINE,
  };
}

/** The tile that has room for every step. */
function tileSize({ all, trace, tiles }: Local, size: Blocks): Size {
  const known = tiles.get(size);
  if (known) return known;
  let [w, h] = size.lines === 0 ? [0, 0] : [64, 44];
  for (const shown of all) {
    const arranged = arrange(trace, shown, size, trace.mesh.ids);
    w = Math.max(w, arranged.w);
    h = Math.max(h, arranged.h);
  }
  const tile = { w: Math.ceil(w), h: Math.ceil(h) };
  tiles.set(size, tile);
  return tile;
}

/** Blocks of a tile from its corner, and the size of the tile that they want. */
function arrange(trace: TraceModel, { show, formats }: Shown, size: Blocks, ids: Iterable<number>) {
  const later = [...show.after, ...show.watch];
  const before = size.before || later.length === 0 ? show.before : [];
  const all = [...before, ...later];
  const two = before.length > 0 && later.length > 0 ? [before, later] : [all];
  const beside = size.lines === 0;
  const rows = size.lines < 2 ? [all] : size.lines === 2 ? two : all.map((v) => [v]);
  const [pad, between] = size.tight ? [4, 4] : [PAD, GAP];
  const left = beside ? pad + 8 + textWidth(String(Math.max(...ids)), 12, true) : pad;
  const places: Place[] = [];
  // Of blocks in the low rows of many devices.
  const low = beside && size.cell === LOW;
  let [y, widest] = [low ? 1 : beside ? 5 : HEAD + NAME, 0];
  for (const row of rows) {
    let [x, high] = [left, 0];
    row.forEach((v, i) => {
      if (rows.length === 1 && i === before.length && i > 0) x += ARROW - between;
      const face = blockFace(trace, v, size);
      const cell = cellOf({ format: formats.get(v.id) ?? (null as NumberFormat | null) }, size.font, size.tight);
      const w = Math.max(26, face.columns * cell);
      // The last device has the longest slice in its name.
      const words = [trace.nameOf(v, trace.mesh.size - 1), formats.get(v.id)?.exponent ?? ""];
      for (const { text } of copiesSpans(trace, v)) words.push(text);
      const scale = textWidth(formats.get(v.id)?.exponent ?? "", 10, true);
      const room = size.tight
        ? Math.max(w, scale > 0 ? scale + 30 : 0)
        : Math.max(w, Math.min(NAMED, textWidth(words.join(""), 10, true) + 6));
      places.push({ v, box: { x, y, w, h: face.rows * size.cell }, face, room });
      x += room + between;
      high = Math.max(high, face.rows * size.cell);
    });
    // Where blocks stand over others, the arrow stands beside them.
    widest = Math.max(widest, x - between + pad + (rows.length > 1 ? 12 : 0));
    y += high + NAME + 4;
  }
  return { places, w: widest, h: y - NAME + (low ? -3 : beside ? 1 : 4) };
}

/** The face of a block: of one that is joined from pieces and has one line, its pieces side by side. */
function blockFace(trace: TraceModel, v: Place["v"], { lines, rows, columns }: Blocks): Face {
  const corner = trace.corner(v);
  const joined = lines === 0 && corner?.whole ? trace.joined(v) : null;
  if (joined && corner) {
    const n = trace.origins(joined).length / trace.mesh.size;
    const chunk = chunkOf(corner.shape, corner.shape, joined.axis, n);
    return stripOf(trace, v, chunk, n, [rows, Math.max(1, Math.floor(columns / (columns < 64 ? n : 1)))]);
  }
  return faceOf(trace, v, [rows, columns]) ?? { rows: 1, columns: 1, elements: [-1], of: shapeOf(trace, v) };
}

/** The stage of one local step, in the tiles of `home` where that is given. */
export function localStage(
  trace: TraceModel,
  field: Field,
  shown: Shown,
  focus: readonly number[],
  home: Stage | null,
  width: number,
): Stage {
  const { size, grid, list, height } = field;
  const seats: readonly Seat[] =
    home?.tiles ??
    (list ? focus.slice(0, list.seats) : Array.from({ length: trace.mesh.size }, (_, p) => p)).map((p, i) => ({
      members: [p],
      box: seatOf(trace, field, p, i),
      coordinates: size.lines > 0,
    }));
  // Where not all devices are drawn, it is said which.
  const some = home && home.tiles.length < trace.mesh.size ? home : null;
  const column = list && list.map === null && seats.length === trace.mesh.size && size.lines === 0;
  const rows = seats.map(({ members: [p], box }) => [box.y, box.h, String(p)] as const);
  const [{ box } = { box: NONE }] = seats;
  // A step with fewer blocks than others shows more of them, in smaller digits if need be, or longer names.
  const sizes = ROWS.filter((rows) => rows >= size.rows).flatMap((rows) =>
    FEWER.filter((columns) => columns >= size.columns).flatMap((columns) =>
      DIGITS.filter(([font]) => font <= size.font).flatMap(([font, tight]) => {
        const cell = rows > size.rows ? Math.min(18, size.cell) : size.cell;
        // Blocks that stand under others may stand side by side, too.
        const all = home && size.lines > 1 ? ([1, 2, 3] as const) : [size.lines];
        return all.map((lines) => ({ ...size, rows, cell, columns, font, tight, lines }));
      }),
    ),
  );
  const ids = seats.flatMap(({ members }) => members.map((p) => trace.mesh.ids[p] ?? 0));
  const arranged = (one: Blocks) => arrange(trace, shown, one, ids);
  let [own, most] = [size, 0];
  for (const one of sizes) {
    const { places, w, h } = arranged(one);
    const cells = places.reduce((n, { face }) => n + face.elements.length, 0);
    if (w <= box.w && h <= box.h && cells > most) [own, most] = [one, cells];
  }
  const { places, w, h, bare } = squeezed(arranged(own), box);
  return {
    ...PLAIN,
    motion: "none",
    run: "down",
    font: own.font,
    tiles: seats.map((seat, i) => tileOf(seat, places, { w, h }, size.lines === 0, i > 0)),
    map: home?.map ?? list?.map ?? null,
    grid: home ? home.grid : (grid ?? list?.map ?? null),
    small: home?.small ?? [],
    large: home?.large ?? null,
    outer: home?.outer ?? [],
    rails: home?.rails ?? (column ? railDown(trace.mesh, 0, list.x, rows) : []),
    fixed: some?.fixed ?? [],
    frames: [],
    signs: [],
    group: some?.group ?? focus,
    pager: some?.pager ?? null,
    lanes: [],
    receiver: 0,
    piece: null,
    result: null,
    header: null,
    face: null,
    after: null,
    line: home?.line ?? { x: 0, y: height - LINE + 20, width },
    note: hiddenText(places),
    bare,
    width,
    height: home?.height ?? height,
  };
}

/** Blocks in a tile that has no room for them: without numbers, as large as there is room for. */
function squeezed(wanted: ReturnType<typeof arrange>, { w, h }: Size) {
  // An id before them keeps its room.
  const from = Math.min(wanted.places[0]?.box.x ?? 0, w / 2);
  const [x, y] = [Math.min(1, (w - from) / (wanted.w - from)), Math.min(1, h / wanted.h)];
  const bare = Math.min(x, y) < 1;
  const places = wanted.places.map((at) => {
    const box = { x: from + (at.box.x - from) * x, y: at.box.y * y, w: at.box.w * x, h: at.box.h * y };
    return bare ? { ...at, box, room: 0 } : at;
  });
  return { places, w: from + (wanted.w - from) * x, h: wanted.h * y, bare };
}

type Seat = Pick<Tile, "members" | "box" | "coordinates"> & Partial<Pick<Tile, "places" | "id">>;

/** Where the tile of a device stands: on the mesh, or in its place of the list. */
function seatOf({ mesh }: TraceModel, { tile, grid, list }: Field, p: number, i: number): Box {
  if (!list) return deviceBox(mesh, grid as DeviceGrid, p);
  const [column, row] = [i % list.columns, Math.floor(i / list.columns)];
  return { x: list.x + column * (tile.w + BETWEEN), y: list.y + row * (tile.h + list.gap), ...tile };
}

/**
 * A tile with blocks in its middle; those beside the id begin where the block of the collective does, without coordinates where
 * that leaves them no room, and have names over the first tile alone.
 */
function tileOf(seat: Seat, places: readonly Place[], { w, h }: Size, beside: boolean, later: boolean): Tile {
  const { members, box, places: [own] = [] } = seat;
  const [room, first] = [box.w - w, places[0]?.box.x ?? 0];
  const wanted = own ? own.box.x - box.x - first : 0;
  const [dx, dy] = [Math.max(0, beside ? Math.min(wanted, room) : room / 2), Math.max(0, (box.h - h) / 2)];
  const coordinates = seat.coordinates && !(beside && (wanted > room || seat.id === "above"));
  const moved = places.map((at) => ({
    ...at,
    room: beside && later ? 0 : at.room,
    name: beside ? box.y - 6 : undefined,
    box: { ...at.box, x: box.x + dx + at.box.x, y: box.y + (beside ? (box.h - at.box.h) / 2 : dy + at.box.y) },
  }));
  return { members, box, places: moved, id: beside ? "beside" : "above", coordinates };
}

/** What of a block has no room. */
function hiddenText(places: readonly Place[]): string {
  const hidden = places.find(({ face }) => face.rows < face.of[0] || face.columns < face.of[1]);
  if (!hidden) return "";
  const { v, face } = hidden;
  return `${v.name}: ${face.rows} × ${face.columns} of ${face.of.join(" × ")} elements`;
}

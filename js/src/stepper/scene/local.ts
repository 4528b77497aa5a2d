/** A step in which every device works alone: tiles with the blocks before and after. */

import type { NumberFormat } from "../../core/numbers";
import { type DeviceGrid, deviceBox, frameGrid, placeGrid } from "../../draw/grid";
import type { Box } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import type { Formats } from "../model/formats";
import type { TraceModel } from "../model/trace";
import { cellOf, FONTS } from "./cells";
import { type Contents, type Face, faceOf, shapeOf } from "./contents";
import { copiesSpans } from "./copies";
import { LINE } from "./downrows";
import { mapRails, placeMap, roomOfMap } from "./map";
import { PLAIN, type Place, type Stage, type Tile } from "./stage";

/** What a local step shows, and how its numbers are written. */
export interface Shown {
  show: Contents;
  formats: Formats;
}

interface Local {
  trace: TraceModel;
  all: readonly Shown[];
  width: number;
  room: number;
}

/** Sizes of blocks in tiles: as large as there is room for. */
export interface Size {
  font: number;
  rows: number;
  columns: number;
  cell: number;
  /** Lines of blocks: one, those before over those after, or each in its own. */
  lines: 1 | 2 | 3;
}

/** Where the tiles of all local steps stand, and how large their blocks are. */
export interface Field {
  size: Size;
  tile: { w: number; h: number };
  grid: DeviceGrid | null;
  /** For a single group: rows of tiles beside a map. */
  list: { x: number; y: number; columns: number; seats: number; map: DeviceGrid | null } | null;
  height: number;
}

const PAD = 9;
const GAP = 10;
const ARROW = 24;
const NAME = 14;
/** Height of the id over the blocks. */
const HEAD = 18;
/** Most width that a name takes from a tile. */
const NAMED = 66;
const BETWEEN = 12;
/** More devices than these are drawn small, with a group of them in full. */
const FULL = 16;
const SEATS = 8;

const SIZES: readonly Size[] = [4, 3, 2, 1].flatMap((rows) =>
  [64, 8, 4, 2, 1].flatMap((columns) =>
    ([1, 2, 3] as const).flatMap((lines) =>
      FONTS.map((font) => ({ font, rows, columns, cell: rows > 2 ? 18 : 20, lines })),
    ),
  ),
);

/** The first sizes with which every step has room on the mesh; else a list of some devices. */
export function localField(local: Local): Field {
  const { trace, width, room } = local;
  if (trace.mesh.size <= FULL) {
    // Rows of a block are left out before its columns are.
    const sizes = [...SIZES].sort((a, b) => b.columns - a.columns || b.rows - a.rows || a.lines - b.lines);
    for (const size of sizes) {
      const field = onMesh(local, size);
      if (field && field.height <= room && (field.grid?.box.w ?? 0) <= width) return field;
    }
  }
  let last: Field | null = null;
  for (const size of SIZES) {
    last = inList(local, size);
    if (last.height <= room && (last.list?.x ?? 0) + last.tile.w <= width) return last;
  }
  return last as Field;
}

function onMesh(local: Local, size: Size): Field | null {
  const { trace, width } = local;
  const tile = tileSize(local.all, trace, size);
  if (trace.mesh.meshShape.length === 1) return inRows(local, size, tile);
  const frame = frameGrid(trace.mesh, width, tile.w);
  const gap = Math.max(10, Math.min(18, frame.room(0) - tile.w));
  if (frame.room(gap) < tile.w) return null;
  const grid = placeGrid(frame, { x: 0, y: 4 }, { ...tile, gap, rowGap: 10, density: "full" });
  return { size, tile, grid, list: null, height: Math.ceil(grid.y + grid.box.h - frame.top + LINE) };
}

/** A line of devices in as few rows of equal length as there is width for. */
function inRows({ trace, width }: Local, size: Size, tile: Field["tile"]): Field | null {
  const n = trace.mesh.size;
  const most = Math.min(n, Math.floor((width + BETWEEN) / (tile.w + BETWEEN)));
  if (most < 1) return null;
  const rows = Math.ceil(n / most);
  const list = { x: 0, y: 4, columns: Math.ceil(n / rows), seats: n, map: null };
  return { size, tile, grid: null, list, height: 4 + rows * (tile.h + 8) + LINE };
}

function inList(local: Local, size: Size): Field {
  const { trace, width, room } = local;
  const tile = tileSize(local.all, trace, size);
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
    grid: null,
    list: { x, y: top, columns, seats, map: map && placeMap(map, top) },
    height: Math.max(top + rows * (tile.h + 8), map ? top + map.grid.box.h : 0) + LINE,
  };
}

/** The tile that has room for every step. */
function tileSize(all: readonly Shown[], trace: TraceModel, size: Size): { w: number; h: number } {
  let [w, h] = [64, 44];
  for (const shown of all) {
    const arranged = arrange(trace, shown, size);
    w = Math.max(w, arranged.w);
    h = Math.max(h, arranged.h);
  }
  return { w: Math.ceil(w), h: Math.ceil(h) };
}

/** Blocks of a tile from its corner, and the size of the tile that they want. */
function arrange(trace: TraceModel, { show, formats }: Shown, size: Size): { places: Place[]; w: number; h: number } {
  const later = [...show.after, ...show.watch];
  const all = [...show.before, ...later];
  const two = show.before.length > 0 && later.length > 0 ? [show.before, later] : [all];
  const rows = size.lines === 1 ? [all] : size.lines === 2 ? two : all.map((v) => [v]);
  const places: Place[] = [];
  let [y, widest] = [HEAD + NAME, 0];
  for (const row of rows) {
    let [x, high] = [PAD, 0];
    row.forEach((v, i) => {
      if (rows.length === 1 && i === show.before.length && i > 0) x += ARROW - GAP;
      const face = faceOf(trace, v, [size.rows, size.columns]) ?? blank(trace, v);
      const cell = cellOf({ format: formats.get(v.id) ?? (null as NumberFormat | null) }, size.font);
      const w = Math.max(26, face.columns * cell);
      // The last device has the longest slice in its name.
      const words = [trace.nameOf(v, trace.mesh.size - 1), formats.get(v.id)?.exponent ?? ""];
      for (const { text } of copiesSpans(trace, v)) words.push(text);
      const room = Math.max(w, Math.min(NAMED, textWidth(words.join(""), 10, true) + 6));
      places.push({ v, box: { x, y, w, h: face.rows * size.cell }, face, room });
      x += room + GAP;
      high = Math.max(high, face.rows * size.cell);
    });
    // Where blocks stand over others, the arrow stands beside them.
    widest = Math.max(widest, x - GAP + PAD + (rows.length > 1 ? 12 : 0));
    y += high + NAME + 4;
  }
  return { places, w: widest, h: y - NAME + 4 };
}

function blank(trace: TraceModel, v: Place["v"]): Face {
  return { rows: 1, columns: 1, elements: [-1], of: shapeOf(trace, v) };
}

/** The stage of one local step. */
export function localStage(
  trace: TraceModel,
  field: Field,
  shown: Shown,
  focus: readonly number[],
  width: number,
): Stage {
  const { size, grid, list, height } = field;
  const { places, w, h } = arrange(trace, shown, size);
  const seats = list ? focus.slice(0, list.seats) : Array.from({ length: trace.mesh.size }, (_, p) => p);
  const map = grid ?? list?.map;
  return {
    ...PLAIN,
    motion: "none",
    run: "down",
    font: size.font,
    tiles: seats.map((p, i) => tileOf(p, seatOf(trace, field, p, i), places, { w, h })),
    map: list?.map ?? null,
    fixed: map ? mapRails(trace.mesh, map) : [],
    frames: [],
    signs: [],
    group: focus,
    lanes: [],
    receiver: 0,
    piece: null,
    result: null,
    header: null,
    face: null,
    after: null,
    line: { x: 0, y: height - LINE + 20, width },
    note: hiddenText(places),
    width,
    height,
  };
}

/** Where the tile of a device stands: on the mesh, or in its place of the list. */
function seatOf({ mesh }: TraceModel, { tile, grid, list }: Field, p: number, i: number): Box {
  if (!list) return deviceBox(mesh, grid as DeviceGrid, p);
  const [column, row] = [i % list.columns, Math.floor(i / list.columns)];
  return { x: list.x + column * (tile.w + BETWEEN), y: list.y + row * (tile.h + 8), ...tile };
}

/** A tile with blocks in its middle. */
function tileOf(p: number, box: Box, places: readonly Place[], { w, h }: Pick<Box, "w" | "h">): Tile {
  const [dx, dy] = [Math.max(0, (box.w - w) / 2), Math.max(0, (box.h - h) / 2)];
  const moved = places.map((at) => ({ ...at, box: { ...at.box, x: box.x + dx + at.box.x, y: box.y + dy + at.box.y } }));
  return { members: [p], box, places: moved, id: "above", coordinates: true };
}

/** What of a block has no room. */
function hiddenText(places: readonly Place[]): string {
  const hidden = places.find(({ face }) => face.rows < face.of[0] || face.columns < face.of[1]);
  if (!hidden) return "";
  const { v, face } = hidden;
  return `${v.name}: ${face.rows} × ${face.columns} of ${face.of.join(" × ")} elements`;
}

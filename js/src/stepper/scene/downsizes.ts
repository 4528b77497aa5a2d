/** A group that runs down: sizes of its tiles, and of what is beside them, for a choice of what shrinks. */

import { railRoom } from "../../draw/axes";
import { textWidth } from "../../draw/measure";
import { type Ask, adds, chunksOf, groupsOf, pieceFace, signRoom, stripped, tileFace } from "./ask";
import { cellOf, FONTS, SWATCH, TAG, unsent } from "./cells";
import type { Face } from "./contents";
import type { Choice } from "./downchoices";
import { type Fixed, LINE, mapOver } from "./downrows";
import { type MapRoom, OVER, roomOfMap, titleOf } from "./map";
import { along, type Nest, nested, nestRoom } from "./nest";
import { HEAD, TWO_LINES } from "./stage";

export const COLUMN_GAP = 18;

export interface Sizes {
  rails: Rails;
  tile: TileSizes;
  left: LeftSizes;
  side: SideSizes;
  columns: Columns;
  /** Of the whole picture. */
  width: number;
}

/** Rails left of the tiles: those of a mesh of two axes beside all its groups, else of the group's axis or axes. */
interface Rails {
  mesh: boolean;
  axis: number | null;
  nest: Nest | null;
}

interface TileSizes {
  w: number;
  h: number;
  face: Face;
  piece: Face;
  block: { w: number; h: number };
  /** Width of a cell. */
  cell: number;
  /** From the corner of a tile to its block. */
  inset: { x: number; y: number };
  /** Whether coordinates are with ids. */
  coordinates: boolean;
  /** Whether the id stands over the block. */
  above: boolean;
  /** Where the cell that is looked at is written out, from the left edge; null where it is not. */
  reading: { x: number; w: number } | null;
}

interface LeftSizes {
  /** Where the tiles begin. */
  x: number;
  map: MapRoom | null;
  /** Whether the map stands above the group. */
  over: boolean;
  /** Which group is drawn, and where that is said; empty where all are. */
  title: string;
  titleX: number;
}

/** What is at the right of the tiles of the picked group. */
interface SideSizes {
  w: number;
  /** Width of what each member sends to the receiver, and of a copy that goes from tile to tile. */
  slot: number;
  carried: number;
}

/** The groups that are drawn, each in a column of tiles. */
interface Columns {
  groups: readonly (readonly number[])[];
  picked: number;
  /** Left edges. */
  x: readonly number[];
  /** Between the frame of a group and its tiles. */
  pad: number;
}

export function sizesOf(ask: Ask, fixed: Fixed, choice: Choice): Sizes {
  const rails = railsOf(ask, choice);
  const tile = tileSizes(ask, fixed, choice, rails);
  const left = leftSizes(ask, fixed, choice, rails);
  const side = sideSizes(ask, fixed, choice, tile);
  return { rails, tile, left, side, ...columnsOf(ask, fixed, choice, left.x, tile.w, side) };
}

function railsOf(ask: Ask, { whole, tight }: Choice): Rails {
  const mesh = whole && ask.trace.mesh.axes.length < 3;
  return { mesh, axis: along(ask), nest: mesh || !tight.rails ? null : nested(ask) };
}

function tileSizes(ask: Ask, { row, members }: Fixed, choice: Choice, rails: Rails): TileSizes {
  const { columns, tight, font, grow, bare, reads } = choice;
  const { mesh } = ask.trace;
  const cell = bare || cellOf(ask, font) + grow;
  const face = tileFace(ask, [row.rows, columns * chunksOf(ask)]);
  const block = { w: face.columns * cell, h: row.rows * row.cell };
  // Coordinates have a line of their own under ids in rows that are high enough.
  const under = block.h + 2 * row.pad >= TWO_LINES;
  const railed = rails.mesh || rails.axis !== null || rails.nest !== null;
  const coordinates = tight.coordinates && mesh.axes.length > 1 && (under || !railed);
  const ids = idRoom(ask, members, choice.whole || ask.alone);
  const places = coordinates ? textWidth(`(${mesh.meshShape.map((n) => n - 1).join(",")})`, 10, true) : 0;
  const names = under ? Math.max(ids, places) : ids + (places > 0 ? places + 6 : 0);
  const above = choice.whole && ask.mixed && 2 * row.pad > HEAD + 3;
  const inset = { x: above ? tight.pad : tight.pad + names + 8, y: row.pad };
  const reading = reads && stripped(ask) ? { x: inset.x + block.w + 4, w: cellOf(ask, font) } : null;
  const w = Math.max(choice.bare ? 0 : ask.least.w, inset.x + block.w + (reading ? reading.w + 4 : 0) + tight.pad);
  const h = block.h + 2 * row.pad;
  if (above) Object.assign(inset, { x: (w - block.w) / 2, y: HEAD + (h - HEAD - block.h) / 2 });
  return { w, h, above, face, piece: pieceFace(ask, face), block, cell, inset, coordinates, reading };
}

/** Width of ids: where all groups are drawn, in full or in small, their tiles have one width. */
function idRoom({ trace: { mesh }, group }: Ask, members: Fixed["members"], every: boolean): number {
  const ids = members.map(([rank = 0, ...more]) =>
    more.length > 0 ? `×${more.length + 1}` : String(mesh.ids[group[rank] ?? 0] ?? 0),
  );
  if (every) ids.push(String(Math.max(...mesh.ids)));
  return Math.max(...ids.map((id) => textWidth(id, 12, true)));
}

function leftSizes(ask: Ask, { top, height }: Fixed, { whole, map: mapped }: Choice, rails: Rails): LeftSizes {
  const { trace, group, width, alone: single } = ask;
  const over = mapOver(ask);
  const room = over ? OVER + 4 : height - top - LINE;
  const map = whole || single || !mapped || group.length === trace.mesh.size ? null : roomOfMap(ask, room, over);
  const beside = map && !over ? map.width + 26 : 0;
  const rail = railsRoom(ask, rails);
  // The title of a map above its group is at its right; without a map it is over the group.
  const alone = !whole && !map && groupsOf(ask).length > 1;
  const titleX = map ? (over ? map.width + 10 : 0) : rail;
  const title = map || alone ? titleOf(ask, map && !over ? Math.max(210, map.width + 22) : width - titleX) : "";
  return { x: beside + rail, map, over, title, titleX };
}

function railsRoom(ask: Ask, { mesh, axis, nest }: Rails): number {
  if (nest) return nestRoom(ask, nest);
  const first = mesh ? 0 : axis;
  return first === null ? 6 : railRoom(ask.trace.mesh, first);
}

function sideSizes(ask: Ask, { lanes }: Fixed, choice: Choice, tile: TileSizes): SideSizes {
  const { tight, font, swatch, bare } = choice;
  const { face, piece, cell } = tile;
  const slot = piece.columns * cell;
  // Copies stand closer than tiles before they have no numbers.
  const close = cellOf(ask, font, font === FONTS[2]);
  const carried = swatch ? SWATCH : face.columns * (bare ? close : Math.min(cell, close));
  const gather = tight.lane + slot + 4 + TAG.w + (adds(ask) ? 2 * signRoom(ask) - 2 : 4);
  const permute = permuteRoom(lanes, carried) + tile.w + (unsent(ask) ? 70 : 8);
  return { w: ask.motion === "permute" ? permute : gather, slot, carried };
}

export function permuteRoom(lanes: number, copy: number): number {
  return Math.max(1, lanes) * (copy + TAG.w + 12) + 24;
}

/** Where columns begin, and the width that they need with what is beside them. */
function columnsOf(ask: Ask, { row }: Fixed, choice: Choice, left: number, tile: number, side: SideSizes) {
  const { whole, cover, beside, open, tight } = choice;
  const mesh = whole && !open && ask.trace.mesh.axes.length === 2;
  const groups = whole ? groupsOf(ask) : [ask.group];
  const picked = groups.indexOf(ask.group);
  const pad = Math.min(6, row.gap / 2 + 3);
  const between = Math.min(14, tight.pad + 4);
  const x: number[] = [];
  let at = left;
  groups.forEach((_, i) => {
    x.push(at);
    // On a mesh the addition is at its right, so that columns stand as far apart in every step.
    const added = cover ? false : mesh ? i === groups.length - 1 : i === picked || open;
    at += tile + (added ? side.w + (i < groups.length - 1 ? between : 0) : 0) + COLUMN_GAP;
  });
  const columns: Columns = { groups, picked, x, pad };
  const end = Math.max(at - COLUMN_GAP + beside, cover ? (x[picked] ?? 0) + tile + side.w : 0);
  return { columns, width: end + (cover ? 8 : groups.length > 1 ? pad : 0) };
}

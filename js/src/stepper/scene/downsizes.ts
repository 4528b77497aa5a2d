/** A group that runs down: sizes of its tiles, and of what is beside them, for a choice of what shrinks. */

import { textWidth } from "../../draw/measure";
import { DOTTED } from "../model/caption";
import { type Ask, adds, pieceFace, signRoom, stripped, tileFace } from "./ask";
import { railRoom } from "./axes";
import { cellOf, SWATCH, TAG, unsent } from "./cells";
import type { Face } from "./contents";
import type { Choice } from "./downchoices";
import { DOTS, type Fixed, HEAD, LINE, mapOver } from "./downrows";
import { type MapRoom, OVER, roomOfMap, titleOf } from "./map";
import { along, nested, nestRoom } from "./nest";

/** Sizes of a tile, of what is beside it and of what is at its left. */
export function sizesOf(
  ask: Ask,
  { row, members, lanes, chunks, top, height }: Fixed,
  { whole, map: mapped, columns: most, tight, font, grow, swatch, bare, reads }: Choice,
) {
  const { trace, motion, group } = ask;
  const { mesh } = trace;
  const gutters = motion === "gutters";
  const cellWidth = bare || cellOf(ask, font) + grow;
  const face = tileFace(ask, [row.rows, most * (stripped(ask) ? ask.plan.n : 1)]);
  const piece = pieceFace(ask, face);
  const block = { w: face.columns * cellWidth, h: row.rows * row.cell };
  const above = gutters && members.length <= DOTTED;
  const dots = above && adds(ask) ? DOTS : 0;
  // Coordinates have a line of their own under ids in rows that are high enough.
  const under = block.h >= 32 || block.h + 2 * row.pad >= 40;
  // On a mesh of two axes, its own rails stand beside all groups.
  const plain = whole && mesh.axes.length < 3;
  const nest = plain || !tight.rails ? null : nested(ask);
  const railed = plain || along(ask) !== null || nest !== null;
  const coordinates = (tight.coordinates || above) && mesh.axes.length > 1 && (under || !railed);
  // All groups have tiles of one width.
  const ids = Math.max(
    ...members.map((ranks) => idWidth(ask, ranks)),
    ...(whole ? [textWidth(String(Math.max(...mesh.ids)), 12, true)] : []),
  );
  const places = coordinates ? textWidth(`(${mesh.meshShape.map((n) => n - 1).join(",")})`, 10, true) : 0;
  const numbers = above ? ids : under ? Math.max(ids, places) : ids + (places > 0 ? places + 6 : 0);
  const head = above ? HEAD : 0;
  const inset = above ? tight.pad : tight.pad + numbers + 8;
  const reading = reads && stripped(ask) ? { x: inset + block.w + 4, w: cellOf(ask, font) } : null;
  const tileW = Math.max(inset + block.w + (reading ? reading.w + 4 : 0) + tight.pad, above ? ids + 60 : 0);
  const tileH = head + row.pad + block.h + row.pad + dots;

  const over = mapOver(ask);
  const map: MapRoom | null =
    whole || !mapped || group.length === mesh.size ? null : roomOfMap(ask, over ? OVER + 4 : height - top - LINE, over);
  const left = map && !over ? map.width + 26 : 0;
  // The title of a map above its group is at its right; without a map it is over the group.
  const alone = !whole && !map && trace.groups(ask.c).length > 1;
  const rail = plain
    ? railRoom(mesh, 0)
    : nest
      ? nestRoom(ask, nest)
      : along(ask) === null
        ? 6
        : railRoom(mesh, along(ask) ?? 0);
  const titleX = map ? (over ? map.width + 10 : 0) : rail;
  const title = map || alone ? titleOf(ask, map && !over ? Math.max(210, map.width + 22) : ask.width - titleX) : "";
  const slotW = piece.columns * cellWidth;
  // A copy from tile to tile is a few chunks and a tag.
  const columns = stripped(ask) ? (face.columns / ask.plan.n) * chunks : face.columns;
  const carried = swatch ? SWATCH : columns * (bare ? cellOf(ask, font) : cellWidth);
  const wrap = gutters ? wrapRoom(ask, face, cellWidth) : 0;
  const side =
    motion === "gather"
      ? tight.lane + slotW + 4 + TAG.w + (adds(ask) ? 2 * signRoom(ask) - 2 : 4)
      : motion === "permute"
        ? permuteRoom(lanes, carried) + tileW + (unsent(ask) ? 70 : 8)
        : gutters
          ? wrap
          : lanes * (carried + TAG.w + 12) + 16;
  return {
    face,
    piece,
    block,
    above,
    plain,
    nest,
    coordinates,
    head,
    inset,
    reading,
    carried,
    tileW,
    tileH,
    over,
    map,
    left,
    titleX,
    title,
    rail,
    slotW,
    wrap,
    side,
  };
}

function idWidth({ trace, group }: Ask, ranks: readonly number[]): number {
  const text = ranks.length > 1 ? `×${ranks.length}` : String(trace.mesh.ids[group[ranks[0] ?? 0] ?? 0] ?? 0);
  return textWidth(text, 12, true);
}

/** Room beside a column for the copy that goes round from the last member to the first. */
function wrapRoom(ask: Ask, face: Face, cell: number): number {
  const each = stripped(ask) ? face.columns / ask.plan.n : face.columns;
  return Math.max(26, each * cell + 9);
}

export function permuteRoom(lanes: number, copy: number): number {
  return Math.max(1, lanes) * (copy + TAG.w + 12) + 24;
}

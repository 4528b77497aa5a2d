/** A group that runs down: how many rows it has, and how high they are. */

import { FOLDED_ROWS, UNFOLDED } from "../../collective/model/plan";
import { type Ask, adds, groupsOf, rowsOf, tileFace } from "./ask";
import { permuted, rowIndex } from "./cells";
import { OVER_ROOM } from "./map";
import { joined, lanesOf } from "./routes";
import { HEAD } from "./stage";

/** Sizes of rows: as generous as the height allows. */
export interface Row {
  /** Rows of a block, and the height of one. */
  rows: number;
  cell: number;
  /** Over and under the block, and between tiles. */
  pad: number;
  gap: number;
}

/** Over the tiles: coordinates and rail, or the header of the addition. */
const TOP = 34;
/** Where no second axis is named over them. */
const LOW_TOP = 24;
/** Of the running line and its margins. */
export const LINE = 38;

/** What does not depend on what shrinks. */
export interface Fixed {
  row: Row;
  members: readonly (readonly number[])[];
  top: number;
  height: number;
  /** Lanes that the copies of a permutation need beside the tiles. */
  lanes: number;
}

/** Rows, and the lanes that copies need at any width. */
export function fixedOf(ask: Ask, over: boolean): Fixed {
  const sizes = vertical(ask, over);
  const rounds = ask.motion === "permute" ? [joined(permuted(ask))] : [];
  return { ...sizes, lanes: lanesOf(rounds, rowIndex(sizes.members)) };
}

/** Over and under a copy between two rows. */
const HALO = 8;

/** Rows that use a height that is left over, as far as they still look like rows; `between` them copies have room. */
export function stretched(fixed: Fixed, most: number, least: number, between: boolean): Fixed {
  const { row, members, height } = fixed;
  // The result is a row too.
  const n = members.length + 1;
  const each = Math.max(0, Math.min(30, Math.floor((most - height) / n)));
  const lacks = Math.max(0, least - row.rows * row.cell - 2 * row.pad);
  const cell = lacks > 0 ? 0 : Math.min(6, Math.floor(each / (2 * row.rows)));
  const pad = lacks > 0 ? Math.floor(Math.min(each, lacks) / 2) : Math.floor((each - cell * row.rows) / 6);
  const gap = each - cell * row.rows - 2 * pad;
  const higher = between
    ? apart(row, each, least)
    : { ...row, cell: row.cell + cell, pad: row.pad + pad, gap: row.gap + gap };
  return { ...fixed, row: higher, height: height + n * each };
}

/** Rows of so much more height, with room for a copy between two of them before there is more about their blocks. */
function apart(row: Row, more: number, least: number): Row {
  const block = row.rows * row.cell;
  const left = 2 * row.pad + row.gap + more;
  const gap = Math.max(row.gap, Math.min(block + HALO, left - Math.max(6, least - block)));
  return { ...row, gap, pad: Math.floor((left - gap) / 2) };
}

/** How high it is at any width. */
export function downHeight(ask: Ask): number {
  const height = vertical(ask, false).height;
  return mapOver(ask) ? Math.max(height, vertical(ask, true).height) : height;
}

/** Whether the map stands over the group: beside it there is no room in cards of less than 666 px. */
export function mapOver(ask: Ask): boolean {
  return ask.width < 640 && groupsOf(ask).length > 1;
}

/**
 * Whether all groups can be drawn side by side: on a mesh of two axes where they are its columns, on one of more axes
 * each under what its devices have in common.
 */
export function wholeMesh(ask: Ask): boolean {
  const { trace, motion } = ask;
  const [rows = 1, columns = 1, ...more] = trace.mesh.meshShape;
  const groups = groupsOf(ask);
  if (trace.mesh.size > 16 || motion === "permute") return false;
  if (more.length > 0) return groups.length > 1;
  return (
    groups.length === columns && groups.every((g, x) => g.length === rows && g.every((p, y) => p === y * columns + x))
  );
}

/** Height of a row of a block, margins over and under it and between tiles: of up to four members, and of up to eight. */
const CLOSER = [
  [20, 7, 14],
  [18, 4, 12],
  [16, 1, 12],
] as const;
const DENSE = [[16, 2, 4]] as const;

/** Rows of tiles in which all steps stand, with the id over the block and as high as the others need. */
function highRow({ least }: Ask, row: Row): Row {
  return { ...row, pad: Math.max(row.pad, Math.ceil(Math.max(least.h - row.rows * row.cell, HEAD + 7) / 2)) };
}

/** Rows of tiles with as much as the height allows, folded where even little is too much. */
function vertical(ask: Ask, over: boolean) {
  const { group, receiver, room, motion } = ask;
  const named = ask.trace.mesh.axes.length > 1 && wholeMesh(ask);
  // The title of a group is over the names of what stands in its columns.
  const titled = motion === "permute" && groupsOf(ask).length > 1 ? 16 : 0;
  const top = over ? LOW_TOP + OVER_ROOM : named ? TOP + (motion === "gather" ? 14 : 0) : LOW_TOP + titled;
  const natural = tileFace(ask, [64, 4096]).rows;
  const result = motion === "gather" && adds(ask);
  const of = (row: Row, n: number) => {
    const pitch = row.rows * row.cell + 2 * row.pad + row.gap;
    return Math.ceil(top + n * pitch - row.gap + (result ? 12 + row.rows * row.cell + 8 : ask.mixed ? 16 : 10) + LINE);
  };
  for (const most of [UNFOLDED, FOLDED_ROWS]) {
    const members = rowsOf(group.length, receiver, most);
    const n = members.length;
    const choices: Row[] = [];
    // Rows stand closer before one is left out.
    for (let rows = Math.min(natural, 4); rows > 1; rows--)
      for (const [cell, pad, gap] of n > 8 ? [] : n > 4 ? DENSE : CLOSER) choices.push({ rows, cell, pad, gap });
    if (n <= 4) choices.push({ rows: 1, cell: 20, pad: 13, gap: 14 });
    if (n <= 8) for (const between of [6, 5, 4]) choices.push({ rows: 1, cell: 20, pad: between, gap: between });
    choices.push({ rows: 1, cell: 18, pad: 2, gap: 3 }, { rows: 1, cell: 16, pad: 1, gap: 2 });
    const high = ask.mixed && named ? choices.map((row) => highRow(ask, row)) : [];
    const row =
      [...high, ...choices].find((r) => of(r, n) <= room) ?? (most === FOLDED_ROWS ? choices.at(-1) : undefined);
    if (row) return { row, members, top, height: of(row, n) };
  }
  throw new RangeError("a group has no rows");
}

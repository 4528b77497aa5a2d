/**
 * A placement as a small picture beside a type: a tile a rectangle, in the colour of its place.
 *
 *     ▭▭      four parts down, two across; a third split dimension makes groups of them
 *     ▭▭
 */
import { hex, type Scheme, tileColors } from "../../core/color";
import type { PlacementModel } from "../../core/placement";
import { type Box, inside, type Mark } from "../../draw/marks";

export const MINI = { width: 66, height: 28 } as const;
/** Parts of a dimension that are drawn; of more, some. */
const MOST = 16;
const MOST_GROUPS = 4;
/** Up to this many parts have a gap between them. */
const GAPS = 8;

export interface Cell extends Box {
  /** Flat index of the tile. */
  tile: number;
}

export interface Mini {
  width: number;
  height: number;
  cells: readonly Cell[];
}

export function miniOf(model: PlacementModel): Mini {
  const split = model.grid.flatMap((n, d) => (n > 1 ? [d] : []));
  // One split dimension runs across where it is the last, as the columns of a matrix do.
  const lonely = split.length === 1 && split[0] !== model.rank - 1;
  const column = lonely ? undefined : split.at(-1);
  const row = lonely ? split[0] : split.at(-2);
  const groups = split.filter((d) => d !== row && d !== column);
  const across = sampled(
    groups.reduce((n, d) => n * (model.grid[d] ?? 1), 1),
    MOST_GROUPS,
  );
  const rows = sampled(row === undefined ? 1 : (model.grid[row] ?? 1), MOST);
  const columns = sampled(column === undefined ? 1 : (model.grid[column] ?? 1), MOST);
  const gapX = columns.length > GAPS ? 0 : 1.5;
  const gapY = rows.length > GAPS ? 0 : 1.5;
  const groupWidth = (MINI.width - 4 * (across.length - 1)) / across.length;
  const w = (groupWidth - gapX * (columns.length - 1)) / columns.length;
  const h = Math.min(12, (MINI.height - gapY * (rows.length - 1)) / rows.length);
  const cells: Cell[] = [];
  across.forEach((group, a) => {
    const parts = new Array<number>(model.rank).fill(0);
    let rest = group;
    for (const d of [...groups].reverse()) {
      parts[d] = rest % (model.grid[d] ?? 1);
      rest = Math.floor(rest / (model.grid[d] ?? 1));
    }
    rows.forEach((i, r) => {
      if (row !== undefined) parts[row] = i;
      columns.forEach((j, c) => {
        if (column !== undefined) parts[column] = j;
        const x = a * (groupWidth + 4) + c * (w + gapX);
        cells.push({ x, y: r * (h + gapY), w, h, tile: model.tileIndex(parts) });
      });
    });
  });
  return { width: MINI.width, height: rows.length * (h + gapY) - gapY, cells };
}

/** Its marks, within a margin of one pixel for the edges. */
export function miniMarks(model: PlacementModel, mini: Mini, scheme: Scheme): Mark[] {
  const color = tileColors(model, scheme);
  const partial = model.doc.unreduced.length > 0;
  const edged = mini.cells.length <= GAPS * GAPS;
  return mini.cells.map(({ tile, ...box }) => ({
    kind: "rect",
    ...box,
    x: box.x + 1,
    y: box.y + 1,
    fill: hex(color(tile)),
    ...(edged ? { r: 1, stroke: { color: "edge", width: 0.9, ...(partial ? { dash: [2, 1.5] } : {}) } } : {}),
    ...(partial ? { hatch: true } : {}),
  }));
}

/** The tile at a point of the picture; in the gap behind one, that one; outside of the tiles, none. */
export function tileIn(mini: Mini, x: number, y: number): number | null {
  const found =
    mini.cells.find((cell) => inside(cell, x, y)) ??
    mini.cells.find((cell) => inside({ ...cell, w: cell.w + 1.5, h: cell.h + 1.5 }, x, y));
  return found?.tile ?? null;
}

/** Some of n parts, evenly. */
function sampled(n: number, most: number): number[] {
  const count = Math.min(n, most);
  return Array.from({ length: count }, (_, i) => Math.floor((i * n) / count));
}

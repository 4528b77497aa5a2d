/**
 * Faces: an array of any rank as 2-D pictures. Two dimensions run down and across a face; the others make facets,
 * one dimension across and all the rest down.
 *
 *        facet column 0        facet column 1
 *      ┌────┬────┐ ┐         ┌────┬────┐
 *      │    │    │ │ rows    │    │    │      facet row 0
 *      ├────┼────┤ │         ├────┼────┤
 *      └────┴────┘ ┘         └────┴────┘
 *       columns
 */
import { product, unravel } from "../../core/mesh";
import type { PlacementModel } from "../../core/placement";
import type { Box } from "../../draw/marks";

/** A stretch of one dimension, with its place in pixels from the track's start. */
export interface Segment {
  part: number;
  start: number;
  stop: number;
  from: number;
  to: number;
}

export interface Track {
  /** The dimension, or null for a track of one cell that stands for no dimension. */
  dim: number | null;
  segments: readonly Segment[];
  length: number;
}

/** One facet row: a fixed stretch of every dimension that runs down the facets. */
export interface FacetRow {
  stretches: readonly Omit<Segment, "from" | "to">[];
  from: number;
}

export interface Faces {
  rows: Track;
  columns: Track;
  /** Facets across, or one segment of no dimension. */
  across: Track;
  downDims: readonly number[];
  down: readonly FacetRow[];
  /** Facets there are in all, across and down, more than are shown when they do not fit, and the first that is shown. */
  total: readonly [number, number];
  first: readonly [number, number];
  /** Whether every element is large enough for its number. */
  numbers: boolean;
  faceWidth: number;
  faceHeight: number;
  width: number;
  height: number;
}

/** Which dimensions are rows and columns (null: chosen here), and what part of the array is in view. */
export interface Choice {
  rowDim: number | null;
  columnDim: number | null;
  /** First facet shown, across and down. */
  facet: readonly [number, number];
  /** Parts in view along rows and columns, `[first, count]`; null for all. */
  window: readonly [readonly [number, number], readonly [number, number]] | null;
  /** The mesh axis that makes the panels of the mesh; null: chosen here. */
  panels: number | null;
  /** Dimensions and axes keep their places, whichever are split: for a spec that is being edited. */
  inOrder: boolean;
  /** Width of an element that holds any of the numbers; 0 where there are too many; null where no values are shown. */
  cell: number | null;
}

export const WHOLE: Choice = {
  rowDim: null,
  columnDim: null,
  facet: [0, 0],
  window: null,
  panels: null,
  inOrder: false,
  cell: null,
};

/** Height of an element that holds a number, with its share of the gutters. */
const LINE = 16;
/** Of values, a facet shows one index of a dimension up to this long. */
const MOST_PLANES = 4096;

/**
 * The dimensions of rows, columns, facets across and facets down: those with the most parts first. One that is not split
 * makes no facets, unless values are shown, of which a facet has one plane.
 */
export function roles({ grid }: PlacementModel, { rowDim, columnDim, inOrder, cell }: Choice) {
  const parts = (d: number) => (inOrder ? 1 : (grid[d] ?? 1));
  const free = [...grid.keys()].sort((a, b) => parts(b) - parts(a) || (parts(a) > 1 ? a - b : b - a));
  const take = (wanted = free[0]): number | null => free.splice(free.indexOf(wanted ?? -1) >>> 0, 1)[0] ?? null;
  let row = rowDim === null ? null : take(rowDim);
  let column = columnDim === null ? null : take(columnDim);
  if (column === null) {
    column = take();
    // Of two that are chosen here, the earlier one runs down.
    if (row === null && free[0] !== undefined) [row, column] = [column, take() ?? 0].sort(byNumber);
  } else if (row === null) row = take();
  const [across = null, ...down] = free.filter((d) => cell !== null || (grid[d] ?? 1) > 1);
  return { row, column, across, down: down.sort(byNumber) };
}

function byNumber(a: number | null, b: number | null): number {
  return (a ?? 0) - (b ?? 0);
}

/**
 * Lays the faces into a width and a height: as many facets as have room, each wide enough for the numbers in it where
 * that is possible. The style gives the gaps between tiles, facets and facet rows, the least width of a facet, the
 * largest side of an element, and whether facets may leave the array's aspect ratio to fill the height.
 */
export function layoutFaces(
  model: PlacementModel,
  choice: Choice,
  width: number,
  height: number,
  style: { tile: number; facet: number; facetRow: number; least: number; largestCell: number; stretch?: boolean },
): Faces {
  const { row, column, across, down } = roles(model, choice);
  const size = (dim: number | null) => (dim === null ? 1 : Math.max(1, model.doc.dims[dim]?.size ?? 1));
  const fewest = choice.cell === null ? 0 : MOST_PLANES;
  const acrossAll = across === null ? null : stretches(model, across, fewest);
  const downAll = down.map((d) => stretches(model, d, fewest));
  const total = [acrossAll?.length ?? 1, product(downAll.map((s) => s.length))] as const;

  const rowsInView = choice.window ? windowSize(model, row, choice.window[0]) : size(row);
  const columnsInView = choice.window ? windowSize(model, column, choice.window[1]) : size(column);
  // Many blocks and facets would be too narrow in the proportions of a long array.
  const [flat, tall] = across !== null ? [0.5, 1] : model.tiles >= MANY ? [0.75, 1.33] : [0.25, 4];
  const ratio = Math.min(tall, Math.max(flat, rowsInView / columnsInView));
  const cell = choice.cell ?? 0;
  const forNumbers = [columnsInView * cell, rowsInView * LINE] as const;
  const numbers = cell > 0 && forNumbers[0] <= width && forNumbers[1] <= height;
  // Colours of many elements need more room than those of parts.
  const least = style.least * (choice.cell === null ? 1 : 3);
  const [leastWidth, leastHeight] = numbers ? forNumbers : [least, least * Math.max(ratio, 0.75)];
  const roomFor = (length: number, gap: number, least: number, count: number) =>
    Math.max(1, Math.min(count, Math.floor((length + gap) / (least + gap))));
  const nAcross = roomFor(width, style.facet, leastWidth, total[0]);
  const nDown = roomFor(height, style.facetRow, leastHeight, total[1]);
  const first = [Math.min(choice.facet[0], total[0] - nAcross), Math.min(choice.facet[1], total[1] - nDown)] as const;
  const most = (height - (nDown - 1) * style.facetRow) / nDown;
  let faceWidth = Math.max(1, (width - (nAcross - 1) * style.facet) / nAcross);
  if (columnsInView * style.largestCell < faceWidth) faceWidth = Math.max(columnsInView * style.largestCell, 60);
  let faceHeight = style.stretch && nAcross > 1 ? Math.min(most, 2 * faceWidth) : faceWidth * ratio;
  if (faceHeight > most) {
    faceHeight = Math.max(1, most);
    // One without rows may use the width.
    if (row !== null) faceWidth = Math.min(faceWidth, ((across === null ? 1 : 2) * faceHeight) / ratio);
  }
  if (numbers) [faceWidth, faceHeight] = [Math.max(faceWidth, leastWidth), Math.max(faceHeight, leastHeight)];
  const pitch = faceWidth + style.facet;
  return {
    rows: track(model, row, choice.window?.[0] ?? null, faceHeight, style.tile),
    columns: track(model, column, choice.window?.[1] ?? null, faceWidth, style.tile),
    across: {
      dim: across,
      segments: (acrossAll ?? [{ part: 0, start: 0, stop: 1 }])
        .slice(first[0], first[0] + nAcross)
        .map((s, i) => ({ ...s, from: i * pitch, to: i * pitch + faceWidth })),
      length: nAcross * pitch - style.facet,
    },
    downDims: down,
    down: Array.from({ length: nDown }, (_, i) => ({
      stretches: unravel(
        first[1] + i,
        downAll.map((s) => s.length),
      ).map((k, d) => downAll[d]?.[k] ?? { part: 0, start: 0, stop: 1 }),
      from: i * (faceHeight + style.facetRow),
    })),
    total,
    first,
    numbers,
    faceWidth,
    faceHeight,
    width: nAcross * pitch - style.facet,
    height: nDown * (faceHeight + style.facetRow) - style.facetRow,
  };
}

/** Blocks of an array, and devices, from which the picture has room for its shape alone. */
export const MANY = 64;

/** The boxes of a tile: one in each facet that shows some of it. */
export function tileBoxes(model: PlacementModel, faces: Faces, tile: number): Box[] {
  const parts = model.parts(tile);
  const inTrack = (t: Track) => t.segments.filter((s) => t.dim === null || s.part === parts[t.dim]);
  const boxes: Box[] = [];
  for (const facetRow of faces.down) {
    if (!facetRow.stretches.every((s, i) => s.part === parts[faces.downDims[i] ?? 0])) continue;
    for (const facet of inTrack(faces.across)) {
      for (const r of inTrack(faces.rows)) {
        for (const c of inTrack(faces.columns)) {
          boxes.push({ x: facet.from + c.from, y: facetRow.from + r.from, w: c.to - c.from, h: r.to - r.from });
        }
      }
    }
  }
  return boxes;
}

/** The tile at a point of the faces, or null between and beside them. */
export function tileAtPoint(model: PlacementModel, faces: Faces, x: number, y: number): number | null {
  const facet = faces.across.segments.find((s) => x >= s.from && x < s.to);
  const down = faces.down.find((d) => y >= d.from && y < d.from + faces.faceHeight);
  if (!facet || !down) return null;
  const column = segmentAt(faces.columns, x - facet.from);
  const row = segmentAt(faces.rows, y - down.from);
  if (!column || !row) return null;
  return tileOf(model, faces, facet, down, row, column);
}

/** The tile of a cell of a facet. */
export function tileOf(model: PlacementModel, faces: Faces, across: Segment, down: FacetRow, r: Segment, c: Segment) {
  const parts = new Array<number>(model.rank).fill(0);
  if (faces.rows.dim !== null) parts[faces.rows.dim] = r.part;
  if (faces.columns.dim !== null) parts[faces.columns.dim] = c.part;
  if (faces.across.dim !== null) parts[faces.across.dim] = across.part;
  faces.downDims.forEach((d, i) => {
    parts[d] = down.stretches[i]?.part ?? 0;
  });
  return model.tileIndex(parts);
}

/** The segment at a pixel of a track; a gap belongs to the segment before it. */
function segmentAt(t: Track, at: number): Segment | null {
  let low = 0;
  let high = t.segments.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((t.segments[middle]?.from ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return t.segments[low] ?? null;
}

/** One stretch an index where there are few, else one a part. */
function stretches(model: PlacementModel, dim: number, fewest: number): Omit<Segment, "from" | "to">[] {
  const size = model.doc.dims[dim]?.size ?? 0;
  const out: Omit<Segment, "from" | "to">[] = [];
  for (let part = 0; part < (model.grid[dim] ?? 1); part++) {
    const [start, stop] = model.bounds(dim, part);
    if (size > fewest || start === stop) out.push({ part, start, stop });
    else for (let i = start; i < stop; i++) out.push({ part, start: i, stop: i + 1 });
  }
  return out;
}

function windowSize(model: PlacementModel, dim: number | null, [first, count]: readonly [number, number]): number {
  if (dim === null) return 1;
  const last = Math.min(model.grid[dim] ?? 1, first + count) - 1;
  return Math.max(1, model.bounds(dim, last)[1] - model.bounds(dim, first)[0]);
}

function track(
  model: PlacementModel,
  dim: number | null,
  window: readonly [number, number] | null,
  length: number,
  widest: number,
): Track {
  if (dim === null) return { dim, segments: [{ part: 0, start: 0, stop: 1, from: 0, to: length }], length };
  const n = model.grid[dim] ?? 1;
  const first = window?.[0] ?? 0;
  const count = Math.min(window?.[1] ?? n, n - first);
  const elements = windowSize(model, dim, [first, count]);
  // Gutters shrink with the tiles and vanish where they would eat them.
  const gap = length / count >= 24 ? widest : length / count >= 10 ? Math.min(2, widest) : 0;
  const perElement = (length - gap * (count - 1)) / elements;
  const empty = (model.doc.dims[dim]?.size ?? 0) === 0;
  const segments: Segment[] = [];
  let at = 0;
  for (let part = first; part < first + count; part++) {
    const [start, stop] = model.bounds(dim, part);
    const to = at + (empty ? (length - gap * (count - 1)) / count : (stop - start) * perElement);
    segments.push({ part, start, stop, from: at, to });
    at = to + gap;
  }
  return { dim, segments, length };
}

/** Where the devices of a program stand: in the order of the user's mesh, or by their physical coordinates. */
import type { Mesh } from "../../../core/document.gen";
import { MeshModel } from "../../../core/mesh";
import { type Density, type DeviceGrid, deviceBox, frameGrid, placeGrid } from "../../../draw/grid";
import type { Box, Mark } from "../../../draw/marks";
import { shift } from "../../../draw/marks";
import { rails } from "../../../draw/rails";
import type { ProgramModel } from "../../model/program";

/** Devices keep their places while a collective is played. */
export interface Stage {
  width: number;
  height: number;
  physical: boolean;
  /** Boxes of all devices by mesh position. */
  boxes: readonly Box[];
  density: Density;
  grid: DeviceGrid;
  /** The mesh that the grid is of: the user's, or the physical box. */
  drawn: MeshModel;
  /** Where devices are small: places for those of one group in full, below them. */
  seats: readonly Box[];
}

/** Size of a device in full: its id, its coordinates, the chunks that it holds. */
export const TILE = { w: 84, h: 64, least: 46 } as const;
/** Of more rows of devices, so that four fit beside the table: the coordinates stand beside the id. */
const LOW = { rows: 3, h: 44, rowGap: 20 } as const;
/** Room between tiles for copies and arrows. */
const GAP = 24;
/** What passes other tiles does so in the gap beside their column. */
export const LANE = GAP;
const ROW_GAP = 34;
/** Over the tiles in full, for the title of their group. */
export const TITLE = 44;
/** Devices of a group that are shown in full at most. */
const SEATS = 16;
/** More devices than these are not all in full. */
const FULL = 32;

/** `ranks`: size of the groups that are shown. */
export function stageOf(model: ProgramModel, width: number, physical: boolean, ranks: number): Stage {
  const place = (physical && physicalPlaces(model)) || null;
  const drawn = place?.mesh ?? model.mesh;
  const frame = frameGrid(drawn, width - EDGE, drawn.size > FULL ? 8 : 40);
  const room = frame.room(GAP);
  const full = drawn.size <= FULL && room >= TILE.least;
  const density: Density = full ? "full" : frame.room(8) >= 26 ? "compact" : frame.room(2) >= 3 ? "cell" : "field";
  const gap = { full: GAP, compact: 8, cell: 2, field: 0 }[density];
  const w = Math.max(0.5, Math.min(frame.room(gap), full ? TILE.w : density === "compact" ? 44 : 22));
  const low = frame.rows > LOW.rows;
  const h = {
    full: low ? LOW.h : TILE.h,
    compact: 26,
    cell: Math.min(16, w),
    field: Math.min(w, Math.max(0.5, HIGH / frame.rows)),
  }[density];
  const grid = placeGrid(
    frame,
    { x: APART, y: 2 + APART },
    { w, h, gap, rowGap: full && !frame.ring ? (low ? LOW.rowGap : ROW_GAP) : gap, density },
  );
  const boxes = Array.from({ length: drawn.size }, (_, p) => deviceBox(drawn, grid, place ? (place.at[p] ?? 0) : p));
  const bottom = Math.max(...boxes.map((b) => b.y + b.h));
  const seats = full ? [] : seatsIn(width, bottom + TITLE, Math.min(ranks, drawn.size));
  const end = Math.max(bottom, ...seats.map((b) => b.y + b.h));
  const right = Math.max(...[...boxes, ...seats].map((b) => b.x + b.w));
  const used = Math.ceil(Math.min(width, full ? right + EDGE - APART : width));
  return { width: used, height: Math.ceil(end + 20), physical: place !== null, boxes, density, grid, drawn, seats };
}

/** Between the rails and the outlines of groups. */
const APART = 4;
/** Room for outlines, and for what passes the tiles of the last column. */
const EDGE = 24;
/** Height of a field of devices. */
const HIGH = 360;

/** Tiles in rows that turn at their ends, so that neighbours in rank stand side by side. */
function seatsIn(width: number, top: number, wanted: number): Box[] {
  const n = Math.min(SEATS, wanted);
  const across = Math.max(1, Math.min(n <= 4 ? n : 4, Math.floor((width - 8 + GAP) / (TILE.least + GAP))));
  const w = Math.min(TILE.w, (width - 8 - (across - 1) * GAP) / across);
  return Array.from({ length: n }, (_, i) => {
    const row = Math.floor(i / across);
    const column = row % 2 === 0 ? i % across : across - 1 - (i % across);
    return { x: 4 + column * (w + GAP), y: top + row * (TILE.h + ROW_GAP), w, h: TILE.h };
  });
}

/** The physical box as a mesh: the second coordinate down, the first across, others in boxes; null where there is none. */
function physicalPlaces(model: ProgramModel): { mesh: MeshModel; at: readonly number[] } | null {
  const box = model.box();
  if (!box) return null;
  // Coordinates that are all the same say nothing.
  const used = box.sizes.flatMap((n, k) => (n > 1 ? [k] : []));
  const [across = 0, down, ...more] = used;
  const order = down === undefined ? [across] : [down, across, ...more];
  const axes = order.map((k) => ({ name: LETTERS[k] ?? `c${k}`, size: box.sizes[k] ?? 1, type: "Auto" as const }));
  const ring = down === undefined && (model.doc.wraps[across] ?? false);
  const mesh = new MeshModel({ ...(model.mesh.mesh as Mesh), axes, coords: [], ring });
  const at = Array.from({ length: mesh.size }, (_, p) =>
    order.reduce((index, k) => {
      const coordinate = (model.mesh.coords[k]?.[p] ?? 0) - (box.least[k] ?? 0);
      return index * (box.sizes[k] ?? 1) + coordinate;
    }, 0),
  );
  return { mesh, at };
}

const LETTERS = ["x", "y", "z", "core"];

/** Names of the axes at the edges; physical ones in grey, for colours are those of mesh axes. */
export function railMarks(stage: Stage): Mark[] {
  const { ring, y, h } = stage.grid;
  const all = rails(stage.drawn, stage.grid);
  // A ring's own links are drawn by what they carry.
  const marks = (ring ? all.filter((m) => m.kind === "text") : all).map((m): Mark => {
    if (ring && m.kind === "text" && m.y > y + h) return { ...m, y: m.y + APART };
    const left =
      m.kind === "line" ? m.points[0]?.[0] === m.points.at(-1)?.[0] : m.kind === "text" && m.anchor === "end";
    return shift([m], left ? -APART : 0, left ? 0 : -APART)[0] ?? m;
  });
  if (!stage.physical) return marks;
  return marks.map((m): Mark => {
    if (m.kind === "line") return { ...m, stroke: { color: "muted", width: 1.2 } };
    if (m.kind !== "text") return m;
    return { ...m, color: "muted", spans: m.spans.map(({ text }) => ({ text })) };
  });
}

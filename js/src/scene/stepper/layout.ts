/** Where the tiles of a trace stand. They keep their size and place through all steps: only copies move. */
import type { Variable } from "../../model/document.gen";
import type { TraceModel } from "../../model/trace";
import { type DeviceGrid, deviceBox, frameGrid, type GridFrame, placeGrid } from "../grid";
import { textWidth } from "../measure";
import type { Box } from "../scene";
import { blockHeight, type Contents, cellWidth, contents, face } from "./contents";

export interface StepperLayout {
  width: number;
  height: number;
  /** All devices: in full, or small where there are many. */
  grid: DeviceGrid;
  /** Where there are many: tiles for one group in full, below the others. */
  strip: Strip | null;
  /** Size of a tile that shows its blocks. */
  tile: { w: number; h: number };
  /** Room at the right of a column of tiles for copies that pass others. */
  lane: number;
  natural: Sizes;
}

/** Width and height of a block with room for its numbers, by variable. */
export interface Sizes {
  /** Whether blocks are smaller than they like, for there is little room or there are many. */
  dense: boolean;
  widths: ReadonlyMap<number, number>;
  heights: ReadonlyMap<number, number>;
}

export interface Strip {
  x: number;
  y: number;
  columns: number;
  /** Devices that it has room for. */
  seats: number;
  pitch: readonly [number, number];
}

/** Room for the device's id and the names over its blocks, under them, between them, and for the arrow to the result. */
export const HEAD = 36;
export const FOOT = 12;
export const GAP = 8;
export const ARROW = 26;
/** From the name of an upper block to the next one's. */
export const UNDER = 22;
/** More devices than these are drawn small, with one group in full. */
const FULL = 16;
const SEATS = 8;
const TITLE = 30;
const BETWEEN = 28;
/** Below this width, and where it would be higher than this, a picture is made of smaller blocks. */
const NARROW = 560;
const TALL = 920;

/** With room for the variables of some names at every step. */
export function layoutStepper(trace: TraceModel, width: number, watch: readonly string[] = []): StepperLayout {
  const shown = trace.steps.map((step, at) => contents(trace, step, trace.latest(watch, at)));
  if (trace.mesh.size > FULL) return folded(trace, width, sizes(trace, true), shown);
  if (width >= NARROW) {
    const roomy = unfolded(trace, width, sizes(trace, false), shown);
    if (roomy.height <= TALL) return roomy;
  }
  return unfolded(trace, width, sizes(trace, true), shown);
}

function sizes(trace: TraceModel, dense: boolean): Sizes {
  const width = (v: Variable) =>
    Math.max(dense ? 26 : 34, Math.min(dense ? 170 : 420, face(trace, v).columns * cellWidth(trace, v, dense)));
  return {
    dense,
    widths: new Map(trace.doc.variables.map((v) => [v.id, width(v)])),
    heights: new Map(trace.doc.variables.map((v) => [v.id, blockHeight(trace, v, dense)])),
  };
}

function unfolded(trace: TraceModel, width: number, natural: Sizes, shown: readonly Contents[]): StepperLayout {
  const { mesh } = trace;
  const copy = widestCopy(trace, natural, shown);
  const frame = frameOf(trace, width, natural, shown);
  const line = frame.wrapped && moves(trace, 0);
  const down = line ? frame.rows > 1 : moves(trace, 0);
  const across = line || mesh.axes.some((_, axis) => axis > 0 && moves(trace, axis));
  const lane = down && frame.rows > 2 ? Math.min(copy + 22, 0.16 * width) : 0;
  const { columns } = frame;
  const roomOf = (gap: number) => frame.room(gap) - lane / (columns * frame.boxesAcross);
  const least = Math.max(16, lane, across ? Math.min(56, 0.08 * width) : 0);
  // What tiles of their natural width leave is for the copies between them.
  const wanted = Math.max(0, ...moving(trace, shown).map((show) => besideWidth(natural, show)));
  const spare = columns > 1 ? least + (roomOf(least) - wanted) * (columns / (columns - 1)) : least;
  const gap = across && columns > 1 ? Math.max(least, Math.min(copy + 44, spare)) : least;
  const tile = tileSize(natural, shown, roomOf(gap));
  const large = trace.steps.some((s) => (s.collective?.group_size ?? 0) > 5);
  const past = across && (columns > 2 || frame.boxesAcross > 1 || large);
  const rowGap = frame.rows > 1 && (down || past) ? (natural.dense ? 34 : 44) : 18;
  const grid = placeGrid(frame, { x: 0, y: 2 }, { ...tile, gap, rowGap, density: "full" });
  const height = Math.ceil(grid.box.y + grid.box.h + (past ? 32 : 8));
  return { width, height, grid, strip: null, tile, lane: Math.max(lane, 16), natural };
}

/** Rows and columns of the tiles. A line of devices takes as few rows as there is room for. */
function frameOf(trace: TraceModel, width: number, natural: Sizes, shown: readonly Contents[]): GridFrame {
  const { mesh } = trace;
  const frame = frameGrid(mesh, width, 120);
  const [n, ...others] = mesh.meshShape;
  if (n === undefined || n < 3 || others.length > 0) return frame;
  const left = mesh.axes.length > 0 ? Math.min(110, textWidth(`${mesh.axes[0]?.name}=${n}–${n}`, 11, true)) + 20 : 4;
  const widest = (some: readonly Contents[]) => Math.max(0, ...some.map((show) => overWidth(natural, show)));
  const least = Math.max(72, 0.85 * widest(moving(trace, shown)), 0.5 * widest(shown));
  const between = moves(trace, 0) ? Math.min(56, 0.08 * width) : 16;
  const columns = even(n, Math.floor((width - left + between) / (least + between)));
  if (columns === 1 && !frame.wrapped) return frame;
  const rows = Math.ceil(n / columns);
  const room = (gap: number) => (width - left - (columns - 1) * gap) / columns;
  return { ...frame, rows, columns, boxesAcross: 1, boxesDown: 1, wrapped: true, left, top: 6, room };
}

/** Columns for n tiles where so many fit, at most eight: so that no row is shorter, unless they would be few. */
function even(n: number, fitting: number): number {
  const most = Math.max(1, Math.min(n, 8, fitting));
  for (let columns = most; 2 * columns > most; columns--) if (n % columns === 0) return columns;
  return Math.ceil(n / Math.ceil(n / most));
}

function folded(trace: TraceModel, width: number, natural: Sizes, shown: readonly Contents[]): StepperLayout {
  const { mesh } = trace;
  const density = mesh.size > 1024 ? "field" : mesh.size > 64 ? "cell" : "compact";
  const gap = density === "compact" ? 8 : density === "cell" ? 2 : 0;
  const frame = frameGrid(mesh, width, density === "field" ? 1 : 24);
  const room = Math.max(density === "field" ? 0.5 : 2, frame.room(gap));
  const w = Math.min(room, density === "compact" ? 74 : 24);
  const h = density === "compact" ? 22 : density === "cell" ? 16 : Math.min(8, Math.max(1, 360 / frame.rows));
  const rowGap = density === "compact" ? 6 : gap;
  const grid = placeGrid(frame, { x: 0, y: 2 }, { w, h, gap, rowGap, density });

  const seats = Math.min(SEATS, mesh.size, Math.max(1, ...trace.steps.map((s) => s.collective?.group_size ?? 1)));
  const wanted = Math.max(72, ...moving(trace, shown).map((show) => overWidth(natural, show)));
  const inner = width - 24 - BETWEEN;
  const columns = even(seats, Math.floor((inner + BETWEEN) / (0.6 * wanted + BETWEEN)));
  const tile = tileSize(natural, shown, (inner - (columns - 1) * BETWEEN) / columns);
  const y = grid.box.y + grid.box.h + TITLE + 12;
  const pitch = [tile.w + BETWEEN, tile.h + BETWEEN] as const;
  const height = Math.ceil(y + Math.ceil(seats / columns) * pitch[1] + 4);
  return { width, height, grid, strip: { x: 12, y, columns, seats, pitch }, tile, lane: BETWEEN, natural };
}

/** The tile that has room for every step, at most so wide. */
function tileSize(natural: Sizes, shown: readonly Contents[], room: number) {
  let [w, h] = [40, 54];
  for (const show of shown) {
    const arranged = arrange(natural, show, room);
    w = Math.max(w, arranged.w);
    h = Math.max(h, HEAD + arranged.h + FOOT);
  }
  return { w: Math.min(room, w), h };
}

/** Rows of blocks, and the width and height that they would like. */
export interface Arrangement {
  rows: readonly (readonly Variable[])[];
  heights: readonly number[];
  w: number;
  h: number;
}

/** Before and after side by side, or over one another where they would have to be much narrower than they like. */
export function arrange(natural: Sizes, show: Contents, room: number): Arrangement {
  const later = [...show.after, ...show.watch];
  const high = (row: readonly Variable[]) => Math.max(20, ...row.map((v) => heightOf(natural, v)));
  const beside = besideWidth(natural, show);
  const over = overWidth(natural, show);
  // Blocks may be somewhat narrower than they like before they are put over one another; high ones more so.
  const squeeze = high([...show.before, ...later]) <= 44 ? 0.9 : natural.dense ? 0.4 : 0.62;
  if (show.before.length > 0 && later.length > 0 && beside * squeeze > room && over < beside) {
    const heights = [high(show.before), high(later)];
    return { rows: [show.before, later], heights, w: over, h: (heights[0] ?? 0) + UNDER + (heights[1] ?? 0) };
  }
  const row = [...show.before, ...later];
  return { rows: [row], heights: [high(row)], w: beside, h: high(row) };
}

/** Boxes of the tiles that show their blocks, by mesh position. */
export function seatsOf(trace: TraceModel, layout: StepperLayout, group: readonly number[]): ReadonlyMap<number, Box> {
  const { mesh } = trace;
  const { strip, tile, grid } = layout;
  if (!strip) return new Map(Array.from({ length: mesh.size }, (_, p) => [p, deviceBox(mesh, grid, p)]));
  return new Map(
    group.slice(0, strip.seats).map((p, i) => {
      const [column, row] = [i % strip.columns, Math.floor(i / strip.columns)];
      return [p, { x: strip.x + column * strip.pitch[0], y: strip.y + row * strip.pitch[1], ...tile }];
    }),
  );
}

/** Whether a collective of the program moves blocks along a mesh axis. */
function moves(trace: TraceModel, axis: number): boolean {
  return trace.steps.some(
    (s) => trace.communicates(s) && s.collective?.axes.some((a) => trace.mesh.axisOf(a) === axis),
  );
}

/** What the steps that communicate show. */
function moving(trace: TraceModel, shown: readonly Contents[]): Contents[] {
  return shown.filter((_, at) => {
    const step = trace.step(at);
    return step !== null && trace.communicates(step);
  });
}

function widestCopy(trace: TraceModel, { widths }: Sizes, shown: readonly Contents[]): number {
  return Math.max(0, ...moving(trace, shown).map(({ before }) => widths.get(before[0]?.id ?? -1) ?? 0));
}

function sides({ before, after, watch }: Contents): readonly (readonly Variable[])[] {
  return [before, [...after, ...watch]];
}

/** Width of blocks side by side, with the margins of their tile. */
export function rowWidth(natural: Sizes, variables: readonly Variable[]): number {
  return variables.reduce((w, v) => w + (natural.widths.get(v.id) ?? 34) + GAP, 16 - GAP);
}

export function heightOf(natural: Sizes, v: Variable): number {
  return natural.heights.get(v.id) ?? 20;
}

/** Width with what is before over what is after. */
function overWidth(natural: Sizes, show: Contents): number {
  return Math.max(...sides(show).map((row) => rowWidth(natural, row)));
}

function besideWidth(natural: Sizes, show: Contents): number {
  const arrow = show.before.length > 0 && show.after.length > 0 ? ARROW : 0;
  return rowWidth(natural, sides(show).flat()) + arrow;
}

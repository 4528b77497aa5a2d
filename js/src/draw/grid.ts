/**
 * Devices in the order of `mesh.devices`: axis 0 down, axis 1 across, or others where an order says so. Further axes make
 * labelled boxes of such 2-D panels, the first of them fastest. A mesh of one long axis is wrapped into rows; one whose links make a ring, into two rows that
 * are joined at both ends, so that its last link is as short as the others.
 */
import { type MeshModel, product, unravel } from "../core/mesh";
import { around, type Box, type Mark } from "./marks";
import { textWidth } from "./measure";

/** How much of a device is drawn: a tile with its content, a tile with little in it, a coloured cell, a picture. */
export type Density = "full" | "compact" | "cell" | "field";

export interface DeviceGrid {
  box: Box;
  density: Density;
  /** Rows and columns of devices in one box, and boxes across and down. */
  rows: number;
  columns: number;
  boxesAcross: number;
  boxesDown: number;
  /** First device of the first box, size of a device, pitch of devices and of boxes. */
  x: number;
  y: number;
  w: number;
  h: number;
  pitch: readonly [number, number];
  boxPitch: readonly [number, number];
  /** A mesh of one axis whose row of devices is wrapped. */
  wrapped: boolean;
  /** One of two rows, of which the second goes back. */
  ring: boolean;
  multiples: boolean;
  order: MeshOrder;
}

/** Mesh axes by what they make: down, across, and boxes, of which the first runs fastest. */
export type MeshOrder = readonly number[];

/** Rows, columns and boxes of a mesh, and the width that a device may have, before its size is chosen. */
export interface GridFrame {
  rows: number;
  columns: number;
  boxesAcross: number;
  boxesDown: number;
  wrapped: boolean;
  ring: boolean;
  /** Room for rails and titles at the left, on top, on top of further rows of boxes, and below each. */
  left: number;
  top: number;
  again: number;
  below: number;
  /** Whether boxes are small multiples: rails and names stand at the first alone, indices at each. */
  multiples: boolean;
  order: MeshOrder;
  boxGap: number;
  /** Width and height of a device with a gap between. */
  room: (gap: number) => number;
  roomDown: (gap: number) => number;
}

export const BOX_GAP = 22;
/** Devices of a ring at most: longer ones are wrapped like other meshes of one axis. */
const LONGEST_RING = 16;
/** Boxes of which each has its indices over it. */
export const MOST_NAMED = 64;

/** Names of more characters stand once at their rail, and indices beside the rows. */
export function isLong(name: string): boolean {
  return name.length > 8;
}

/**
 * Arranges a mesh in a width: boxes of axis 2 and later stand in one row while a device is at least `readable` wide.
 * With a height, boxes of many devices become small multiples, in the rows and columns that leave them largest.
 */
export function frameGrid(
  model: MeshModel,
  width: number,
  readable: number,
  height = Number.POSITIVE_INFINITY,
  order: MeshOrder = [...model.meshShape.keys()],
): GridFrame {
  const shape = order.map((a) => model.meshShape[a] ?? 1);
  const n = model.size;
  const ring = model.mesh.ring && n <= LONGEST_RING;
  const wrapped = ring || (shape.length === 1 && n > 8);
  const wide = ring ? Math.ceil(n / 2) : n <= 64 ? 8 : 2 ** Math.ceil(Math.log2(Math.sqrt(n)));
  const rows = wrapped ? Math.ceil(n / wide) : (shape[0] ?? 1);
  const columns = wrapped ? wide : (shape[1] ?? 1);
  const boxes = product(shape.slice(2));
  const left = ring ? 4 : railWidth(model, order, wrapped, rows);
  const limited = Number.isFinite(height);
  const multiples = limited && boxes > 1 && n > 16;
  const railed = ring ? 17 : columns > 1 && !wrapped ? 30 : 0;
  const titled = isLong(model.axes[order[ring ? 0 : 1] ?? -1]?.name ?? "") ? 13 : 0;
  const top = (railed ? railed + titled : 6) + (boxes > 1 ? 22 : 0);
  const below = ring ? 18 : 6;
  const again = multiples ? (boxes > MOST_NAMED ? 0 : 16) : top;
  const boxGap = multiples ? (boxes > MOST_NAMED ? 3 : 12) : BOX_GAP;
  const roomOf = (across: number, gap: number) =>
    ((width - left - (across - 1) * boxGap) / across - (columns - 1) * gap) / columns;
  const downOf = (across: number, gap: number) =>
    ((height - top + again) / (boxes / across) - again - below - (rows - 1) * gap) / rows;
  const [most, gap] = multiples ? [boxes, n > 64 ? 0 : 8] : [shape[2] ?? 1, 8];
  let across = 1;
  for (let k = 2, best = Number.NEGATIVE_INFINITY; k <= most; k++) {
    if (most % k !== 0) continue;
    if (across === 1) best = Math.min(readable, roomOf(1, gap), downOf(1, gap));
    const side = Math.min(readable, roomOf(k, gap), downOf(k, gap));
    if (side >= best) [across, best] = [k, side];
  }
  return {
    rows,
    columns,
    boxesAcross: across,
    boxesDown: boxes / across,
    wrapped,
    ring,
    left,
    top,
    again,
    below,
    multiples,
    order,
    boxGap,
    room: (gap) => roomOf(across, gap),
    roomDown: (gap) => downOf(across, gap),
  };
}

/** Places devices of a size into a frame, with the frame's first corner at (x, y). */
export function placeGrid(
  frame: GridFrame,
  at: { x: number; y: number },
  device: { w: number; h: number; gap: number; rowGap: number; density: Density },
): DeviceGrid {
  const { w, h, gap, rowGap, density } = device;
  const { rows, columns, boxesAcross, boxesDown, wrapped, ring, multiples, order, left, top, again, below, boxGap } =
    frame;
  const boxWidth = columns * (w + gap) - gap;
  const boxPitchY = rows * (h + rowGap) - rowGap + again + below;
  return {
    box: { ...at, w: left + boxesAcross * (boxWidth + boxGap) - boxGap, h: top - again + boxesDown * boxPitchY },
    density,
    rows,
    columns,
    boxesAcross,
    boxesDown,
    x: at.x + left,
    y: at.y + top,
    w,
    h,
    pitch: [w + gap, h + rowGap],
    boxPitch: [boxWidth + boxGap, boxPitchY],
    wrapped,
    ring,
    multiples,
    order,
  };
}

/** A column of a row, counted the way that the row goes. */
function turned({ ring, columns }: DeviceGrid, row: number, column: number): number {
  return ring && row > 0 ? columns - 1 - column : column;
}

/** The box of the mesh that the device at a position is in, and its row and column there. */
export function placeOf(model: MeshModel, panel: DeviceGrid, position: number) {
  if (panel.wrapped) {
    const row = Math.floor(position / panel.columns);
    return { box: 0, row, column: turned(panel, row, position % panel.columns) };
  }
  const digits = unravel(position, model.meshShape);
  const [row = 0, column = 0, ...rest] = panel.order.map((a) => digits[a] ?? 0);
  let box = 0;
  for (let k = 1; k < rest.length; k++) box = box * sizeAt(model, panel, k + 2) + (rest[k] ?? 0);
  return { box: box * sizeAt(model, panel, 2) + (rest[0] ?? 0), row, column };
}

/** Size of the axis at a place of the order; 1 where there is none. */
function sizeAt(model: MeshModel, { order }: DeviceGrid, k: number): number {
  return model.meshShape[order[k] ?? -1] ?? 1;
}

/** The box of the device at a mesh position. */
export function deviceBox(model: MeshModel, panel: DeviceGrid, position: number): Box {
  const { box, row, column } = placeOf(model, panel, position);
  const { x, y } = boxAt(panel, box);
  return { x: x + column * panel.pitch[0], y: y + row * panel.pitch[1], w: panel.w, h: panel.h };
}

/** Where the devices of a box of the mesh are. */
export function boxAt(panel: DeviceGrid, box: number): Box {
  return {
    x: panel.x + (box % panel.boxesAcross) * panel.boxPitch[0],
    y: panel.y + Math.floor(box / panel.boxesAcross) * panel.boxPitch[1],
    w: panel.columns * panel.pitch[0] - (panel.pitch[0] - panel.w),
    h: panel.rows * panel.pitch[1] - (panel.pitch[1] - panel.h),
  };
}

/** The device at a point, or null between and beside devices. */
export function deviceAtPoint(model: MeshModel, panel: DeviceGrid, x: number, y: number): number | null {
  const dx = x - panel.x;
  const dy = y - panel.y;
  if (dx < 0 || dy < 0) return null;
  const across = Math.floor(dx / panel.boxPitch[0]);
  const down = Math.floor(dy / panel.boxPitch[1]);
  const inX = dx - across * panel.boxPitch[0];
  const inY = dy - down * panel.boxPitch[1];
  const column = Math.floor(inX / panel.pitch[0]);
  const row = Math.floor(inY / panel.pitch[1]);
  if (across >= panel.boxesAcross || down >= panel.boxesDown || column >= panel.columns || row >= panel.rows)
    return null;
  if (inX - column * panel.pitch[0] >= panel.w || inY - row * panel.pitch[1] >= panel.h) return null;
  if (panel.wrapped) {
    const position = row * panel.columns + turned(panel, row, column);
    return position < model.size ? position : null;
  }
  const digits = [row, column, ...boxDigits(model, panel, down * panel.boxesAcross + across)];
  return model.meshShape.reduce((index, size, a) => index * size + (digits[panel.order.indexOf(a)] ?? 0), 0);
}

/** Coordinates of a box along the axes that make boxes. */
export function boxDigits(model: MeshModel, panel: DeviceGrid, box: number): number[] {
  const [n = 1, ...slower] = panel.order.slice(2).map((a) => model.meshShape[a] ?? 1);
  return [box % n, ...unravel(Math.floor(box / n), slower)];
}

function railWidth(model: MeshModel, order: MeshOrder, wrapped: boolean, rows: number): number {
  if (model.axes.length === 0) return 4;
  const name = model.axes[order[0] ?? 0]?.name ?? "";
  // With many devices one label may stand for all rows.
  const row = wrapped ? `${model.size - 8}–${model.size - 1}` : model.size > 16 ? `0…${rows - 1}` : `${rows - 1}`;
  // A long name is turned, beside the indices.
  const widest = isLong(name) ? `${row}000` : `${name}=${row}`;
  return rows > 1 || wrapped ? textWidth(widest, 11, true) + 20 : 4;
}

/** Outlines of processes, where there are several and each holds a rectangle of one box; else of none. */
export function processes(model: MeshModel, panel: DeviceGrid): Mark[] {
  if (model.processes < 2) return [];
  const areas = new Map<string, { box: Box; n: number; process: number }>();
  for (let p = 0; p < model.size; p++) {
    const process = model.process[p] ?? 0;
    if (panel.density === "field" && process !== model.mesh.this_process) continue;
    const box = deviceBox(model, panel, p);
    const key = `${process} ${placeOf(model, panel, p).box}`;
    const known = areas.get(key);
    if (!known) areas.set(key, { box, n: 1, process });
    else areas.set(key, { box: around([known.box, box]), n: known.n + 1, process });
  }
  const marks: Mark[] = [];
  const pad = panel.density === "field" ? 1 : Math.min(6, (panel.pitch[0] - panel.w) / 2 - 0.5);
  for (const { box, n, process } of areas.values()) {
    const columns = Math.round((box.w + panel.pitch[0] - panel.w) / panel.pitch[0]);
    const rows = Math.round((box.h + panel.pitch[1] - panel.h) / panel.pitch[1]);
    if (rows * columns !== n) return [];
    const here = process === model.mesh.this_process;
    const stroke = { color: here ? "ink" : "faint", width: here ? 1.6 : 1 } as const;
    marks.push({
      kind: "rect",
      ...around([box], pad),
      r: panel.density === "cell" || panel.density === "field" ? 2 : 9,
      stroke,
    });
  }
  return marks;
}

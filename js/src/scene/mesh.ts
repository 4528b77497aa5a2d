/**
 * The mesh: devices in the order of `mesh.devices`, axis 0 down, axis 1 across. Axis 2 and later make labelled boxes
 * of such 2-D panels: axis 2 across, the rest down.
 */
import { hex, type Rgb } from "../model/color";
import { type PlacementModel, product, unravel } from "../model/placement";
import { type Choice, type Faces, layoutFaces, tileBoxes } from "./faces";
import { fit, textWidth } from "./measure";
import type { Paints } from "./paints";
import { axisStroke, axisToken, type Box, type DiscMark, field, label, type Mark } from "./scene";

/** How much of a device is drawn: a tile with its ghost, a tile with little in it, a coloured cell, a picture. */
export type Density = "full" | "compact" | "cell" | "field";

export interface MeshPanel {
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
  /** The small array inside a device. */
  ghost: { x: number; y: number; faces: Faces } | null;
  coordinates: boolean;
}

const GAP_MARK = 20;
const BOX_GAP = 22;
/** Longest side of a field of devices. */
const FIELD = 200;

/** Places the mesh panel with its rails into a width, at (x, y). */
export function layoutMesh(
  model: PlacementModel,
  choice: Choice,
  area: { x: number; y: number; width: number },
): MeshPanel {
  const shape = model.meshShape;
  const n = model.size;
  const wrapped = shape.length === 1 && n > 8;
  const wide = wrapped ? (n <= 64 ? 8 : 2 ** Math.ceil(Math.log2(Math.sqrt(n)))) : 1;
  const rows = wrapped ? Math.ceil(n / wide) : (shape[0] ?? 1);
  const columns = wrapped ? wide : (shape[1] ?? 1);
  const boxes = product(shape.slice(2));
  const left = railWidth(model, wrapped, rows);
  const top = (columns > 1 && !wrapped ? 30 : 6) + (boxes > 1 ? 22 : 0);
  let boxesAcross = shape[2] ?? 1;
  const cellRoom = (gap: number) => {
    const perBox = (area.width - left - (boxesAcross - 1) * BOX_GAP) / boxesAcross;
    return (perBox - (columns - 1) * gap) / columns;
  };
  // Boxes of axis 2 stand in one row if devices stay readable, else in several equal ones.
  const readable = n > 64 ? 16 : n > 16 ? 40 : 64;
  while (boxesAcross > 1 && cellRoom(8) < readable) boxesAcross = largestDivisor(shape[2] ?? 1, boxesAcross - 1);
  const boxesDown = boxes / boxesAcross;
  const marked = model.axes.some((_, a) => model.link(a) !== null);
  let density: Density = n > 1024 ? "field" : n > 64 ? "cell" : n > 16 ? "compact" : "full";
  let gap = density === "full" ? (marked ? GAP_MARK : 14) : density === "compact" ? 8 : 2;
  let w = cellRoom(gap);
  if ((density === "full" || density === "compact") && w < 34) {
    density = "cell";
    gap = 2;
    w = cellRoom(gap);
  }
  if (density === "full" && w < 60) {
    density = "compact";
    gap = 8;
    w = cellRoom(gap);
  }
  if (density === "cell" && w < 4) density = "field";
  let h: number;
  if (density === "full") {
    w = Math.min(w, 220);
    h = w >= 150 ? 84 : w >= 96 ? 56 : 64;
  } else if (density === "compact") {
    w = Math.min(w, 110);
    h = w >= 84 ? 40 : 46;
  } else if (density === "cell") {
    w = Math.min(w, 34);
    h = Math.min(w, 24);
  } else {
    gap = 0;
    const most = Math.min(cellRoom(0), FIELD / Math.max(rows, 1), FIELD / Math.max(columns, 1));
    w = Math.max(most, 0.05);
    h = w;
  }
  const rowGap = density === "full" ? (marked ? GAP_MARK : 14) : gap;
  const boxWidth = columns * (w + gap) - gap;
  const boxHeight = rows * (h + rowGap) - rowGap;
  const boxPitchY = boxHeight + top + 6;
  const panel: MeshPanel = {
    box: {
      x: area.x,
      y: area.y,
      w: left + boxesAcross * (boxWidth + BOX_GAP) - BOX_GAP,
      h: boxesDown * boxPitchY,
    },
    density,
    rows,
    columns,
    boxesAcross,
    boxesDown,
    x: area.x + left,
    y: area.y + top,
    w,
    h,
    pitch: [w + gap, h + rowGap],
    boxPitch: [boxWidth + BOX_GAP, boxPitchY],
    wrapped,
    ghost: null,
    coordinates: density === "full" && w >= 150 && model.axes.length > 0,
  };
  if (model.doc.shape !== null && (density === "full" || density === "compact"))
    panel.ghost = ghost(model, choice, panel);
  return panel;
}

/** The box of the device at a mesh position. */
export function deviceBox(model: PlacementModel, panel: MeshPanel, position: number): Box {
  let row: number;
  let column: number;
  let across = 0;
  let down = 0;
  if (panel.wrapped) {
    row = Math.floor(position / panel.columns);
    column = position % panel.columns;
  } else {
    const digits = unravel(position, model.meshShape);
    row = digits[0] ?? 0;
    column = digits[1] ?? 0;
    const box = boxIndex(model, digits);
    across = box % panel.boxesAcross;
    down = Math.floor(box / panel.boxesAcross);
  }
  return {
    x: panel.x + across * panel.boxPitch[0] + column * panel.pitch[0],
    y: panel.y + down * panel.boxPitch[1] + row * panel.pitch[1],
    w: panel.w,
    h: panel.h,
  };
}

/** The device at a point, or null between and beside devices. */
export function deviceAtPoint(model: PlacementModel, panel: MeshPanel, x: number, y: number): number | null {
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
    const position = row * panel.columns + column;
    return position < model.size ? position : null;
  }
  const shape = model.meshShape;
  const digits = [row, column, ...boxDigits(model, down * panel.boxesAcross + across)].slice(0, shape.length);
  return digits.reduce((index, digit, a) => index * (shape[a] ?? 1) + digit, 0);
}

/** Number of the box of a device: axis 2 fastest, so that it runs across. */
function boxIndex(model: PlacementModel, digits: readonly number[]): number {
  const shape = model.meshShape;
  let index = 0;
  for (let a = 3; a < shape.length; a++) index = index * (shape[a] ?? 1) + (digits[a] ?? 0);
  return index * (shape[2] ?? 1) + (digits[2] ?? 0);
}

/** Coordinates of axis 2 and later of a box. */
function boxDigits(model: PlacementModel, box: number): number[] {
  const n = model.meshShape[2] ?? 1;
  return [box % n, ...unravel(Math.floor(box / n), model.meshShape.slice(3))];
}

function largestDivisor(n: number, most: number): number {
  let d = most;
  while (n % d !== 0) d--;
  return d;
}

/** Everything of the mesh but what hovering adds. */
export function meshMarks(model: PlacementModel, panel: MeshPanel, paints: Paints): Mark[] {
  const color = paints.fill;
  const marks: Mark[] = rails(model, panel);
  if (panel.density === "field") marks.push(...fieldMarks(model, panel, color));
  else {
    for (let p = 0; p < model.size; p++) marks.push(...deviceMarks(model, panel, p, color, paints));
    marks.push(...signs(model, panel));
  }
  marks.push(...hosts(model, panel));
  return marks;
}

/** The box of a tile inside a device's ghost, in pixels of the scene; several where facets show it several times. */
export function ghostBoxes(model: PlacementModel, panel: MeshPanel, position: number, tile: number): Box[] {
  if (!panel.ghost) return [];
  const device = deviceBox(model, panel, position);
  return tileBoxes(model, panel.ghost.faces, tile).map((b) => ({
    ...b,
    x: device.x + (panel.ghost?.x ?? 0) + b.x,
    y: device.y + (panel.ghost?.y ?? 0) + b.y,
    w: Math.max(b.w, 2),
    h: Math.max(b.h, 2),
  }));
}

/** The outlines of the array inside a device, one a facet. */
export function ghostOutlines(model: PlacementModel, panel: MeshPanel, position: number): Box[] {
  const g = panel.ghost;
  if (!g) return [];
  const device = deviceBox(model, panel, position);
  return g.faces.down.flatMap((down) =>
    g.faces.across.segments.map((facet) => ({
      x: device.x + g.x + facet.from,
      y: device.y + g.y + down.from,
      w: g.faces.faceWidth,
      h: g.faces.faceHeight,
    })),
  );
}

function ghost(model: PlacementModel, choice: Choice, panel: MeshPanel): MeshPanel["ghost"] {
  const { w, h } = panel;
  const beside = w >= 84;
  const idWidth = beside ? Math.max(panel.coordinates ? 58 : 0, idRoom(model) + 14) : 6;
  const room = beside ? { x: idWidth, y: 8, w: w - idWidth - 10, h: h - 16 } : { x: 6, y: 20, w: w - 12, h: h - 26 };
  if (room.w < 12 || room.h < 8) return null;
  const faces = layoutFaces(model, { ...choice, window: null }, room.w, room.h, {
    tile: 0,
    facet: 3,
    facetRow: 3,
    largestCell: Number.POSITIVE_INFINITY,
    stretch: true,
  });
  return {
    x: room.x + (beside ? room.w - faces.width : (room.w - faces.width) / 2),
    y: room.y + (room.h - faces.height) / 2,
    faces,
  };
}

function idRoom(model: PlacementModel): number {
  let widest = 1;
  for (const id of model.ids) widest = Math.max(widest, String(id).length);
  return textWidth("0".repeat(widest), 14, true);
}

function deviceMarks(
  model: PlacementModel,
  panel: MeshPanel,
  position: number,
  color: (tile: number) => Rgb | null,
  paints: Paints,
): Mark[] {
  const box = deviceBox(model, panel, position);
  const tile = model.tileAt[position] ?? 0;
  const remote = !model.addressable(position);
  const gone = model.doc.state === "deleted";
  const partial = model.doc.unreduced.length > 0;
  const fill = paints.bare ? null : color(tile);
  const id = String(model.ids[position] ?? 0);
  if (panel.density === "cell") {
    const marks: Mark[] = [
      {
        kind: "rect",
        ...box,
        r: box.w >= 12 ? 3 : 0,
        fill: fill ? hex(fill) : "panel",
        hatch: partial,
        ...(box.w >= 8 ? { stroke: { color: "edge", width: 1, ...(remote ? { dash: [1.5, 2.5] } : {}) } } : {}),
        ...(remote ? { alpha: 0.35 } : {}),
      },
    ];
    if (box.w >= textWidth(id, 10, true) + 3) {
      const ink = fill ? "tile-ink" : "ink";
      marks.push(label(box.x + box.w / 2, box.y + box.h / 2 + 3.5, id, 10, ink, { mono: true, anchor: "middle" }));
    }
    return marks;
  }
  const marks: Mark[] = [
    {
      kind: "rect",
      ...box,
      r: 7,
      fill: remote ? "bg" : "panel",
      stroke: { color: remote ? "faint" : "line", width: 1, ...(remote ? { dash: [2, 3] } : {}) },
    },
  ];
  const idSize = panel.density === "full" && box.w >= 96 ? 15 : 12;
  const beside = box.w >= 84;
  const ink = remote || gone ? "muted" : "ink";
  if (panel.coordinates) {
    marks.push(label(box.x + 12, box.y + box.h / 2 - 4, id, idSize, ink, BOLD));
    const digits = `(${model.digits(position).join(",")})`;
    marks.push(label(box.x + 12, box.y + box.h / 2 + 15, fit(digits, 56, 11, true), 11, "muted", { mono: true }));
  } else if (beside && panel.ghost) {
    marks.push(label(box.x + 9, box.y + box.h / 2 + idSize * 0.36, id, idSize, ink, BOLD));
  } else if (panel.ghost) {
    marks.push(label(box.x + 7, box.y + 14, id, 12, ink, BOLD));
  } else {
    marks.push(
      label(box.x + box.w / 2, box.y + box.h / 2 + idSize * 0.36, id, idSize, ink, { ...BOLD, anchor: "middle" }),
    );
  }
  for (const outline of ghostOutlines(model, panel, position)) {
    const dash = remote ? { dash: [2, 2.5] } : {};
    marks.push({ kind: "rect", ...outline, fill: "bg", stroke: { color: "faint", width: 1, ...dash } });
    if (gone) {
      const points = [
        [outline.x, outline.y + outline.h],
        [outline.x + outline.w, outline.y],
      ] as const;
      marks.push({ kind: "line", points, stroke: { color: "muted", width: 1.4 } });
    }
  }
  if (!gone && !paints.bare) {
    for (const b of ghostBoxes(model, panel, position, tile)) {
      const stroke = { color: "edge", width: 1, ...(partial ? { dash: [3, 2] } : {}) } as const;
      const look = fill ? { fill: hex(fill) } : paints.colorBy === "values" ? { fill: "line" as const } : {};
      marks.push({ kind: "rect", ...b, hatch: partial, ...look, stroke, ...(remote ? { alpha: 0.35 } : {}) });
    }
  }
  if (remote && panel.density === "full") {
    const text = `process ${model.process[position] ?? 0}`;
    if (textWidth(text, 10) < box.w - 16) marks.push(label(box.x + 9, box.y + box.h - 6, text, 10, "muted"));
  }
  return marks;
}

/** Devices of one box as one picture. */
function fieldMarks(model: PlacementModel, panel: MeshPanel, color: (tile: number) => Rgb | null): Mark[] {
  const perBox = panel.rows * panel.columns;
  const fields = Array.from({ length: panel.boxesAcross * panel.boxesDown }, () =>
    new Uint8Array(perBox * 3).fill(200),
  );
  const inner = product(model.meshShape.slice(2));
  const boxOf = Array.from({ length: inner }, (_, i) =>
    boxIndex(model, [0, 0, ...unravel(i, model.meshShape.slice(2))]),
  );
  for (let p = 0; p < model.size; p++) {
    const box = panel.wrapped ? 0 : (boxOf[p % inner] ?? 0);
    const cell = panel.wrapped ? p : Math.floor(p / inner);
    const rgb = color(model.tileAt[p] ?? 0);
    if (rgb) fields[box]?.set(rgb, cell * 3);
  }
  return fields.flatMap((rgb, i) => {
    const across = i % panel.boxesAcross;
    const down = Math.floor(i / panel.boxesAcross);
    const at = {
      x: panel.x + across * panel.boxPitch[0],
      y: panel.y + down * panel.boxPitch[1],
      w: panel.columns * panel.pitch[0],
      h: panel.rows * panel.pitch[1],
    };
    return field(at, panel.rows, panel.columns, rgb, 16);
  });
}

function railWidth(model: PlacementModel, wrapped: boolean, rows: number): number {
  if (model.axes.length === 0) return 4;
  const name = model.axes[0]?.name ?? "";
  // Many devices may share one label for all rows.
  const row = model.size > 16 ? `0…${rows - 1}` : `${rows - 1}`;
  const widest = wrapped ? `${name}=${model.size - 8}–${model.size - 1}` : `${name}=${row}`;
  const corner = rows > 1 || wrapped ? Math.min(110, textWidth(widest, 11, true)) + 20 : 4;
  return corner;
}

/** Arrowed rails with the coordinates of axes 0 and 1, and titles of the boxes that later axes make. */
function rails(model: PlacementModel, panel: MeshPanel): Mark[] {
  const marks: Mark[] = [];
  const { rows, columns, pitch, w, h } = panel;
  if (model.axes.length === 0) return marks;
  const text = (axis: number, what: string, x: number, y: number, anchor: "middle" | "end", room: number) =>
    label(x, y, fit(`${model.axes[axis]?.name ?? ""}=${what}`, room, 11, true), 11, axisToken(axis), {
      ...BOLD,
      anchor,
    });
  if (panel.wrapped) {
    for (const [row, count] of runs(rows, pitch[1], 13)) {
      const last = Math.min(model.size, (row + count) * columns) - 1;
      const y = panel.y + (row + count / 2) * pitch[1] + 4;
      marks.push(text(0, `${row * columns}–${last}`, panel.x - 8, y, "end", 110));
    }
    return marks;
  }
  const height = rows * pitch[1] - (pitch[1] - h);
  const width = columns * pitch[0] - (pitch[0] - w);
  const rail = (axis: number, x0: number, y0: number, x1: number, y1: number): Mark => ({
    kind: "line",
    points: [
      [x0, y0],
      [x1, y1],
    ],
    stroke: axisStroke(axis),
    arrow: true,
  });
  for (let box = 0; box < panel.boxesAcross * panel.boxesDown; box++) {
    const x = panel.x + (box % panel.boxesAcross) * panel.boxPitch[0];
    const y = panel.y + Math.floor(box / panel.boxesAcross) * panel.boxPitch[1];
    if (rows > 1 && box % panel.boxesAcross === 0) {
      marks.push(rail(0, x - 14, y, x - 14, y + height));
      for (const [row, count] of named(panel, rows, pitch[1], 13)) {
        const middle = count === rows ? y + height / 2 : y + row * pitch[1] + h / 2;
        marks.push(text(0, count === rows ? `0…${rows - 1}` : `${row}`, x - 21, middle + 4, "end", 100));
      }
    }
    if (columns > 1) {
      marks.push(rail(1, x, y - 10, x + width, y - 10));
      const widest = textWidth(`${model.axes[1]?.name ?? ""}=${columns - 1}`, 11, true) + 6;
      for (const [column, count] of named(panel, columns, pitch[0], widest)) {
        const middle = count === columns ? x + width / 2 : x + column * pitch[0] + w / 2;
        const room = count === columns ? width : pitch[0] * count;
        marks.push(text(1, count === columns ? `0…${columns - 1}` : `${column}`, middle, y - 16, "middle", room));
      }
    }
    if (model.axes.length > 2) marks.push(...boxTitle(model, panel, box, x, y - (columns > 1 ? 34 : 12)));
  }
  return marks;
}

const BOLD = { mono: true, weight: 700 } as const;

/** Runs of 1, 2, 4 … of n things so that a run has room for its label: `[first, count]`. */
function runs(n: number, pitch: number, room: number): (readonly [number, number])[] {
  const step = Math.min(n, Math.max(1, 2 ** Math.ceil(Math.log2(room / pitch))));
  return Array.from({ length: Math.ceil(n / step) }, (_, i) => [i * step, Math.min(step, n - i * step)]);
}

/** Runs of coordinates to name; one for all in a field, where single ones cannot be told apart. */
function named(panel: MeshPanel, n: number, pitch: number, room: number) {
  return panel.density === "field" ? [[0, n] as const] : runs(n, pitch, room);
}

/** Coordinates of axis 2 and later over a box; on the first box also the sign of each axis, for all boxes. */
function boxTitle(model: PlacementModel, panel: MeshPanel, box: number, x: number, y: number): Mark[] {
  const digits = boxDigits(model, box);
  // A title may reach into the gap before the next box, where a cut one would say nothing.
  let room = panel.boxPitch[0] - BOX_GAP + 8;
  const spans = model.axes.slice(2).flatMap((a, i) => {
    const text = fit(`${i > 0 ? "  " : ""}${a.name}=${digits[i] ?? 0}`, room, 11, true);
    const width = textWidth(text, 11, true);
    if (width > room) return [];
    room -= width;
    return [{ text, color: axisToken(i + 2) }];
  });
  const marks: Mark[] = [label(x, y, spans, 11, "muted", BOLD)];
  let end = x + textWidth(spans.map((t) => t.text).join(""), 11, true) + 12;
  for (let axis = 2; box === 0 && axis < model.axes.length; axis++) {
    const sign = signOf(model, axis);
    if (!sign) continue;
    marks.push({ ...sign, x: end, y: y - 4, r: 6 });
    end += 15;
  }
  return marks;
}

/** `=` and `+` between neighbours along an axis, or once on the axis where devices are many. */
function signs(model: PlacementModel, panel: MeshPanel): Mark[] {
  const marks: Mark[] = [];
  model.axes.forEach((_, axis) => {
    const disc = signOf(model, axis);
    if (!disc || axis > 1) return;
    if (panel.density !== "full" || panel.wrapped) {
      const at = railTail(panel, axis);
      if (at) marks.push({ ...disc, x: at[0], y: at[1], r: 6 });
      return;
    }
    const stride = product(model.meshShape.slice(axis + 1));
    const size = model.meshShape[axis] ?? 1;
    for (let p = 0; p < model.size; p++) {
      if (Math.floor(p / stride) % size === size - 1) continue;
      const a = deviceBox(model, panel, p);
      const b = deviceBox(model, panel, p + stride);
      const x = axis === 1 ? (a.x + a.w + b.x) / 2 : a.x + a.w / 2;
      const y = axis === 1 ? a.y + a.h / 2 : (a.y + a.h + b.y) / 2;
      marks.push({ ...disc, x, y, r: 8 });
    }
  });
  return marks;
}

/** The disc of an axis along which devices hold the same data or parts of a sum; null for one that splits. */
function signOf(model: PlacementModel, axis: number): Omit<DiscMark, "x" | "y" | "r"> | null {
  const link = model.link(axis);
  if (link === null) return null;
  return { kind: "disc", color: axisToken(axis), hollow: link === "reduced", sign: link === "unreduced" ? "+" : "=" };
}

/** Where the sign of an axis stands when there is one for the whole axis. */
function railTail(panel: MeshPanel, axis: number): readonly [number, number] | null {
  if (panel.wrapped) return null;
  return axis === 0 ? [panel.x - 14, panel.y - 9] : [panel.x + 3, panel.y - 10];
}

/** Outlines of processes, where there are several and each holds a rectangle of one box. */
function hosts(model: PlacementModel, panel: MeshPanel): Mark[] {
  if (model.processes < 2) return [];
  const areas = new Map<string, { box: Box; n: number; process: number }>();
  const inner = panel.wrapped ? 1 : product(model.meshShape.slice(2));
  for (let p = 0; p < model.size; p++) {
    const process = model.process[p] ?? 0;
    if (panel.density === "field" && process !== model.doc.mesh.this_process) continue;
    const box = deviceBox(model, panel, p);
    const key = `${process} ${p % inner}`;
    const known = areas.get(key);
    if (!known) areas.set(key, { box, n: 1, process });
    else {
      const x = Math.min(known.box.x, box.x);
      const y = Math.min(known.box.y, box.y);
      const w = Math.max(known.box.x + known.box.w, box.x + box.w) - x;
      const h = Math.max(known.box.y + known.box.h, box.y + box.h) - y;
      areas.set(key, { box: { x, y, w, h }, n: known.n + 1, process });
    }
  }
  const marks: Mark[] = [];
  const pad = panel.density === "field" ? 1 : Math.min(6, (panel.pitch[0] - panel.w) / 2 - 0.5);
  for (const { box, n, process } of areas.values()) {
    const columns = Math.round((box.w + panel.pitch[0] - panel.w) / panel.pitch[0]);
    const rows = Math.round((box.h + panel.pitch[1] - panel.h) / panel.pitch[1]);
    if (rows * columns !== n) continue;
    const here = process === model.doc.mesh.this_process;
    const stroke = { color: here ? "ink" : "faint", width: here ? 1.6 : 1 } as const;
    marks.push({
      kind: "rect",
      x: box.x - pad,
      y: box.y - pad,
      w: box.w + 2 * pad,
      h: box.h + 2 * pad,
      r: panel.density === "cell" || panel.density === "field" ? 2 : 9,
      stroke,
    });
  }
  return marks;
}

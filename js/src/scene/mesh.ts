/** The mesh with an array on it: what each device holds, and what neighbours have of each other's data. */
import { hex, type Rgb } from "../model/color";
import { product, unravel } from "../model/mesh";
import type { PlacementModel } from "../model/placement";
import { sliceText } from "../model/text";
import { type Choice, type Faces, layoutFaces, tileBoxes } from "./faces";
import { boxIndex, type DeviceGrid, deviceBox, frameGrid, type GridFrame, placeGrid, processes, rails } from "./grid";
import { fit, textWidth } from "./measure";
import type { Paints } from "./paints";
import { axisToken, BOLD, type Box, CENTER, type DiscMark, field, label, type Mark, MONO } from "./scene";

export interface MeshPanel extends DeviceGrid {
  /** The small array inside a device. */
  ghost: { x: number; y: number; faces: Faces } | null;
  coordinates: boolean;
}

const GAP_MARK = 20;
/** Longest side of a field of devices. */
const FIELD = 210;

/** Places the mesh panel with its rails into a width and a height, at (x, y). */
export function layoutMesh(
  model: PlacementModel,
  choice: Choice,
  area: { x: number; y: number; width: number; height: number },
): MeshPanel {
  const n = model.size;
  const frame = frameGrid(model, area.width, n > 16 ? Number.POSITIVE_INFINITY : 64, area.height);
  const device = sizeDevice(model, frame);
  const { density, w } = device;
  const panel: MeshPanel = {
    ...placeGrid(frame, area, device),
    ghost: null,
    coordinates: density === "full" && w >= 150 && model.axes.length > 0,
  };
  if (model.doc.shape !== null && density === "full") panel.ghost = ghost(model, choice, panel);
  return panel;
}

/** The most that there is room for: by the number of devices, then by the width. */
function sizeDevice(
  model: PlacementModel,
  { rows, columns, room, roomDown }: GridFrame,
): Parameters<typeof placeGrid>[2] {
  const n = model.size;
  const gap = model.axes.some((_, a) => model.link(a) !== null) ? GAP_MARK : 14;
  if (n <= 16 && room(gap) >= 60 && roomDown(gap) >= 40) {
    const w = Math.min(room(gap), 220);
    return { density: "full", w, h: Math.min(roomDown(gap), w < 96 ? 64 : 84), gap, rowGap: gap };
  }
  if (n <= 64 && room(6) >= 24 && roomDown(6) >= 18) {
    return { density: "compact", w: Math.min(room(6), 110), h: Math.min(roomDown(6), 46), gap: 6, rowGap: 6 };
  }
  if (n <= 1024 && room(2) >= 4 && roomDown(2) >= 4) {
    const w = Math.min(room(2), 34);
    return { density: "cell", w, h: Math.min(w, roomDown(2), 24), gap: 2, rowGap: 2 };
  }
  const w = Math.max(0.05, Math.min(room(0), roomDown(0), FIELD / rows, FIELD / columns));
  return { density: "field", w, h: w, gap: 0, rowGap: 0 };
}

/** Everything of the mesh but what hovering adds. */
export function meshMarks(model: PlacementModel, panel: MeshPanel, paints: Paints): Mark[] {
  const color = paints.fill;
  const marks: Mark[] = rails(model, panel, (axis) => signOf(model, axis));
  if (panel.density === "field") marks.push(...fieldMarks(model, panel, color));
  else {
    for (let p = 0; p < model.size; p++) marks.push(...deviceMarks(model, panel, p, color, paints));
    marks.push(...signs(model, panel));
  }
  marks.push(...processes(model, panel));
  return marks;
}

/** The box of a tile inside a device's ghost, in pixels of the scene; several where facets show it several times. */
export function ghostBoxes(model: PlacementModel, panel: MeshPanel, position: number, tile: number): Box[] {
  const device = deviceBox(model, panel, position);
  // A small tile has no room for an array: all of it is its block.
  if (!panel.ghost) return model.doc.shape === null || panel.density === "full" ? [] : [device];
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
  const idWidth = beside ? Math.max(panel.coordinates ? 58 : 0, idRoom(model, 14) + 14) : 6;
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

/** Width of the longest id. */
function idRoom(model: PlacementModel, size: number): number {
  return textWidth(String(Math.max(...model.ids)), size, true);
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
    if (box.w >= idRoom(model, 10) + 3) {
      const ink = fill ? "tile-ink" : "ink";
      marks.push(label(box.x + box.w / 2, box.y + box.h / 2 + 3.5, id, 10, ink, CENTER));
    }
    return marks;
  }
  if (panel.density === "compact") {
    const stroke = { color: remote ? "faint" : "edge", width: 1, ...(remote ? { dash: [2, 3] } : {}) } as const;
    return [
      {
        kind: "rect",
        ...box,
        r: 5,
        fill: fill ? hex(fill) : "panel",
        hatch: partial,
        stroke,
        alpha: remote ? 0.35 : 1,
      },
      ...compactText(model, box, position, partial ? "ink" : fill && !remote ? "tile-ink" : "ink"),
    ];
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
  const idSize = box.w >= 96 ? 15 : 12;
  const beside = box.w >= 84;
  const ink = remote || gone ? "muted" : "ink";
  if (panel.coordinates && !(remote && box.h < 72)) {
    marks.push(label(box.x + 12, box.y + box.h / 2 - 4, id, idSize, ink, BOLD));
    const digits = `(${model.digits(position).join(",")})`;
    marks.push(label(box.x + 12, box.y + box.h / 2 + 15, fit(digits, 56, 11, true), 11, "muted", MONO));
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
  if (remote) {
    const text = `process ${model.process[position] ?? 0}`;
    if (textWidth(text, 10) < box.w - 16) marks.push(label(box.x + 9, box.y + box.h - 6, text, 10, "muted"));
  }
  return marks;
}

/** The id of a device, and its slice in a line a dimension; where that is too wide, its coordinates. */
function compactText(model: PlacementModel, box: Box, position: number, ink: "ink" | "tile-ink"): Mark[] {
  const size = 9.5;
  const fits = (texts: readonly string[]) =>
    texts.length <= (box.h - 16) / 10 && texts.every((text) => textWidth(text, size, true) <= box.w - 3);
  const slice = (tile: number) => sliceText(model, tile).slice(1, -1).split(", ");
  const digits = (p: number) => [`(${model.digits(p).join(",")})`];
  // All tiles show the same facts: what the last one has room for, each has.
  const sliced = model.doc.shape !== null && model.rank > 0 && fits(slice(model.tiles - 1));
  const lines = sliced ? slice(model.tileAt[position] ?? 0) : fits(digits(model.size - 1)) ? digits(position) : [];
  const x = box.x + box.w / 2;
  const top = box.y + (box.h - 12 - 10 * lines.length) / 2;
  return [
    label(x, top + 10, String(model.ids[position] ?? 0), box.w < 24 ? 10 : 12, ink, { ...CENTER, weight: 700 }),
    ...lines.map((text, i) => label(x, top + 21 + 10 * i, text, size, ink, CENTER)),
  ];
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

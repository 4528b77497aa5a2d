/** The mesh with an array on it: what each device holds, and what neighbours have of each other's data. */
import { hex, type Rgb } from "../../core/color";
import { product } from "../../core/mesh";
import type { PlacementModel } from "../../core/placement";
import { sliceText } from "../../core/text";
import {
  boxAt,
  type DeviceGrid,
  deviceBox,
  frameGrid,
  type GridFrame,
  type MeshOrder,
  placeGrid,
  placeOf,
  processes,
} from "../../draw/grid";
import {
  axisToken,
  BOLD,
  type Box,
  CENTER,
  type Color,
  type DiscMark,
  field,
  label,
  type Mark,
  MONO,
  strike,
} from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import { rails } from "../../draw/rails";
import { type Choice, type Faces, layoutFaces, MANY, roles, tileBoxes } from "./faces";
import { heat, type Paints } from "./paints";

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
  /** `least`: width from which a device shows the array in small. */
  area: { x: number; y: number; width: number; height: number; least?: number },
): MeshPanel {
  const n = model.size;
  const order = meshOrder(model, choice);
  const frame = frameGrid(model, area.width, n > 16 ? Number.POSITIVE_INFINITY : 64, area.height, order);
  const device = sizeDevice(model, frame, area.least ?? 60);
  const { density, w } = device;
  const panel: MeshPanel = {
    ...placeGrid(frame, area, device),
    ghost: null,
    coordinates: density === "full" && w >= 150 && model.axes.length > 0,
  };
  if (model.doc.shape !== null && density === "full") panel.ghost = ghost(model, choice, panel);
  return panel;
}

/**
 * What the axes of a mesh make: the axis that splits the rows of the array runs down, that of its columns across. One
 * along which there are copies makes panels, which are then equal; else one that splits into facets.
 */
export function meshOrder(model: PlacementModel, choice: Choice): MeshOrder {
  const axes = [...model.meshShape.keys()];
  if (axes.length < 3 || model.doc.shape === null || choice.inOrder) return axes;
  const { row, column, across } = roles(model, choice);
  const place = (a: number) => {
    const dim = model.doc.dims.findIndex((d) => d.axes.includes(model.axes[a]?.name ?? ""));
    return a === choice.panels ? 5 : dim < 0 ? 4 : dim === row ? 0 : dim === column ? 1 : dim === across ? 3 : 2;
  };
  const [down = 0, right = 1, ...panels] = axes.sort((a, b) => place(a) - place(b) || a - b);
  return [down, right, ...panels.reverse()];
}

/** The most that there is room for: by the number of devices, then by the width. */
function sizeDevice(
  model: PlacementModel,
  { rows, columns, ring, room, roomDown }: GridFrame,
  least: number,
): Parameters<typeof placeGrid>[2] {
  const n = model.size;
  const gap = model.axes.some((_, a) => model.link(a) !== null) ? GAP_MARK : 14;
  if (n <= 16 && room(gap) >= least && roomDown(gap) >= 40) {
    const w = Math.min(room(gap), 220);
    return { density: "full", w, h: Math.min(roomDown(gap), w < 96 ? 64 : 84), gap, rowGap: gap };
  }
  const compact = ring ? 14 : 6;
  if (n <= 64 && room(compact) >= 24 && roomDown(compact) >= 18) {
    const [w, h] = [Math.min(room(compact), 110), Math.min(roomDown(compact), 46)];
    return { density: "compact", w, h, gap: compact, rowGap: compact };
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
  else for (let p = 0; p < model.size; p++) marks.push(...deviceMarks(model, panel, p, color, paints));
  marks.push(...signs(model, panel));
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
function ghostOutlines(model: PlacementModel, panel: MeshPanel, position: number): Box[] {
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
  // Under it stands whose device it is.
  if (model.processes > 1) room.h -= 12;
  if (room.w < 12 || room.h < 8) return null;
  const faces = layoutFaces(model, { ...choice, window: null, cell: null }, room.w, room.h, {
    tile: 0,
    least: 2,
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
  const edge = (color: Color) =>
    remote ? ({ color: "faint", width: 1, dash: [2, 3] } as const) : ({ color, width: 1 } as const);
  const alpha = remote ? 0.35 : 1;
  if (panel.density !== "full") {
    const compact = panel.density === "compact";
    const rect: Mark = {
      kind: "rect",
      ...box,
      r: compact ? 5 : box.w >= 12 ? 3 : 0,
      fill: fill ? hex(fill) : "panel",
      hatch: partial,
      ...(box.w >= 8 ? { stroke: edge("edge") } : {}),
      alpha,
    };
    const dark = fill && !remote && !partial ? "tile-ink" : "ink";
    if (compact) return [rect, ...compactText(model, box, position, dark)];
    const fits = box.w >= idRoom(model, 10) + 3;
    return fits ? [rect, label(box.x + box.w / 2, box.y + box.h / 2 + 3.5, id, 10, dark, CENTER)] : [rect];
  }
  const marks: Mark[] = [{ kind: "rect", ...box, r: 7, fill: remote ? "bg" : "panel", stroke: edge("line") }];
  const idSize = box.w >= 96 ? 15 : 12;
  const beside = box.w >= 84;
  const ink = remote || gone ? "muted" : "ink";
  const middle = box.y + box.h / 2;
  const line = middle + idSize * 0.36;
  const [x, y, rest] = panel.coordinates
    ? ([box.x + 12, middle - 4, BOLD] as const)
    : !panel.ghost
      ? ([box.x + box.w / 2, line, { ...BOLD, anchor: "middle" }] as const)
      : beside
        ? ([box.x + 9, line, BOLD] as const)
        : ([box.x + 7, box.y + 14, BOLD] as const);
  marks.push(label(x, y, id, idSize, ink, rest));
  if (panel.coordinates) {
    const digits = `(${model.digits(position).join(",")})`;
    marks.push(label(x, middle + 15, fit(digits, 56, 11, true), 11, "muted", MONO));
  }
  let end = 0;
  for (const outline of ghostOutlines(model, panel, position)) {
    end = outline.y + outline.h;
    marks.push({ kind: "rect", ...outline, fill: "bg", stroke: edge("faint") });
    if (gone) marks.push(strike(outline));
  }
  if (!gone && !paints.bare) {
    for (const b of ghostBoxes(model, panel, position, tile)) {
      const stroke = { color: "edge", width: 1, ...(partial ? { dash: [3, 2] } : {}) } as const;
      const faces = panel.ghost?.faces;
      const block = paints.values.get(tile);
      // Its values in small, where they are one plane and have a pixel each.
      const small = block?.length && paints.cell !== null && faces && product(faces.total) === 1;
      if (small && block.length <= b.w * b.h) {
        const plane = block.plane(faces.rows.dim, faces.columns.dim, []);
        marks.push(heat(block, plane, b, paints), { kind: "rect", ...b, stroke });
        continue;
      }
      const look = fill ? { fill: hex(fill) } : paints.colorBy === "values" ? { fill: "line" as const } : {};
      marks.push({ kind: "rect", ...b, hatch: partial, ...look, stroke, alpha });
    }
  }
  if (remote) {
    const text = `process ${model.process[position] ?? 0}`;
    // Under the block, if there is room.
    if (textWidth(text, 10) < box.w - 16 && end < box.y + box.h - 14)
      marks.push(label(box.x + 9, box.y + box.h - 5, text, 10, "muted"));
  }
  return marks;
}

/** The id of a device, and its slice in a line, or in a line a dimension; where that is too wide, its coordinates. */
function compactText(model: PlacementModel, box: Box, position: number, ink: "ink" | "tile-ink"): Mark[] {
  const size = box.w < 64 ? 8.5 : 9.5;
  const whole = (tile: number) => [sliceText(model, tile)];
  const split = (tile: number) => sliceText(model, tile).slice(1, -1).split(", ");
  const digits = (p: number) => [`(${model.digits(p).join(",")})`];
  // All tiles show the same facts: what the last one has room for, each has.
  const fits = (texts: readonly string[]) =>
    texts.length <= (box.h - 13) / 9.5 && texts.every((text) => textWidth(text, size, true) <= box.w - 3);
  const slice = model.doc.shape && model.tiles > 1 && [whole, split].find((text) => fits(text(model.tiles - 1)));
  const lines = slice ? slice(model.tileAt[position] ?? 0) : fits(digits(model.size - 1)) ? digits(position) : [];
  const x = box.x + box.w / 2;
  const top = box.y + (box.h - 12 - 9.5 * lines.length) / 2;
  return [
    label(x, top + 10, String(model.ids[position] ?? 0), box.w < 24 ? 10 : 12, ink, { ...CENTER, weight: 700 }),
    ...lines.map((text, i) => label(x, top + 20.5 + 9.5 * i, text, size, ink, CENTER)),
  ];
}

/** Devices of one box as one picture. */
function fieldMarks(model: PlacementModel, panel: MeshPanel, color: (tile: number) => Rgb | null): Mark[] {
  const { rows, columns } = panel;
  const fields = Array.from({ length: panel.boxesAcross * panel.boxesDown }, () =>
    new Uint8Array(rows * columns * 3).fill(200),
  );
  for (let p = 0; p < model.size; p++) {
    const { box, row, column } = placeOf(model, panel, p);
    const rgb = color(model.tileAt[p] ?? 0);
    if (rgb) fields[box]?.set(rgb, (row * columns + column) * 3);
  }
  return fields.flatMap((rgb, i) => field(boxAt(panel, i), rows, columns, rgb, 16));
}

/** `=` and `+` between neighbours along an axis, or once on the axis where devices are many. */
function signs(model: PlacementModel, panel: MeshPanel): Mark[] {
  const marks: Mark[] = [];
  model.axes.forEach((_, axis) => {
    const disc = signOf(model, axis);
    const at = panel.order.indexOf(axis);
    if (!disc || at > 2) return;
    if (at === 2) {
      // Panels that follow one another in a row; a name stands between the rows.
      const n = panel.boxesAcross * panel.boxesDown;
      const size = model.meshShape[axis] ?? 1;
      for (let box = 1; box < n && n <= MANY; box++) {
        if (box % panel.boxesAcross === 0 || box % size === 0) continue;
        const { x, y, h } = boxAt(panel, box);
        const gap = panel.boxPitch[0] - boxAt(panel, 0).w;
        marks.push({ ...disc, x: x - gap / 2, y: y + h / 2, r: Math.min(8, gap / 2) });
      }
      return;
    }
    if (!panel.ring && (panel.density !== "full" || panel.wrapped)) {
      // Between the first two.
      const place =
        at === 0
          ? { x: panel.x - 14, y: panel.y + (panel.wrapped ? 9 : (panel.pitch[1] + panel.h) / 2) }
          : { x: panel.x + (panel.pitch[0] + panel.w) / 2, y: panel.y - (panel.multiples ? 24 : 8) };
      marks.push({ ...disc, ...place, r: 6 });
      return;
    }
    const stride = product(model.meshShape.slice(axis + 1));
    const size = model.meshShape[axis] ?? 1;
    for (let p = 0; p < model.size; p++) {
      const last = Math.floor(p / stride) % size === size - 1;
      if (last && !panel.ring) continue;
      const a = deviceBox(model, panel, p);
      const b = deviceBox(model, panel, last ? 0 : p + stride);
      marks.push({ ...disc, x: (a.x + b.x + a.w) / 2, y: (a.y + b.y + a.h) / 2, r: panel.density === "full" ? 8 : 6 });
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

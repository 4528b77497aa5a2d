/** What hovering, focus and pinning add: outlines, dimming of the rest, a connector, the lens of a large mesh. */
import { hex } from "../model/color";
import type { PlacementModel } from "../model/placement";
import type { Highlight } from "../model/selection";
import { type ArrayPanel, type Paints, tileFill } from "./array";
import { tileBoxes } from "./faces";
import { deviceBox, type MeshPanel } from "./mesh";
import { axisToken, type Box, label, type Mark } from "./scene";

export interface Panels {
  array: ArrayPanel | null;
  mesh: MeshPanel;
  lens: Lens | null;
}

export interface Lens {
  x: number;
  y: number;
  /** Size of a device in the lens. */
  w: number;
  h: number;
}

export const LENS = 5;

/** The dimming veil is translucent background, so one rectangle a panel dims all of it. */
const DIM = 0.34;

export function overlayMarks(model: PlacementModel, panels: Panels, paints: Paints, lit: Highlight): Mark[] {
  if (lit.axis !== null) return axisGroups(model, panels.mesh, lit.axis);
  const marks: Mark[] = [];
  const { array, mesh } = panels;
  const color = tileFill(model, paints);
  const tiles =
    array && lit.tile !== null ? tileBoxes(model, array.faces, lit.tile).map((b) => shift(b, array.x, array.y)) : [];
  const devices = lit.positions.map((p) => deviceBox(model, mesh, p));

  if (array && !array.field) {
    const { faces } = array;
    const at = { x: array.x - 1, y: array.y - 1, w: faces.width + 2, h: faces.height + 2 };
    marks.push(...veil(at, tiles));
  }
  if (mesh.density !== "field") marks.push(...veil(devicesArea(mesh), devices));
  for (const b of tiles) marks.push(...outline(b, 2));
  devices.slice(0, 256).forEach((b, i) => {
    marks.push(...outline(b, mesh.density === "full" || mesh.density === "compact" ? 7 : 2, i === 0 ? 2.4 : 1.4));
  });
  const from = tiles[0];
  const to = devices[0];
  if (from && to && !panels.lens && mesh.box.x > (array?.x ?? 0) + 40) marks.push(connector(from, to));
  if (panels.lens) marks.push(...lensMarks(model, panels, panels.lens, lit, color, tiles));
  return marks;
}

/** Devices of a lens: mesh positions in rows and columns about a centre, clamped to the mesh. */
export function lensWindow(model: PlacementModel, mesh: MeshPanel, center: number) {
  const inner = mesh.wrapped ? 1 : model.size / (mesh.rows * mesh.columns);
  const rest = center % inner;
  const cell = Math.floor(center / inner);
  const clampTo = (i: number, n: number) => Math.max(0, Math.min(n - LENS, i - Math.floor(LENS / 2)));
  const row = clampTo(Math.floor(cell / mesh.columns), mesh.rows);
  const column = clampTo(cell % mesh.columns, mesh.columns);
  return {
    row,
    column,
    position: (r: number, c: number): number | null => {
      if (row + r >= mesh.rows || column + c >= mesh.columns) return null;
      const p = ((row + r) * mesh.columns + column + c) * inner + rest;
      return p < model.size ? p : null;
    },
  };
}

function lensMarks(
  model: PlacementModel,
  panels: Panels,
  lens: Lens,
  lit: Highlight,
  color: ReturnType<typeof tileFill>,
  tiles: readonly Box[],
): Mark[] {
  const center = lit.positions[0] ?? 0;
  const { mesh } = panels;
  const window = lensWindow(model, mesh, center);
  const marks: Mark[] = [];
  const [first, second] = model.axes;
  const gap = 3;
  const cell = (r: number, c: number) => ({
    x: lens.x + c * (lens.w + gap),
    y: lens.y + r * (lens.h + gap),
    w: lens.w,
    h: lens.h,
  });
  for (let r = 0; r < LENS; r++) {
    for (let c = 0; c < LENS; c++) {
      const p = window.position(r, c);
      if (p === null) continue;
      const b = cell(r, c);
      const fill = model.doc.shape === null ? null : color(model.tileAt[p] ?? 0);
      marks.push({ kind: "rect", ...b, r: 3, fill: fill ? hex(fill) : "panel", stroke: { color: "edge", width: 1 } });
      const ink = fill ? "tile-ink" : "ink";
      const weight = p === center ? 700 : 400;
      marks.push(
        label(b.x + b.w / 2, b.y + b.h / 2 + 4, String(model.ids[p] ?? 0), 11, ink, {
          mono: true,
          anchor: "middle",
          weight,
        }),
      );
      if (p === center) marks.push(...outline(b, 3));
    }
  }
  if (first && !mesh.wrapped) {
    for (let r = 0; r < LENS && window.row + r < mesh.rows; r++) {
      const b = cell(r, Math.min(LENS, mesh.columns) - 1);
      marks.push(
        label(b.x + b.w + 8, b.y + b.h / 2 + 4, `${first.name}=${window.row + r}`, 11, axisToken(0), { mono: true }),
      );
    }
    if (second) {
      for (let c = 0; c < LENS && window.column + c < mesh.columns; c++) {
        const b = cell(0, c);
        marks.push(
          label(b.x + b.w / 2, lens.y - 7, `${second.name}=${window.column + c}`, 11, axisToken(1), {
            mono: true,
            anchor: "middle",
          }),
        );
      }
    }
  }
  // Where the lens lies on the mesh, and on the array if the tile is small there.
  const a = deviceBox(model, mesh, window.position(0, 0) ?? 0);
  const here: Box = {
    x: a.x,
    y: a.y,
    w: Math.min(LENS, mesh.columns) * mesh.pitch[0],
    h: Math.min(LENS, mesh.rows) * mesh.pitch[1],
  };
  marks.push({ kind: "rect", ...here, stroke: { color: "focus", width: 1.6 } });
  const source = tiles[0];
  if (source && panels.array && lens.x > panels.array.x) {
    const lines: readonly (readonly [number, number])[][] = [
      [
        [source.x + source.w, source.y],
        [lens.x - 6, lens.y - 2],
      ],
      [
        [source.x + source.w, source.y + source.h],
        [lens.x - 6, lens.y + LENS * (lens.h + gap)],
      ],
    ];
    for (const points of lines) marks.push({ kind: "line", points, stroke: { color: "muted", width: 1 } });
  }
  return marks;
}

/** Groups of devices that differ only along an axis: what a collective over it joins. */
function axisGroups(model: PlacementModel, mesh: MeshPanel, axis: number): Mark[] {
  const shape = model.meshShape;
  const size = shape[axis] ?? 1;
  const stride = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
  const marks: Mark[] = [];
  if (model.size > 256) return marks;
  for (let p = 0; p < model.size; p++) {
    if (Math.floor(p / stride) % size !== 0) continue;
    const boxes = Array.from({ length: size }, (_, i) => deviceBox(model, mesh, p + i * stride));
    const pad = 4;
    const x = Math.min(...boxes.map((b) => b.x)) - pad;
    const y = Math.min(...boxes.map((b) => b.y)) - pad;
    const w = Math.max(...boxes.map((b) => b.x + b.w)) + pad - x;
    const h = Math.max(...boxes.map((b) => b.y + b.h)) + pad - y;
    if (axis < 2) marks.push({ kind: "rect", x, y, w, h, r: 9, stroke: { color: axisToken(axis), width: 2 } });
    else
      for (const b of p === 0 ? boxes : [])
        marks.push({ kind: "rect", ...b, r: 7, stroke: { color: axisToken(axis), width: 2 } });
  }
  return marks;
}

function devicesArea(mesh: MeshPanel): Box {
  return {
    x: mesh.x - 1,
    y: mesh.y - 1,
    w: mesh.boxesAcross * mesh.boxPitch[0],
    h: mesh.box.y + mesh.box.h - mesh.y,
  };
}

/** Dims an area but for some boxes: bands of background around them. */
function veil(area: Box, keep: readonly Box[]): Mark[] {
  if (keep.length === 0 || keep.length > 64) return [];
  const rect = (x: number, y: number, w: number, h: number): Mark => ({
    kind: "rect",
    x,
    y,
    w,
    h,
    fill: "bg",
    alpha: DIM,
  });
  const marks: Mark[] = [];
  const rows = [...new Set(keep.flatMap((b) => [b.y, b.y + b.h]))].sort((a, b) => a - b);
  const edges = [area.y, ...rows, area.y + area.h];
  for (let i = 0; i + 1 < edges.length; i++) {
    const top = edges[i] ?? 0;
    const bottom = edges[i + 1] ?? 0;
    if (bottom <= top) continue;
    let x = area.x;
    const here = keep.filter((b) => b.y < bottom && b.y + b.h > top).sort((a, b) => a.x - b.x);
    for (const b of here) {
      if (b.x > x) marks.push(rect(x, top, b.x - x, bottom - top));
      x = Math.max(x, b.x + b.w);
    }
    if (area.x + area.w > x) marks.push(rect(x, top, area.x + area.w - x, bottom - top));
  }
  return marks;
}

function outline(b: Box, r: number, width = 2.4): Mark[] {
  const grown = { x: b.x - 1, y: b.y - 1, w: b.w + 2, h: b.h + 2 };
  return [
    { kind: "rect", ...grown, r: r + 2, stroke: { color: "bg", width: width + 2.4 } },
    { kind: "rect", ...grown, r: r + 1, stroke: { color: "focus", width } },
  ];
}

/** A line from a tile to a device: out of the tile's side, down the space between, under the device. */
function connector(tile: Box, device: Box): Mark {
  const x0 = tile.x + tile.w + 2;
  const y0 = tile.y + tile.h / 2;
  const x2 = device.x + device.w / 2;
  const below = device.y + device.h + 7;
  const x1 = Math.max(x0 + 14, Math.min(x0 + 34, device.x - 60));
  return {
    kind: "line",
    points: [
      [x0, y0],
      [x1, y0],
      [x1, below],
      [x2, below],
      [x2, device.y + device.h + 2],
    ],
    r: 10,
    stroke: { color: "focus", width: 1.8 },
  };
}

function shift(b: Box, dx: number, dy: number): Box {
  return { x: b.x + dx, y: b.y + dy, w: b.w, h: b.h };
}

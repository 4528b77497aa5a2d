/** What hovering, focus and pinning add: outlines, dimming of the rest, a connector. */
import { isDark } from "../../core/color";
import { product } from "../../core/mesh";
import type { PlacementModel } from "../../core/placement";
import { boxAt, deviceBox, placeOf } from "../../draw/grid";
import { around, axisToken, type Box, type Mark, outline, placed } from "../../draw/marks";
import type { Highlight } from "../model/selection";
import type { ArrayPanel } from "./array";
import { tileBoxes } from "./faces";
import type { Lens } from "./lens";
import type { MeshPanel } from "./mesh";
import type { Paints } from "./paints";

export interface Panels {
  array: ArrayPanel | null;
  mesh: MeshPanel;
  lens: Lens | null;
}

/** Opacity of the veil of background that dims what is not lit. */
const DIM = { light: 0.34, dark: 0.1 } as const;

/** What is highlighted, and over it the pin: a dot at the corner of the pinned tile and device. */
export function overlayMarks(
  model: PlacementModel,
  panels: Panels,
  paints: Paints,
  lit: Highlight | null,
  pinned: Highlight | null = null,
): Mark[] {
  const { array, mesh } = panels;
  const tiles = array && pinned?.tile != null ? tileBoxes(model, array.faces, pinned.tile) : [];
  const devices = pinned?.positions.slice(0, 1).map((p) => deviceBox(model, mesh, p)) ?? [];
  const pins = [...tiles.map((b) => placed(b, array as ArrayPanel)), ...devices];
  return [
    ...litMarks(model, panels, paints, lit),
    ...pins.map(
      ({ x, y }): Mark => ({
        kind: "rect",
        x: x - 5,
        y: y - 5,
        w: 10,
        h: 10,
        r: 5,
        fill: "ink",
        stroke: { color: "bg", width: 1.6 },
      }),
    ),
  ];
}

function litMarks(model: PlacementModel, panels: Panels, paints: Paints, lit: Highlight | null): Mark[] {
  if (!lit) return [];
  if (lit.axis !== null) return axisGroups(model, panels.mesh, lit.axis);
  const marks: Mark[] = [];
  const { array, mesh } = panels;
  const tiles = array && lit.tile !== null ? tileBoxes(model, array.faces, lit.tile).map((b) => placed(b, array)) : [];
  const devices = lit.positions.map((p) => deviceBox(model, mesh, p));

  if (array && !array.field) {
    const { faces } = array;
    const at = { x: array.x - 1, y: array.y - 1, w: faces.width + 2, h: faces.height + 2 };
    marks.push(...veil(at, tiles, paints));
  }
  if (mesh.density !== "field") marks.push(...veil(devicesArea(mesh), devices, paints));
  for (const b of tiles) marks.push(...outline(b, 2));
  devices.slice(0, 256).forEach((b, i) => {
    marks.push(...outline(b, mesh.density === "full" || mesh.density === "compact" ? 7 : 2, i === 0 ? 2.4 : 1.4));
  });
  if (mesh.multiples && devices[0]) {
    const panel = around([boxAt(mesh, placeOf(model, mesh, lit.positions[0] ?? 0).box)], 3);
    marks.push({ kind: "rect", ...panel, r: 3, stroke: { color: "ink", width: 1.8 } });
  }
  const from = tiles[0];
  const to = devices[0];
  if (array && from && to && !panels.lens && mesh.box.x > array.x + 40)
    marks.push(connector(from, array.x + array.faces.width, to));
  return marks;
}

/** Groups of devices that differ only along an axis: what a collective over it joins. */
function axisGroups(model: PlacementModel, mesh: MeshPanel, axis: number): Mark[] {
  const shape = model.meshShape;
  const size = shape[axis] ?? 1;
  const stride = product(shape.slice(axis + 1));
  const marks: Mark[] = [];
  if (model.size > 256) return marks;
  for (let p = 0; p < model.size; p++) {
    if (Math.floor(p / stride) % size !== 0) continue;
    const boxes = Array.from({ length: size }, (_, i) => deviceBox(model, mesh, p + i * stride));
    const stroke = { color: axisToken(axis), width: 2 };
    if (mesh.order.indexOf(axis) < 2) marks.push({ kind: "rect", ...around(boxes, 4), r: 9, stroke });
    else if (p === 0) for (const b of boxes) marks.push({ kind: "rect", ...b, r: 7, stroke });
  }
  return marks;
}

function devicesArea(mesh: MeshPanel): Box {
  return {
    x: mesh.x - 1,
    y: mesh.y - 1,
    w: mesh.box.x + mesh.box.w - mesh.x + 2,
    h: mesh.box.y + mesh.box.h - mesh.y,
  };
}

/** Dims an area but for some boxes: bands of background around them. */
function veil(area: Box, keep: readonly Box[], { scheme }: Paints): Mark[] {
  if (keep.length === 0 || keep.length > 64) return [];
  const rect = (x: number, y: number, w: number, h: number): Mark => ({
    kind: "rect",
    x,
    y,
    w,
    h,
    fill: "bg",
    alpha: DIM[isDark(scheme) ? "dark" : "light"],
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

/**
 * A line from a tile to a device: along the gutter below the tile to the array's edge, down or up the space between
 * the panels, and under the device.
 */
function connector(tile: Box, arrayEdge: number, device: Box): Mark {
  const x0 = tile.x + tile.w + 2;
  const y0 = tile.y + tile.h / 2;
  const gutter = tile.y + tile.h + 2;
  const x1 = Math.min(arrayEdge + 34, device.x - 60);
  const x2 = device.x + device.w / 2;
  const below = device.y + device.h + 7;
  const last = x0 > arrayEdge - 8;
  const start = last
    ? ([
        [x0, y0],
        [x1, y0],
      ] as const)
    : ([
        [x0, y0],
        [x0, gutter],
        [x1, gutter],
      ] as const);
  return {
    kind: "line",
    points: [...start, [x1, below], [x2, below], [x2, device.y + device.h + 2]],
    r: last ? 10 : 2,
    stroke: { color: "ink", width: 1.8 },
  };
}

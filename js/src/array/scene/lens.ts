/** The lens of a mesh with too many devices to name: a few neighbours, large, with their ids. */
import { hex } from "../../core/color";
import { product } from "../../core/mesh";
import type { PlacementModel } from "../../core/placement";
import { deviceBox } from "../../draw/grid";
import { around, axisToken, type Box, label, type Mark, MONO, outline } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import type { MeshPanel } from "./mesh";
import type { Paints } from "./paints";

export interface Lens {
  x: number;
  y: number;
  /** Size of a device in the lens. */
  w: number;
  h: number;
}

/** Devices along a side of the lens. */
export const LENS = 5;

const GAP = 3;

/** Rows and columns of mesh positions about a centre, clamped to the mesh. */
export function lensWindow(model: PlacementModel, mesh: MeshPanel, center: number | null) {
  const inner = mesh.wrapped ? 1 : product(model.meshShape.slice(2));
  const middle = (Math.floor(mesh.rows / 2) * mesh.columns + Math.floor(mesh.columns / 2)) * inner;
  const about = center ?? middle;
  const cell = Math.floor(about / inner);
  const clampTo = (i: number, n: number) => Math.max(0, Math.min(n - LENS, i - Math.floor(LENS / 2)));
  const row = clampTo(Math.floor(cell / mesh.columns), mesh.rows);
  const column = clampTo(cell % mesh.columns, mesh.columns);
  return {
    row,
    column,
    rows: Math.min(LENS, mesh.rows),
    columns: Math.min(LENS, mesh.columns),
    position: (r: number, c: number): number | null => {
      const p = ((row + r) * mesh.columns + column + c) * inner + (about % inner);
      return row + r < mesh.rows && column + c < mesh.columns && p < model.size ? p : null;
    },
  };
}

/** The device of the lens at a point. */
export function lensAtPoint(
  model: PlacementModel,
  mesh: MeshPanel,
  lens: Lens,
  center: number | null,
  x: number,
  y: number,
) {
  const c = Math.floor((x - lens.x) / (lens.w + GAP));
  const r = Math.floor((y - lens.y) / (lens.h + GAP));
  if (r < 0 || c < 0 || r >= LENS || c >= LENS) return null;
  return lensWindow(model, mesh, center).position(r, c);
}

/** The devices about a centre; with none, about the middle of the mesh. */
export function lensMarks(
  model: PlacementModel,
  mesh: MeshPanel,
  lens: Lens,
  paints: Paints,
  center: number | null,
): Mark[] {
  const window = lensWindow(model, mesh, center);
  const marks: Mark[] = [];
  const cell = (r: number, c: number): Box => ({
    x: lens.x + c * (lens.w + GAP),
    y: lens.y + r * (lens.h + GAP),
    w: lens.w,
    h: lens.h,
  });
  for (let r = 0; r < window.rows; r++) {
    for (let c = 0; c < window.columns; c++) {
      const p = window.position(r, c);
      if (p === null) continue;
      const b = cell(r, c);
      const fill = paints.fill(model.tileAt[p] ?? 0);
      const text = { ...MONO, anchor: "middle", weight: p === center ? 700 : 400 } as const;
      marks.push({ kind: "rect", ...b, r: 3, fill: fill ? hex(fill) : "panel", stroke: { color: "edge", width: 1 } });
      const id = String(model.ids[p] ?? 0);
      marks.push(label(b.x + b.w / 2, b.y + b.h / 2 + 4, id, 11, fill ? "tile-ink" : "ink", text));
      if (p === center) marks.push(...outline(b, 3));
    }
  }
  const [first, second] = mesh.wrapped ? [] : model.axes;
  for (let r = 0; first && r < window.rows; r++) {
    const b = cell(r, window.columns - 1);
    const text = fit(`${first.name}=`, 40, 11, true) + (window.row + r);
    marks.push(label(b.x + b.w + 8, b.y + b.h / 2 + 4, text, 11, axisToken(0), MONO));
  }
  for (let c = 0; second && c < window.columns; c++) {
    const b = cell(0, c);
    const middle = { ...MONO, anchor: "middle" } as const;
    const index = `${window.column + c}`;
    const text = textWidth(`${second.name}=${index}`, 11, true) < b.w ? `${second.name}=${index}` : index;
    marks.push(label(b.x + b.w / 2, lens.y - 7, text, 11, axisToken(1), middle));
  }
  const corners = [window.position(0, 0), window.position(window.rows - 1, window.columns - 1)] as const;
  if (corners[0] === null || corners[1] === null) return marks;
  const onMesh = around([deviceBox(model, mesh, corners[0]), deviceBox(model, mesh, corners[1])]);
  marks.push({ kind: "rect", ...onMesh, stroke: { color: "ink", width: 1.6 } });
  return marks;
}

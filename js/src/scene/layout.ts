/** The body of the card: array and mesh beside or above one another, a lens where devices are too many to name. */
import type { PlacementModel } from "../model/placement";
import { type ArrayPanel, arrayMarks, layoutArray } from "./array";
import type { Choice } from "./faces";
import { LENS } from "./lens";
import { textWidth } from "./measure";
import { layoutMesh, meshMarks } from "./mesh";
import type { Panels } from "./overlay";
import type { Paints } from "./paints";
import { type Box, label, type Mark } from "./scene";

export interface Layout extends Panels {
  width: number;
  height: number;
  /** Where the tooltip stands when it does not float. */
  dock: Box | null;
  /** Where the title of each panel stands. */
  titles: readonly { x: number; y: number; text: string; note: string }[];
  stacked: boolean;
}

/** Below this width the mesh stands under the array. */
export const STACK = 560;
const TITLE = 30;
const DOCK = 86;

/** Lays out the body; `docked` keeps room for a tooltip that stands in the picture where it cannot float. */
export function layoutBody(model: PlacementModel, choice: Choice, width: number, docked: boolean): Layout {
  const stacked = width < STACK;
  const large = model.size > 1024;
  const lensWidth = stacked ? width : Math.min(430, width * 0.42);
  const by = model.doc.mesh.abstract ? "position" : "id";
  const kind = model.doc.mesh.abstract ? "positions of an abstract mesh" : "";
  if (model.doc.shape === null) return alone(model, choice, width, lensWidth, large, kind);
  const titles: Layout["titles"][number][] = [];
  const arrayWidth = stacked ? width : Math.floor(width * (large ? 0.54 : 0.55));
  const array: ArrayPanel = layoutArray(model, choice, {
    x: 0,
    y: TITLE,
    width: arrayWidth,
    height: stacked ? 360 : large ? 520 : 420,
  });
  titles.push({ x: stacked ? 0 : array.x, y: 14, text: "Logical array", note: "" });
  let x = stacked ? 0 : arrayWidth + 52;
  let y = stacked ? array.box.y + array.box.h + 8 : 0;
  let dock: Box | null = null;
  let lens: Panels["lens"] = null;
  const right = width - x;
  if (large) {
    const w = Math.min(76, (Math.min(right, lensWidth) - 60) / LENS - 3);
    const h = Math.min(36, w * 0.6);
    titles.push({ x, y: y + 14, text: "Lens", note: `${LENS}×${LENS} of ${model.size} devices, by ${by}` });
    lens = { x, y: y + TITLE + 20, w, h };
    y = lens.y + LENS * (h + 3) + 12;
    if (docked) {
      dock = { x, y, w: right, h: DOCK };
      y += DOCK + 16;
    } else y += 12;
  } else if (stacked && docked) {
    dock = { x: 0, y, w: width, h: DOCK };
    y += DOCK + 14;
  }
  titles.push({ x, y: y + 14, text: "Mesh", note: kind || (large ? "lines every 16 devices" : "") });
  if (!large && !stacked) x = arrayWidth + 52;
  const mesh = layoutMesh(model, choice, { x, y: y + (stacked || large ? TITLE : TITLE - 6), width: right });
  return {
    array,
    mesh,
    lens,
    dock,
    titles,
    stacked,
    width,
    height: Math.ceil(Math.max(array.box.y + array.box.h, mesh.box.y + mesh.box.h) + 4),
  };
}

/** A mesh without an array. */
function alone(
  model: PlacementModel,
  choice: Choice,
  width: number,
  lensWidth: number,
  large: boolean,
  note: string,
): Layout {
  const stacked = width < STACK;
  const x = stacked ? 0 : width - lensWidth;
  const w = Math.min(76, (lensWidth - 60) / LENS - 3);
  const lens = large ? { x, y: TITLE + 20, w, h: Math.min(36, w * 0.6) } : null;
  const dock = lens ? { x, y: lens.y + LENS * (lens.h + 3) + 12, w: lensWidth, h: DOCK } : null;
  const top = stacked && dock ? dock.y + DOCK + 16 : 0;
  const mesh = layoutMesh(model, choice, {
    x: 0,
    y: top + TITLE,
    width: lens && !stacked ? width - lensWidth - 40 : Math.min(width, 900),
  });
  return {
    array: null,
    mesh,
    lens,
    dock,
    titles: [
      { x: stacked ? 0 : mesh.x, y: top + 14, text: "Mesh", note },
      ...(lens ? [{ x, y: 14, text: "Lens", note: `${LENS}×${LENS} of ${model.size} devices` }] : []),
    ],
    stacked,
    width,
    height: Math.ceil(Math.max(mesh.box.y + mesh.box.h, dock ? dock.y + DOCK : 0) + 4),
  };
}

/** All marks of the body but what hovering adds. */
export function bodyMarks(model: PlacementModel, layout: Layout, paints: Paints): Mark[] {
  const colors = {
    position: "colour = where a block sits in the array",
    values: "colour = value",
    device: "shade = device id",
  };
  const marks: Mark[] = layout.titles.flatMap((t) => {
    const note = t.text === "Logical array" ? colors[paints.colorBy] : t.note;
    const next = layout.titles.find((other) => other.y === t.y && other.x > t.x);
    const fits = t.x + textWidth(`${t.text}   ${note}`, 13) <= (next ? next.x - 12 : layout.width);
    const words = [{ text: t.text, weight: 700, color: "ink" as const }, { text: note && fits ? `   ${note}` : "" }];
    return [label(t.x, t.y, words, 13, "muted")];
  });
  if (layout.array) marks.push(...arrayMarks(model, layout.array, paints));
  marks.push(...meshMarks(model, layout.mesh, paints));
  return marks;
}

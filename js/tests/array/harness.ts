/** The real ArrayView in a page: its tiles and devices, and what is outlined. */
import view from "../../src/array/entry";
import { tileBoxes, WHOLE } from "../../src/array/scene/faces";
import { type Layout, layoutBody } from "../../src/array/scene/layout";
import { loaded } from "../../src/card/loaded";
import type { Placement } from "../../src/core/document.gen";
import { PlacementModel } from "../../src/core/placement";
import { deviceBox } from "../../src/draw/grid";
import type { Box } from "../../src/draw/marks";
import { find, type Mounted, mounting, settle } from "../harness";

/** What Python brings to every array: here from the source, for there is no bundle. */
const PARTS = `export * from "${new URL("../../src/array/parts/entry.ts", import.meta.url).href}";`;

const TRAITS = { color_by: "position", selection: null, _parts: PARTS };

export const { start, mount } = mounting<Placement>(view.render, TRAITS, 960);

/** Waits until what Python brings can be loaded: the arrays of the page have asked for it before. */
export async function brought(): Promise<void> {
  await loaded(PARTS);
  await settle();
}

export const panel = (mounted: Mounted, which: "array" | "mesh") =>
  find(mounted, `[role=listbox][aria-label^="${which === "array" ? "logical array" : "mesh"}"]`);

/** The option that a panel's cursor is at. */
export function option(mounted: Mounted, which: "array" | "mesh"): HTMLElement {
  const list = panel(mounted, which);
  const found = mounted.root.getElementById(list.getAttribute("aria-activedescendant") ?? "");
  if (!found || !list.contains(found)) throw new Error(`the ${which} panel points at no option of its own`);
  return found;
}

export function tooltip({ root }: Mounted): string {
  return root.querySelector(".tip, .dock:has(*)")?.textContent ?? "";
}

/** Where a tile, or a device by position, is drawn. */
export function place(mounted: Mounted, what: { tile: number } | { position: number }): Box {
  const model = new PlacementModel(mounted.model.traits._document as Placement);
  const layout: Layout = layoutBody(model, WHOLE, find(mounted, ".picture").clientWidth, true);
  if ("position" in what) return deviceBox(model, layout.mesh, what.position);
  const { array } = layout;
  const box = array && tileBoxes(model, array.faces, what.tile)[0];
  if (!box) throw new Error("the tile is not in view");
  return { ...box, x: box.x + array.x, y: box.y + array.y };
}

/** A pointer event in the middle of a box of the picture. */
export function point(mounted: Mounted, type: "pointermove" | "click", box: Box): void {
  const picture = find(mounted, ".picture");
  const { left, top } = picture.getBoundingClientRect();
  const at = { clientX: left + box.x + box.w / 2, clientY: top + box.y + box.h / 2 };
  picture.dispatchEvent(new PointerEvent(type, { ...at, bubbles: true, composed: true }));
}

/** Whether the overlay has its outline at the left edge of a box. */
export function outlined(mounted: Mounted, box: Box): boolean {
  const canvas = mounted.root.querySelectorAll<HTMLCanvasElement>("canvas.layer")[1];
  const ratio = window.devicePixelRatio;
  const data = canvas
    ?.getContext("2d")
    ?.getImageData(Math.round((box.x + 7) * ratio), Math.round((box.y + box.h / 2 + 8) * ratio), 1, 1).data;
  // The veil over the rest is far more translucent than an outline.
  return (data?.[3] ?? 0) > 128;
}

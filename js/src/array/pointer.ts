/** What the pointer is over. */

import { pointOf } from "../card/pointed";
import { deviceAtPoint } from "../draw/grid";
import { inside } from "../draw/marks";
import { type Highlight, highlightDevice, highlightTile, type Which } from "./model/selection";
import { tileAtPoint } from "./scene/faces";
import type { ArrayState } from "./state";

/** The panel and what would light up in it; both null between and beside things. */
export function pointerTarget(state: ArrayState, event: MouseEvent): { panel: Which | null; lit: Highlight | null } {
  const shown = state.shown();
  if (!shown) return { panel: null, lit: null };
  const { model, layout } = shown;
  const [x, y] = pointOf(event);
  const { array, lens } = layout;
  if (array && inside({ x: array.x, y: array.y, w: array.faces.width, h: array.faces.height }, x, y)) {
    const tile = tileAtPoint(model, array.faces, x - array.x, y - array.y);
    return { panel: "array", lit: tile === null ? null : highlightTile(model, tile) };
  }
  const center = state.lit()?.positions[0] ?? null;
  const near = lens && state.now.parts?.lensAtPoint(model, layout.mesh, lens, center, x, y);
  if (near != null) {
    // Moving over the lens would move the lens itself: only a click goes there.
    return event.type === "click"
      ? { panel: "mesh", lit: highlightDevice(model, near) }
      : { panel: null, lit: state.lit() };
  }
  const position = deviceAtPoint(model, layout.mesh, x, y);
  return { panel: position === null ? null : "mesh", lit: position === null ? null : highlightDevice(model, position) };
}

/** The fixed-form tooltip of a shard: floating at what is lit, or docked where there is no room. */

import type { ComponentChildren } from "preact";
import { boxStyle } from "../card/Listbox";
import { Tip } from "../card/Tip";
import { hex } from "../core/color";
import { deviceBox } from "../draw/grid";
import { type Box, placed } from "../draw/marks";
import { tileBoxes } from "./scene/faces";
import type { Shown } from "./scene/morph";
import type { ArrayState } from "./state";

export function Tooltip({ state }: { state: ArrayState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { model, layout, paints } = shown;
  const [lit, tip] = [state.lit(), state.tip()];
  const docked = (lines: ComponentChildren) =>
    layout.dock && (
      <div class="dock" style={boxStyle(layout.dock)}>
        {lines}
      </div>
    );
  if (!lit || !tip) return docked("Point at a block.");
  const color = lit.tile === null ? null : paints.fill(lit.tile);
  const lines = (
    <>
      <div class="row">
        {color && <span class="swatch" style={{ background: hex(color) }} />}
        <b class="mono">{tip.slice || tip.device}</b>
        <span class="mono">{tip.shard}</span>
      </div>
      {tip.slice && (
        <div class="row">
          <span>{tip.device}</span>
          <span>{tip.copies}</span>
        </div>
      )}
      {tip.values && <div class="soft">{tip.values}</div>}
    </>
  );
  if (layout.dock) return docked(lines);
  const position = lit.positions[0];
  const { array, mesh } = layout;
  const tileBox = array && lit.tile !== null ? tileBoxes(model, array.faces, lit.tile)[0] : undefined;
  const box =
    state.now.origin === "array" && array && tileBox
      ? placed(tileBox, array)
      : position === undefined
        ? null
        : deviceBox(model, mesh, position);
  if (!box) return null;
  return (
    <Tip at={box} keep={cells(shown)}>
      {lines}
    </Tip>
  );
}

/** What is read in the picture: the array, and devices that show blocks of it. */
function cells({ model, layout: { array, mesh } }: Shown): Box[] {
  const devices = mesh.density === "full" ? [...model.ids].map((_, p) => deviceBox(model, mesh, p)) : [];
  return array ? [...devices, { x: array.x, y: array.y, w: array.faces.width, h: array.faces.height }] : devices;
}

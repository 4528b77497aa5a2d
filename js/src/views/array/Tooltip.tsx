/** The fixed-form tooltip of a shard: floating at what is lit, or docked where there is no room. */
import { hex } from "../../model/color";
import { tileBoxes } from "../../scene/faces";
import { deviceBox } from "../../scene/grid";
import { placed } from "../../scene/scene";
import type { ArrayState } from "./state";

const WIDTH = 360;
const HEIGHT = 84;

export function Tooltip({ state }: { state: ArrayState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { model, layout, paints } = shown;
  const [lit, tip] = [state.lit(), state.tip()];
  if (!lit || !tip) {
    return layout.dock ? (
      <div class="dock" style={place(layout.dock)}>
        Point at a block.
      </div>
    ) : null;
  }
  const color = lit.tile === null ? null : paints.fill(lit.tile);
  const lines = (
    <>
      <div class="row">
        {color && <span class="swatch" style={{ background: hex(color) }} />}
        <b class="mono">{tip.slice || tip.device}</b>
        <span class="mono end">{tip.shard}</span>
      </div>
      {tip.slice && (
        <div class="row">
          <span>{tip.device}</span>
          <span class="end">{tip.copies}</span>
        </div>
      )}
      {tip.values && <div class="soft">{tip.values}</div>}
    </>
  );
  if (layout.dock) {
    return (
      <div class="tip docked" style={place(layout.dock)}>
        {lines}
      </div>
    );
  }
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
  const width = Math.min(WIDTH, layout.width);
  const middle = box.x + box.w / 2;
  // Free space under the array is the best place: nothing of the picture is hidden there.
  const free = array
    ? array.y + array.faces.height + (array.faces.across.dim === null ? 14 : 34)
    : Number.POSITIVE_INFINITY;
  const under = free + HEIGHT <= layout.height + 24;
  const at = under && array ? { y: free - 12, h: 0 } : box;
  const most = under && array ? array.x + array.faces.width : layout.width;
  const left = Math.max(0, Math.min(most - width, middle - width / 2));
  const above = !under && box.y + box.h + 14 + HEIGHT > layout.height + 30 && box.y > HEIGHT + 14;
  const arrow = Math.max(14, Math.min(width - 14, middle - left));
  return (
    <div
      class={`tip ${above ? "above" : "below"}`}
      style={{
        left: `${left}px`,
        width: `${width}px`,
        "--arrow": `${arrow}px`,
        ...(above ? { bottom: `${layout.height - box.y + 12}px` } : { top: `${at.y + at.h + 12}px` }),
      }}
    >
      {lines}
    </div>
  );
}

function place(box: { x: number; y: number; w: number; h: number }): string {
  return `left:${box.x}px;top:${box.y}px;width:${box.w}px;min-height:${box.h - 8}px`;
}

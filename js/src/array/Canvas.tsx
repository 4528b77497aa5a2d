/** The picture: the canvases of its layers, the two panels as keyboard lists over them, the tooltip. */

import { boxStyle, Listbox } from "../card/Listbox";
import { deviceBox } from "../draw/grid";
import { placed } from "../draw/marks";
import { type Highlight, highlightDevice, highlightTile, sameLit, type Which } from "./model/selection";
import { tipOf, tipSentence } from "./model/tip";
import { pointerTarget } from "./pointer";
import { tileBoxes } from "./scene/faces";
import type { Shown } from "./scene/morph";
import type { ArrayState } from "./state";
import { Tooltip } from "./Tooltip";

export function Canvas({ state }: { state: ArrayState }) {
  const shown = state.shown();
  const { pinch } = state;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the listboxes inside do the same by keyboard
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div
      class="picture"
      style={{ height: `${shown?.layout.height ?? 0}px` }}
      onPointerDown={pinch?.finger}
      onPointerUp={pinch?.finger}
      onPointerCancel={pinch?.finger}
      onWheel={pinch?.wheel}
      onPointerMove={(event) => {
        if (pinch?.finger(event)) return;
        const { panel, lit } = pointerTarget(state, event);
        state.light(lit, panel);
      }}
      onPointerLeave={() => state.light(null)}
      onClick={(event) => {
        const { panel, lit } = pointerTarget(state, event);
        if (lit) state.pin(lit, panel);
      }}
    >
      <div aria-hidden="true" ref={state.layers.attach} />
      {shown?.layout.array && <Panel state={state} shown={shown} which="array" />}
      {shown && <Panel state={state} shown={shown} which="mesh" />}
      <Tooltip state={state} />
    </div>
  );
}

/** One panel as a listbox: one tab stop, arrow keys move, the option under the cursor is the only one in the page. */
function Panel({ state, shown, which }: { state: ArrayState; shown: Shown; which: Which }) {
  const { model, layout } = shown;
  const panel = which === "array" ? layout.array : layout.mesh;
  if (!panel) return null;
  const lit = state.lit();
  const cursor = which === "array" ? (lit?.tile ?? 0) : (lit?.positions[0] ?? 0);
  const here: Highlight = which === "array" ? highlightTile(model, cursor) : highlightDevice(model, cursor);
  const tip = tipOf(model, here, null, "");
  const count = which === "array" ? model.tiles : model.size;
  const tile = which === "array" && layout.array ? tileBoxes(model, layout.array.faces, cursor)[0] : null;
  const option = which === "mesh" ? deviceBox(model, layout.mesh, cursor) : tile && placed(tile, panel);
  return (
    <Listbox
      label={which === "array" ? `logical array, ${count} tiles` : `mesh, ${count} devices`}
      said={tip ? tipSentence(tip) : ""}
      at={option ? boxStyle({ ...option, x: option.x - panel.box.x, y: option.y - panel.box.y }) : { display: "block" }}
      id={`${which}-${cursor}`}
      selected={state.now.pinned !== null && sameLit(state.now.pinned, here)}
      place={{ index: cursor, of: count }}
      style={boxStyle(panel.box)}
      onFocus={(event) => {
        if (!event.currentTarget.matches(":focus-visible")) return;
        if (!state.lit()) state.light(here, which);
      }}
      onBlur={() => state.light(null)}
      onKeyDown={(event) => {
        if (state.now.parts?.onKey(state, which, event)) {
          event.preventDefault();
          event.stopPropagation();
        }
      }}
    />
  );
}

/** The devices in a row, each with the colour of the tile that it holds: equal colours are copies. */
import { hex, tileColors } from "../core/color";
import type { Holder } from "../core/document.gen";
import type { NamespaceModel } from "./model/namespace";
import type { InspectorState } from "./state";

/** More devices than these are not told apart in a line. */
const MOST = 16;

export function Band({ state, model, holder }: { state: InspectorState; model: NamespaceModel; holder: Holder }) {
  const of = model.typeOf(holder);
  const placed = model.placed(holder);
  const { theme } = state.now;
  if (!of || !placed || !theme || model.devices.length > MOST) return null;
  const deleted = of.state === "deleted";
  const color = tileColors(placed, theme.scheme);
  const tiles = new Map([...placed.ids].map((id, position) => [id, placed.tileAt[position] ?? 0]));
  const across = model.mesh?.meshShape.at(-1) ?? 1;
  return (
    <span class={deleted ? "band deleted" : "band"} aria-hidden="true">
      {model.devices.map(({ id }, at) => {
        const tile = tiles.get(id);
        const filled = tile !== undefined && !deleted;
        return (
          <i
            class={`${filled ? "" : "empty"} ${at > 0 && at % across === 0 ? "next" : ""}`}
            style={filled ? { background: hex(color(tile)) } : undefined}
            key={id}
          />
        );
      })}
    </span>
  );
}

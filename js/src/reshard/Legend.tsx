/** What is in the picture now: ribbons by the axes along which they go, or parts of what a device holds. */

import { AXIS_DASH } from "../draw/marks";
import { PART_TEXT, PARTS, partColor } from "./scene/bars";
import type { ReshardState, Shown } from "./state";

export function Legend({ state, shown: { model, flows, board } }: { state: ReshardState; shown: Shown }) {
  const { theme } = state.now;
  if (!theme) return null;
  if (flows) {
    const pieces = flows.panels.flatMap(({ moves }) => moves.pieces);
    const axes = [...new Set(pieces.flatMap((piece) => piece.axes))].sort((a, b) => a - b);
    return (
      <ul class="legend" aria-label="ribbons">
        {axes.map((axis) => (
          <li key={axis}>
            <i class={`ribbon axis${axis % AXIS_DASH.length}`} aria-hidden="true" /> over{" "}
            <b class={`mono ink${axis % AXIS_DASH.length}`}>{model.axes[axis]?.name}</b>
          </li>
        ))}
        {pieces.some((piece) => piece.stays) && (
          <li>
            <i class="ribbon" aria-hidden="true" /> stays
          </li>
        )}
        {model.freedBytes > 0 && (
          <li>
            <i class="swatch freed" aria-hidden="true" /> made, then freed
          </li>
        )}
      </ul>
    );
  }
  if (!board) return null;
  return (
    <ul class="legend" aria-label="what a device holds">
      {PARTS.filter((part) => part !== "freed" || model.freedBytes > 0).map((part) => {
        const color = partColor(part, theme.scheme);
        return (
          <li key={part}>
            <i
              class={`swatch ${part}`}
              style={color.startsWith("#") ? { background: color } : undefined}
              aria-hidden="true"
            />{" "}
            {PART_TEXT[part]}
          </li>
        );
      })}
    </ul>
  );
}

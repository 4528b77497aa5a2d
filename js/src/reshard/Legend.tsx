/** What is in the picture now: ribbons by the axes along which they go, or parts of what a device holds. */

import { Legend as Signs } from "../card/Legend";
import { AXIS_DASH } from "../draw/marks";
import { PART_TEXT, PARTS, type Part, partColor } from "./scene/bars";
import type { ReshardState, Shown } from "./state";

export function Legend({ state, shown: { model, flows, board } }: { state: ReshardState; shown: Shown }) {
  const { theme } = state.now;
  if (!theme) return null;
  if (flows) {
    const pieces = flows.panels.flatMap(({ moves }) => moves.pieces);
    const axes = [...new Set(pieces.flatMap((piece) => piece.axes))].sort((a, b) => a - b);
    const over = (axis: number) => {
      const at = axis % AXIS_DASH.length;
      return [`ribbon axis${at}`, ["over ", <b class={`mono ink${at}`}>{model.axes[axis]?.name}</b>]] as const;
    };
    return (
      <Signs
        label="ribbons"
        of={[
          ...axes.map(over),
          pieces.some((piece) => piece.stays) && ["ribbon", "stays"],
          model.freedBytes > 0 && ["swatch freed", "made, then freed"],
        ]}
      />
    );
  }
  if (!board) return null;
  const parts = PARTS.filter((part) => part !== "freed" || model.freedBytes > 0);
  const sign = (part: Part) => {
    const color = partColor(part, theme.scheme);
    return [`swatch ${part}`, PART_TEXT[part], color.startsWith("#") ? { background: color } : undefined] as const;
  };
  return <Signs label="what a device holds" of={parts.map(sign)} />;
}

/** What is in the picture: ribbons by the axes along which they go, or parts of what a device holds. */

import { Legend as Signs } from "../card/Legend";
import { AXIS_DASH } from "../draw/marks";
import type { Ribbons } from "./model/moves";
import type { PlanModel } from "./model/reshard";
import { PART_TEXT, PARTS, type Part, partColor } from "./scene/bars";
import type { ReshardState, Shown } from "./state";

/** Both pages' legends take room, so that the foot is as high on either. */
export function Legend({ state, shown: { model, flows, ribbons } }: { state: ReshardState; shown: Shown }) {
  return (
    <div class="legends">
      {ribbons && (
        <div class={flows ? "" : "unseen"}>
          <Moving model={model} ribbons={ribbons} />
        </div>
      )}
      {model.axis >= 0 && (
        <div class={flows ? "unseen" : ""}>
          <Held state={state} model={model} />
        </div>
      )}
    </div>
  );
}

function Moving({ model, ribbons }: { model: PlanModel; ribbons: Ribbons }) {
  const over = (axis: number) => {
    const at = axis % AXIS_DASH.length;
    return [`ribbon axis${at}`, ["over ", <b class={`mono ink${at}`}>{model.axes[axis]?.name}</b>]] as const;
  };
  return (
    <Signs
      label="ribbons"
      of={[
        ...ribbons.axes.map(over),
        ribbons.stays && ["ribbon", "stays"],
        model.freedBytes > 0 && ["swatch freed", "made, then freed"],
      ]}
    />
  );
}

function Held({ state, model }: { state: ReshardState; model: PlanModel }) {
  const { theme } = state.now;
  if (!theme) return null;
  const parts = PARTS.filter((part) => part !== "freed" || model.freedBytes > 0);
  const sign = (part: Part) => {
    const color = partColor(part, theme.scheme);
    return [`swatch ${part}`, PART_TEXT[part], color.startsWith("#") ? { background: color } : undefined] as const;
  };
  return <Signs label="what a device holds" of={parts.map(sign)} />;
}

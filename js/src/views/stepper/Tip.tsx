/** The fixed-form tooltip of a block, at what is pointed at or where the keyboard is. */
import { hex } from "../../model/color";
import type { StepperState } from "./state";

const WIDTH = 380;
/** For a device without a block. */
const NARROW = 220;
const HEIGHT = 92;

export function Tip({ state }: { state: StepperState }) {
  const tip = state.tip();
  const { trace, layout } = state.view() ?? {};
  if (!tip || !trace || !layout) return null;
  const { box, text, color, from } = tip;
  const width = Math.min(text.name ? WIDTH : NARROW, layout.width);
  const middle = box.x + box.w / 2;
  const left = Math.max(0, Math.min(layout.width - width, middle - width / 2));
  const above = box.y + box.h + 12 + HEIGHT > layout.height + 40 && box.y > HEIGHT + 12;
  return (
    <div
      class={`tip ${above ? "above" : "below"}`}
      style={{
        left: `${left}px`,
        width: `${width}px`,
        "--arrow": `${Math.max(14, Math.min(width - 14, middle - left))}px`,
        ...(above ? { bottom: `${layout.height - box.y + 12}px` } : { top: `${box.y + box.h + 12}px` }),
      }}
    >
      {text.name && (
        <div class="row">
          {color && <span class="swatch" style={{ background: hex(color) }} />}
          <b class="mono">{text.name}</b>
          <span class="mono end">{text.type}</span>
        </div>
      )}
      <div class="row">
        <span>{text.device}</span>
        <span class="end">{text.copies}</span>
      </div>
      {from && <div class="mono">{from}</div>}
      {text.values && <div class="soft">{text.values}</div>}
    </div>
  );
}

/** The fixed-form tooltip of a block, at what is pointed at or where the keyboard is. */

import { Tip } from "../../card/Tip";
import { hex } from "../../core/color";
import type { StepperState } from "../state";

export function BlockTip({ state }: { state: StepperState }) {
  const tip = state.tip();
  if (!tip) return null;
  const { box, keep, text, color, from } = tip;
  return (
    <Tip at={box} keep={keep}>
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
    </Tip>
  );
}

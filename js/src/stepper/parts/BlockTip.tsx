/** The fixed-form tooltip of a block, at what is pointed at or where the keyboard is. */

import { Tip } from "../../card/Tip";
import { hex } from "../../core/color";
import { blockSentence, deviceText } from "../model/blocktip";
import { describe, type Shown } from "../scene/describe";
import type { StepperState } from "../state";

export function BlockTip({ state }: { state: StepperState }) {
  const tip = shown(state);
  if (!tip) return null;
  const { box, keep, text, color, from } = tip;
  return (
    <Tip at={box} keep={keep}>
      {text.name && (
        <div class="row">
          {color && <span class="swatch" style={{ background: hex(color) }} />}
          <b class="mono">{text.name}</b>
          <span class="mono">{text.type}</span>
        </div>
      )}
      <div class="row">
        <span>{text.device}</span>
        <span>{text.copies}</span>
      </div>
      {from && <div class="mono">{from}</div>}
      {text.values && <div class="soft">{text.values}</div>}
    </Tip>
  );
}

/** What is pointed at, else where the keyboard is. */
function shown(state: StepperState): Shown | null {
  const { hover, keyboard } = state.now;
  const view = state.view();
  if (hover) return view && describe(view, hover);
  return keyboard ? kept(state) : null;
}

/** The block of the device that is looked at; null where none is. */
function kept(state: StepperState): Shown | null {
  const view = state.view();
  const { device } = state.now;
  return view && device !== null ? describe(view, { device, slot: state.keptSlot(), cell: null }) : null;
}

/** What a screen reader says of the device that is looked at, or of a block of it. */
export function labelOf(state: StepperState): string {
  const { trace } = state.now;
  const block = kept(state);
  return block ? blockSentence(block.text) : trace ? deviceText(trace, 0) : "";
}

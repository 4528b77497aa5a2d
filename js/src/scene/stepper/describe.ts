/** What the tooltip says of a device or a block, and where that is. */
import { type BlockTip, blockTip, deviceText } from "../../model/blocktip";
import type { Rgb } from "../../model/color";
import { deviceBox } from "../grid";
import type { Box } from "../scene";
import type { Hit, StepView } from "./view";

/** A block that is described: where it is drawn, and what is said. */
export interface Shown {
  box: Box;
  text: BlockTip;
  color: Rgb | null;
}

/** What is said of a device, or of its block; null where nothing is drawn. */
export function describe(view: StepView, { device, slot, cell }: Hit): Shown | null {
  const { trace, layout, seats } = view;
  const runs = !view.active || view.active.has(device);
  const tile = seats.get(device) ?? deviceBox(trace.mesh, layout.grid, device);
  const at = slot === null || !runs ? undefined : view.slots[slot];
  if (!at || slot === null) {
    const values = runs ? "" : "does not run this step";
    return {
      box: tile,
      color: null,
      text: { name: "", type: "", device: deviceText(trace, device), copies: "", values },
    };
  }
  const text = blockTip(trace, at.v, device, cell);
  const later = !at.input && !view.finished ? "when the step is done: " : "";
  return {
    box: view.box(device, slot) ?? tile,
    color: view.color(at.v, device, at.v.unreduced),
    text: { ...text, values: text.values && later + text.values },
  };
}

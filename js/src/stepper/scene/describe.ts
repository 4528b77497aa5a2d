/** What the tooltip says of a device or a block, and where that is. */

import type { Rgb } from "../../core/color";
import type { Box } from "../../draw/marks";
import { type BlockTip, blockTip, deviceText } from "../model/blocktip";
import { drawnOf } from "./drawn";
import { blockColor } from "./look";
import { boxOf, type Hit, type StepView } from "./view";

/** A block that is described: where it is drawn, and what is said. */
export interface Shown {
  box: Box;
  /** What is drawn, which the tooltip is not to cover. */
  keep: readonly Box[];
  text: BlockTip;
  color: Rgb | null;
  /** How the element was made; empty where there is nothing to say. */
  from: string;
}

/** What is said of a device, or of its block; null where nothing is drawn. */
export function describe(view: StepView, { device, slot, cell, box: at }: Hit): Shown | null {
  const { trace } = view;
  const runs = !view.active || view.active.has(device);
  const drawn = drawnOf(view);
  const keep = drawn.map((d) => d.box);
  const tile = boxOf(view, device);
  const v = slot === null || !runs ? undefined : view.slots[slot];
  if (!v) {
    const values = runs ? "" : "does not run this step";
    const text = { name: "", type: "", device: deviceText(trace, device), copies: "", values };
    return tile && { box: tile, keep, color: null, text, from: "" };
  }
  const box = at ?? drawn.find((d) => d.device === device && d.v.id === v.id)?.box ?? tile;
  const text = blockTip(trace, v, device, cell);
  const later = view.show.after.includes(v) && !view.finished ? "when the step is done: " : "";
  return (
    box && {
      box,
      keep,
      text: { ...text, values: text.values && later + text.values },
      color: blockColor(view, v, device),
      from: view.options.rules?.fromText(view, v, device, cell) ?? "",
    }
  );
}

/** The real RunView in a page. */

import type { Run, Runs } from "../../src/core/document.gen";
import view from "../../src/run/entry";
import { find, type Mounted, mounting, press, settle, textOf } from "../harness";

export const { start, mount } = mounting<Run | Runs>(view.render, { call: null, selection: null }, 1100);

export const chart = (mounted: Mounted) => find(mounted, ".chart");
/** What is said at the cursor. */
export const said = (mounted: Mounted) => textOf(find(mounted, ".sentence"));

/** Presses keys on the lanes, one after the other. */
export async function keys(mounted: Mounted, ...pressed: string[]): Promise<void> {
  for (const key of pressed) {
    press(chart(mounted), key);
    await settle();
  }
}

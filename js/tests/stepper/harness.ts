/** The real ShardMapStepper in a page. */
import { expect } from "vitest";
import type { Trace } from "../../src/core/document.gen";
import view from "../../src/stepper/entry";
import { enter, type Mounted, mounting } from "../harness";

/** The bundle of what is loaded when it is needed, as Python brings it. */
const PARTS = `export { default } from "${new URL("../../src/stepper/parts/entry.ts", import.meta.url).href}";`;

export const { start, mount } = mounting<Trace>(view.render, { step: 0, watch: [], _parts: PARTS }, 1240);

/** Waits until the bundle of what is loaded later is there: the device that is looked at has a whole label. */
export async function loaded({ root }: Mounted): Promise<void> {
  await expect.poll(() => root.querySelector("#device")?.getAttribute("aria-label")).toContain(" at ");
}

/** The step that the picture shows. */
export const shownStep = ({ frame }: Mounted) => Number(frame.dataset.swStep);

export const slider = ({ root }: Mounted) =>
  root.querySelector<HTMLInputElement>("input[type=range]") as HTMLInputElement;

/** Moves the scrubber. */
export const scrub = (mounted: Mounted, at: number) => enter(mounted, "input[type=range]", at);

export const rows = ({ root }: Mounted) => [...root.querySelectorAll<HTMLElement>(".steps li")];

export const currentRow = (mounted: Mounted) => rows(mounted).find((r) => r.querySelector("[aria-current=step]"));

export async function shown(mounted: Mounted, step: number): Promise<void> {
  await expect.poll(() => shownStep(mounted)).toBe(step);
}

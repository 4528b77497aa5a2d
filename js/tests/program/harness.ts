/** The real CompiledProgram in a page, with a model in place of the notebook's. */
import { expect } from "vitest";
import { render } from "../../src/entries/program";
import { type Mounted, type Place, stand } from "../widget/harness";

/** Mounts without waiting for the picture. */
export function startProgram(document: unknown, traits: Record<string, unknown> = {}, place: Place = {}): Mounted {
  const state = { selection: null, axis: null, sort: "time", opened: null, _asked: {}, _heard: 0, _trouble: "" };
  return stand(render, { _document: document, _static: false, ...state, ...traits }, { width: 1240, ...place });
}

/** Waits until something has been drawn. */
export async function drawn({ frame }: Mounted): Promise<void> {
  await expect.poll(() => Number(frame.dataset.swReady ?? 0)).toBeGreaterThan(0);
}

/** Lines of the table, from the top, without its heads. */
export const lines = ({ root }: Mounted) => [...root.querySelectorAll<HTMLElement>(".line:not(.heads)")];

/** A cell of a line, as one text. */
export const cell = (line: Element | undefined, column: string) =>
  line?.querySelector(`.${column}`)?.textContent?.replace(/\s+/g, " ").trim() ?? "";

export const table = ({ root }: Mounted) => root.querySelector<HTMLElement>(".table") as HTMLElement;

export function button({ root }: Mounted, name: string): HTMLButtonElement {
  const called = (b: HTMLButtonElement) => b.getAttribute("aria-label") ?? b.textContent?.replace(/\s+/g, " ").trim();
  const found = [...root.querySelectorAll("button")].find((b) => called(b) === name);
  if (!found) throw new Error(`no button ${name}`);
  return found;
}

export function press(target: Element, key: string): void {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
}

/** Lets what was set be rendered. */
export const settle = () => new Promise<void>((done) => queueMicrotask(() => queueMicrotask(done)));

/** The real comparison in a page, with a model in place of the notebook's. */
import { expect } from "vitest";
import { render } from "../../src/entries/comparison";
import { FakeModel, type Mounted, type Place } from "../widget/harness";

/** Mounts without waiting for the picture. */
export function startComparison(document: unknown, traits: Record<string, unknown> = {}, place: Place = {}): Mounted {
  const el = window.document.createElement("div");
  el.style.width = `${place.width ?? 1240}px`;
  el.style.background = place.background ?? "#fff";
  window.document.body.append(el);
  const model = new FakeModel({ _document: document, _static: false, choices: {}, selection: null, ...traits });
  const end = render({ model, el });
  const frame = el.querySelector<HTMLElement>(".shardwidget");
  if (!frame?.shadowRoot) throw new Error("the widget made no frame");
  return {
    model,
    frame,
    root: frame.shadowRoot,
    stop() {
      end();
      if (el.childElementCount > 0) throw new Error(`the widget left ${el.innerHTML}`);
      el.remove();
    },
  };
}

/** Waits until something has been drawn. */
export async function drawn({ frame }: Mounted): Promise<void> {
  await expect.poll(() => Number(frame.dataset.swReady ?? 0)).toBeGreaterThan(0);
}

/** Lines in the page, from the top; column heads and details are none. */
export const lines = ({ root }: Mounted) => [...root.querySelectorAll<HTMLElement>("[data-line]")];

/** A cell of a line, as one text. */
export const cell = (line: Element | undefined, column: string) =>
  line?.querySelector(`.${column}`)?.textContent?.replace(/\s+/g, " ").trim() ?? "";

export const table = ({ root }: Mounted) => root.querySelector<HTMLElement>(".table") as HTMLElement;

export function press(target: Element, key: string): void {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
}

/** Lets what was set be rendered. */
export const settle = () => new Promise<void>((done) => queueMicrotask(() => queueMicrotask(done)));

export const frames = async (count = 3) => {
  for (let i = 0; i < count; i++) await new Promise(requestAnimationFrame);
};

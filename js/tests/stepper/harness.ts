/** The real stepper in a page, with a model in place of the notebook's and a clock that the test holds. */
import { expect, vi } from "vitest";
import { render } from "../../src/entries/stepper";
import { type Mounted, type Place, stand } from "../widget/harness";

/** Mounts without waiting for the picture. */
export function startStepper(document: unknown, traits: Record<string, unknown> = {}, place: Place = {}): Mounted {
  return stand(
    render,
    { _document: document, _static: false, step: 0, watch: [], ...traits },
    { width: 1240, ...place },
  );
}

/** Animation frames that come when the test says so. */
export class Clock {
  #now = 0;
  #asked = new Map<number, FrameRequestCallback>();
  #next = 1;

  constructor() {
    vi.spyOn(window, "requestAnimationFrame").mockImplementation((call) => {
      this.#asked.set(this.#next, call);
      return this.#next++;
    });
    vi.spyOn(window, "cancelAnimationFrame").mockImplementation((id) => {
      this.#asked.delete(id);
    });
  }

  /** Frames that were asked for and have not come. */
  get waiting(): number {
    return this.#asked.size;
  }

  /** One frame, some milliseconds after the last. */
  tick(ms = 16): void {
    this.#now += ms;
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const call of asked) call(this.#now);
  }

  /** Frames until nobody asks for more, or so many came; returns how many. */
  run(most = 5000, ms = 16): number {
    let frames = 0;
    while (this.waiting > 0 && frames < most) {
      this.tick(ms);
      frames++;
    }
    return frames;
  }
}

/** The step that the picture shows. */
export const shownStep = ({ frame }: Mounted) => Number(frame.dataset.swStep);

export function button({ root }: Mounted, name: string): HTMLButtonElement {
  const found = [...root.querySelectorAll("button")].find(
    (b) => b.getAttribute("aria-label") === name || b.textContent?.trim() === name,
  );
  if (!found) throw new Error(`there is no button ${name}`);
  return found;
}

export const slider = ({ root }: Mounted) =>
  root.querySelector<HTMLInputElement>("input[type=range]") as HTMLInputElement;

/** Moves the scrubber. */
export function scrub(mounted: Mounted, at: number): void {
  const input = slider(mounted);
  input.value = String(at);
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

export const rows = ({ root }: Mounted) => [...root.querySelectorAll<HTMLElement>(".steps li")];

export const currentRow = (mounted: Mounted) => rows(mounted).find((r) => r.querySelector("[aria-current=step]"));

export async function shown(mounted: Mounted, step: number): Promise<void> {
  await expect.poll(() => shownStep(mounted)).toBe(step);
}

/** Lets what was set be rendered. */
export const settle = () => new Promise<void>((done) => queueMicrotask(() => queueMicrotask(done)));

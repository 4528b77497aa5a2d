/** The real widget in a page, with a model in place of the notebook's. */
import { expect } from "vitest";
import { render } from "../../src/entries/widget";
import type { Placement } from "../../src/model/document.gen";
import { PlacementModel } from "../../src/model/placement";
import { tileBoxes, WHOLE } from "../../src/scene/faces";
import { deviceBox } from "../../src/scene/grid";
import { type Layout, layoutBody } from "../../src/scene/layout";
import type { Box } from "../../src/scene/scene";
import type { WidgetModel } from "../../src/views/card/widget";

export class FakeModel implements WidgetModel {
  readonly listeners = new Map<string, Set<() => void>>();
  /** What the front end sent to Python, in order. */
  readonly sent: Record<string, unknown>[] = [];
  #unsent: Record<string, unknown> = {};

  constructor(readonly traits: Record<string, unknown>) {}

  get(key: string): unknown {
    return this.traits[key];
  }

  set(key: string, value: unknown): void {
    this.#unsent[key] = value;
    this.assign({ [key]: value });
  }

  save_changes(): void {
    this.sent.push(this.#unsent);
    this.#unsent = {};
  }

  on(event: string, callback: () => void): void {
    this.listeners.set(event, (this.listeners.get(event) ?? new Set()).add(callback));
  }

  off(event: string, callback: () => void): void {
    this.listeners.get(event)?.delete(callback);
  }

  /** Traits that come from Python in one message: all are there when the first listener is called. */
  assign(traits: Record<string, unknown>): void {
    Object.assign(this.traits, traits);
    for (const key of Object.keys(traits)) for (const call of this.listeners.get(`change:${key}`) ?? []) call();
  }

  get listening(): number {
    return [...this.listeners.values()].reduce((n, calls) => n + calls.size, 0);
  }

  /** Values that were sent for a trait. */
  sentFor(key: string): unknown[] {
    return this.sent.flatMap((traits) => (key in traits ? [traits[key]] : []));
  }
}

export interface Mounted {
  model: FakeModel;
  frame: HTMLElement;
  root: ShadowRoot;
  stop(): void;
}

export interface Place {
  width?: number;
  background?: string;
}

/** Mounts without waiting for the picture. */
export function start(document: unknown, traits: Record<string, unknown> = {}, place: Place = {}): Mounted {
  const state = { _document: document, _static: false, color_by: "position", selection: null, ...traits };
  return stand(render, state, { width: 960, ...place });
}

/** Mounts any widget with the traits of its model. */
export function stand(draw: typeof render, traits: Record<string, unknown>, place: Place): Mounted {
  const el = window.document.createElement("div");
  el.style.width = `${place.width}px`;
  el.style.background = place.background ?? "#fff";
  window.document.body.append(el);
  const model = new FakeModel(traits);
  const end = draw({ model, el });
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

export async function mount(document: Placement, traits: Record<string, unknown> = {}, place: Place = {}) {
  const mounted = start(document, traits, place);
  await drawn(mounted);
  return mounted;
}

/** Waits until this many pictures were complete. */
export async function drawn({ frame }: Mounted, times = 1): Promise<void> {
  await expect.poll(() => Number(frame.dataset.swReady ?? 0)).toBeGreaterThanOrEqual(times);
}

export function find<E extends Element = HTMLElement>({ root }: Mounted, selector: string): E {
  const found = root.querySelector<E>(selector);
  if (!found) throw new Error(`there is no ${selector} in ${root.textContent}`);
  return found;
}

export const panel = (mounted: Mounted, which: "array" | "mesh") =>
  find(mounted, `[role=listbox][aria-label^="${which === "array" ? "logical array" : "mesh"}"]`);

/** The option that a panel's cursor is at. */
export function option(mounted: Mounted, which: "array" | "mesh"): HTMLElement {
  const list = panel(mounted, which);
  const found = mounted.root.getElementById(list.getAttribute("aria-activedescendant") ?? "");
  if (!found || !list.contains(found)) throw new Error(`the ${which} panel points at no option of its own`);
  return found;
}

export function tooltip({ root }: Mounted): string {
  return root.querySelector(".tip")?.textContent ?? "";
}

/** Where a tile, or a device by position, is drawn. */
export function place(mounted: Mounted, what: { tile: number } | { position: number }): Box {
  const model = new PlacementModel(mounted.model.traits._document as Placement);
  const layout: Layout = layoutBody(model, WHOLE, find(mounted, ".picture").clientWidth, true);
  if ("position" in what) return deviceBox(model, layout.mesh, what.position);
  const { array } = layout;
  const box = array && tileBoxes(model, array.faces, what.tile)[0];
  if (!box) throw new Error("the tile is not in view");
  return { ...box, x: box.x + array.x, y: box.y + array.y };
}

/** A pointer event in the middle of a box of the picture. */
export function point(mounted: Mounted, type: "pointermove" | "click", box: Box): void {
  const picture = find(mounted, ".picture");
  const { left, top } = picture.getBoundingClientRect();
  const at = { clientX: left + box.x + box.w / 2, clientY: top + box.y + box.h / 2 };
  picture.dispatchEvent(new PointerEvent(type, { ...at, bubbles: true, composed: true }));
}

/** Whether the overlay has its outline at the left edge of a box. */
export function outlined(mounted: Mounted, box: Box): boolean {
  const canvas = mounted.root.querySelectorAll<HTMLCanvasElement>("canvas.layer")[1];
  const ratio = window.devicePixelRatio;
  const data = canvas
    ?.getContext("2d")
    ?.getImageData(Math.round((box.x + 7) * ratio), Math.round((box.y + box.h / 2 + 8) * ratio), 1, 1).data;
  // The veil over the rest is far more translucent than an outline.
  return (data?.[3] ?? 0) > 128;
}

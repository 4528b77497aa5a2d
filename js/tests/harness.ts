/** A real widget in a page, with a model in place of the notebook's; what is mounted ends with its test. */
import axe from "axe-core";
import { afterEach, expect, vi } from "vitest";
import { cdp } from "vitest/browser";
import type { WidgetModel } from "../src/card/widget";

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
  /** Takes the widget down and fails if it left anything; the end of the test does it otherwise. */
  stop(): void;
}

export interface Place {
  width?: number;
  background?: string;
}

type Render = (given: { model: WidgetModel; el: HTMLElement }) => () => void;

const open = new Set<Mounted>();
/** What a test changed of the browser, undone at its end. */
const undo: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const mounted of open) mounted.stop();
  vi.restoreAllMocks();
  for (const back of undo.splice(0)) await back();
});

function mountWidget(render: Render, traits: Record<string, unknown>, { width, background = "#fff" }: Place): Mounted {
  const el = document.createElement("div");
  el.style.width = `${width}px`;
  el.style.background = background;
  document.body.append(el);
  const model = new FakeModel(traits);
  const end = render({ model, el });
  const frame = el.querySelector<HTMLElement>(".shardwidget");
  if (!frame?.shadowRoot) throw new Error("the widget made no frame");
  const mounted: Mounted = {
    model,
    frame,
    root: frame.shadowRoot,
    stop() {
      if (!open.delete(mounted)) return;
      end();
      if (el.childElementCount > 0) throw new Error(`the widget left ${el.innerHTML}`);
      el.remove();
    },
  };
  open.add(mounted);
  return mounted;
}

/** How a widget of a bundle is mounted: with these traits of its model at first, this wide in pixels. */
export function mounting<D>(render: Render, initial: Record<string, unknown>, width: number) {
  /** Mounts any document without waiting for the picture. */
  function start(document: unknown, traits: Record<string, unknown> = {}, place: Place = {}): Mounted {
    const state = { _document: document, _static: false, ...structuredClone(initial), ...traits };
    return mountWidget(render, state, { width, ...place });
  }

  /** Mounts, and waits until the picture is there. */
  async function mount(document: D, traits: Record<string, unknown> = {}, place: Place = {}): Promise<Mounted> {
    const mounted = start(document, traits, place);
    await drawn(mounted);
    await settle();
    return mounted;
  }

  return { start, mount };
}

/** Waits until this many pictures were complete. */
export async function drawn({ frame }: Mounted, times = 1): Promise<void> {
  await expect.poll(() => Number(frame.dataset.swReady ?? 0)).toBeGreaterThanOrEqual(times);
}

/** Lets what was set be rendered. */
export const settle = () => new Promise<void>((done) => queueMicrotask(() => queueMicrotask(done)));

export const frames = async (count = 3) => {
  for (let i = 0; i < count; i++) await new Promise(requestAnimationFrame);
};

export function find<E extends Element = HTMLElement>({ root }: Mounted, selector: string): E {
  const found = root.querySelector<E>(selector);
  if (!found) throw new Error(`there is no ${selector} in ${root.textContent}`);
  return found;
}

/** What an element says, with single spaces. */
export const textOf = (element: Element | null | undefined) => element?.textContent?.replace(/\s+/g, " ").trim() ?? "";

/** The button with this label, or these words. */
export function button({ root }: Mounted, name: string): HTMLButtonElement {
  const found = [...root.querySelectorAll("button")].find((b) => b.ariaLabel === name || textOf(b) === name);
  if (!found) throw new Error(`there is no button ${name}`);
  return found;
}

export const table = (mounted: Mounted) => find(mounted, ".table");

/** A cell of a table's line, as one text. */
export const cell = (line: Element | undefined, column: string) => textOf(line?.querySelector(`.${column}`));

export function press(target: Element, key: string): void {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
}

/** Puts a text, or the value of a slider, into an input. */
export function enter(mounted: Mounted, selector: string, value: string | number): void {
  const input = find<HTMLInputElement>(mounted, selector);
  input.value = String(value);
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

/** A picture of the first canvas, to see whether it changes. */
export const pixels = ({ root }: Mounted) =>
  [".picture canvas", ".lanes canvas"]
    .map((path) => root.querySelector<HTMLCanvasElement>(path))
    .find((canvas) => canvas)
    ?.toDataURL() ?? "";

/** Grounds of a page, which a card takes its scheme from. */
export const GROUNDS = Object.entries({ light: "#ffffff", dark: "#111111" });

/** Each width on one ground, in turn: names do not depend on the ground, nor colours on the width. */
export const facesOf = (...widths: readonly number[]) =>
  widths.map((width, k) => [...(GROUNDS[k % GROUNDS.length] as [string, string]), width] as const);

export async function expectAccessible({ frame }: Mounted): Promise<void> {
  const { violations } = await axe.run(frame);
  expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.failureSummary).join("; ")}`)).toEqual([]);
}

interface Devtools {
  send(method: string, params: object): Promise<unknown>;
}

const browser = () => cdp() as unknown as Devtools;

/** What the reader asks for, as `prefers("reduced-motion", "reduce")`, until the test ends. */
export async function prefers(what: string, value: string): Promise<void> {
  const ask = (to: string) =>
    browser().send("Emulation.setEmulatedMedia", { features: [{ name: `prefers-${what}`, value: to }] });
  undo.push(async () => void (await ask("")));
  await ask(value);
}

/** The reader has colours of their own in place of those of pages, until the test ends. */
export async function forcedColors(): Promise<void> {
  const ask = (value: string) =>
    browser().send("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value }] });
  undo.push(async () => void (await ask("")));
  await ask("active");
}

/** Styles are those of paper, until the test ends. */
export async function onPaper(): Promise<void> {
  const set = (media: string) => browser().send("Emulation.setEmulatedMedia", { media });
  undo.push(async () => void (await set("")));
  await set("print");
}

/** The reader has fingers in place of a mouse, until the test ends. */
export async function touch(): Promise<void> {
  const set = (enabled: boolean) => browser().send("Emulation.setTouchEmulationEnabled", { enabled });
  undo.push(async () => void (await set(false)));
  await set(true);
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

/** What a widget leaves behind when its cell is cleared: nothing. */
import { expect, test, vi } from "vitest";
import { array, mesh } from "../documents";
import { drawn } from "../harness";
import { mount, place, point, start } from "./harness";

const DOCUMENT = array(mesh({ x: 4, y: 2 }), [8, 16], ["x", null]);

/** Counts what is held of the page: observers, listeners of media queries, frames asked for. */
function watchPage() {
  const observers = new Set<object>();
  for (const kind of [ResizeObserver, MutationObserver]) {
    const { observe, disconnect } = kind.prototype;
    vi.spyOn(kind.prototype, "observe").mockImplementation(function (this: object, ...given: unknown[]) {
      observers.add(this);
      return Reflect.apply(observe, this, given);
    });
    vi.spyOn(kind.prototype, "disconnect").mockImplementation(function (this: object) {
      observers.delete(this);
      return Reflect.apply(disconnect, this, []);
    });
  }
  const media = new Set<unknown>();
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  const page = new Set<unknown>();
  const held = (target: EventTarget) => (target instanceof MediaQueryList ? media : page);
  const outer = (target: EventTarget) => target instanceof MediaQueryList || target === window || target === document;
  vi.spyOn(EventTarget.prototype, "addEventListener").mockImplementation(function (this: EventTarget, ...given) {
    if (outer(this)) {
      held(this).add(given[1]);
      const { signal } = (given[2] ?? {}) as AddEventListenerOptions;
      if (signal) addEventListener.call(signal, "abort", () => held(this).delete(given[1]));
    }
    return Reflect.apply(addEventListener, this, given);
  });
  vi.spyOn(EventTarget.prototype, "removeEventListener").mockImplementation(function (this: EventTarget, ...given) {
    if (outer(this)) held(this).delete(given[1]);
    return Reflect.apply(removeEventListener, this, given);
  });
  const frames = new Set<number>();
  const [request, cancel] = [window.requestAnimationFrame, window.cancelAnimationFrame];
  vi.spyOn(window, "requestAnimationFrame").mockImplementation((call) => {
    const id = request((now) => {
      frames.delete(id);
      call(now);
    });
    frames.add(id);
    return id;
  });
  vi.spyOn(window, "cancelAnimationFrame").mockImplementation((id) => {
    frames.delete(id);
    cancel(id);
  });
  return { observers, media, page, frames };
}

test("clean-up ends listeners, observers and frames, in the middle of a change too", async () => {
  const held = watchPage();
  const view = await mount(DOCUMENT);
  expect(view.model.listening).toBeGreaterThan(0);
  expect(held.observers.size).toBe(2);
  expect(held.media.size).toBe(1);
  view.model.assign({ _document: array(mesh({ x: 4, y: 2 }), [8, 16], [null, "x"]) });
  point(view, "pointermove", place(view, { tile: 1 }));
  await expect.poll(() => held.frames.size).toBeGreaterThan(0);
  view.stop();
  await Promise.resolve();
  expect(view.model.listening).toBe(0);
  expect([held.observers.size, held.media.size, held.page.size, held.frames.size]).toEqual([0, 0, 0, 0]);
});

test("a change in the same moment as the clean-up draws nothing more", async () => {
  const held = watchPage();
  const view = await mount(DOCUMENT);
  point(view, "click", place(view, { tile: 2 }));
  view.stop();
  await Promise.resolve();
  await Promise.resolve();
  expect(view.root.querySelector(".card")).toBeNull();
  expect(held.frames.size).toBe(0);
});

test("twenty widgets come and go", async () => {
  const held = watchPage();
  const before = document.querySelectorAll("*").length;
  for (let i = 0; i < 20; i++) {
    const view = await mount(DOCUMENT);
    point(view, "click", place(view, { tile: i % 4 }));
    view.stop();
    expect(view.model.listening).toBe(0);
  }
  expect(document.querySelectorAll("*").length).toBe(before);
  expect([held.observers.size, held.media.size, held.page.size, held.frames.size]).toEqual([0, 0, 0, 0]);
  expect(performance.getEntriesByName("sw:first")).toEqual([]);
});

test("a widget that is taken down before it has a width has drawn nothing and leaves nothing", () => {
  const held = watchPage();
  const view = start(DOCUMENT, {}, { width: 0 });
  view.stop();
  expect(view.frame.dataset.swReady).toBeUndefined();
  expect([held.observers.size, held.media.size, held.frames.size]).toEqual([0, 0, 0]);
});

test("a widget that gets its width later is drawn then", async () => {
  const view = start(DOCUMENT, {}, { width: 0 });
  const el = view.frame.parentElement as HTMLElement;
  await new Promise(requestAnimationFrame);
  expect(view.frame.dataset.swReady).toBeUndefined();
  el.style.width = "800px";
  await drawn(view);
  view.stop();
});

test("a page that turns dark turns the widget dark, without mounting it again", async () => {
  const view = await mount(DOCUMENT, {}, { background: "transparent" });
  const card = () => view.root.querySelector(".card")?.className;
  expect(card()).toBe("card light");
  document.body.style.background = "#111";
  await expect.poll(card).toBe("card dark");
  document.body.style.background = "";
  await expect.poll(card).toBe("card light");
  view.stop();
});

test("drawing changes the height of the cell, which does not call for another drawing", async () => {
  const errors: string[] = [];
  const note = (event: ErrorEvent) => errors.push(event.message);
  window.addEventListener("error", note);
  const view = await mount(DOCUMENT);
  await new Promise(requestAnimationFrame);
  window.removeEventListener("error", note);
  expect(errors).toEqual([]);
  expect(view.frame.dataset.swReady).toBe("1");
  view.stop();
});

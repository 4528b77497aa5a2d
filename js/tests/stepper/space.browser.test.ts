/** Space beside a stepper: it plays the last one in view, and is the page's own everywhere else. */
import { afterEach, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { button, type Mounted, settle } from "../harness";
import { mount } from "./harness";
import { trace } from "./traces";

const MODIFIERS = ["shiftKey", "ctrlKey", "altKey", "metaKey"] as const;

const made: Element[] = [];

afterEach(() => {
  for (const element of made.splice(0)) element.remove();
});

/** Appends an element of a notebook's page, until the test ends. */
function put(tag: string, attributes: Readonly<Record<string, string>> = {}, to: Element = document.body): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  to.append(element);
  made.push(element);
  return element;
}

/** Presses Space with the focus on an element; returns whether the page is to do with it what it does. */
async function left(focused: Element, more: KeyboardEventInit = {}): Promise<boolean> {
  const event = new KeyboardEvent("keydown", { key: " ", bubbles: true, composed: true, cancelable: true, ...more });
  const kept = focused.dispatchEvent(event);
  await settle();
  return kept;
}

const plays = (view: Mounted) => view.root.querySelector(".play[aria-label=pause]") !== null;

async function two(): Promise<[Mounted, Mounted]> {
  await page.viewport(1300, 2000);
  return [await mount(trace("psum")), await mount(trace("psum"))];
}

test("plays, and pauses, the stepper that was mounted last; held down it does that once", async () => {
  const [first, last] = await two();
  expect(await left(document.body)).toBe(false);
  expect([plays(first), plays(last)]).toEqual([false, true]);
  expect(await left(document.body, { repeat: true })).toBe(false);
  expect(plays(last)).toBe(true);
  expect(await left(document.body)).toBe(false);
  expect([plays(first), plays(last)]).toEqual([false, false]);
  last.stop();
  expect(await left(document.body)).toBe(false);
  expect(plays(first)).toBe(true);
});

test("one listener serves the page, and goes with the last stepper", async () => {
  const [added, removed] = [vi.spyOn(window, "addEventListener"), vi.spyOn(window, "removeEventListener")];
  const keys = (spy: { mock: { calls: unknown[][] } }) => spy.mock.calls.filter(([type]) => type === "keydown").length;
  const views = await two();
  expect(keys(added)).toBe(1);
  views[1].stop();
  expect(keys(removed)).toBe(0);
  views[0].stop();
  expect(keys(removed)).toBe(1);
  expect(await left(document.body)).toBe(true);
});

test("what has the focus keeps it: editors, fields, buttons, links, other widgets, and a card's own", async () => {
  const [view] = await two();
  const others = ["input", "textarea", "select", "button", "summary"]
    .map((tag) => put(tag))
    .concat(
      put("a", { href: "#" }),
      put("div", { contenteditable: "" }),
      put("div", { tabindex: "0", role: "slider" }),
    );
  for (const element of others) expect(await left(element), element.outerHTML).toBe(true);
  expect(await left(button(view, "forward"))).toBe(true);
  for (const key of MODIFIERS) expect(await left(document.body, { [key]: true })).toBe(true);
});

test("the page keeps it where the middle of no stepper is seen: scrolled away, hidden, behind a dialog", async () => {
  const view = await mount(trace("psum"));
  await page.viewport(1300, 700);
  const room = put("div", { style: "height:3000px" });
  expect(await left(document.body)).toBe(false);
  scrollTo(0, 2000);
  expect(await left(document.body)).toBe(true);
  scrollTo(0, 0);
  const dialog = put("div", { style: "position:fixed;inset:0" });
  expect(await left(document.body)).toBe(true);
  dialog.remove();
  view.frame.style.display = "none";
  expect(await left(document.body)).toBe(true);
  view.frame.style.display = "";
  expect(await left(document.body)).toBe(false);
  room.remove();
});

test("in command mode it goes to the cell that has the focus, else to one of the same notebook", async () => {
  const [first, last] = await two();
  const notebooks = [0, 1].map(() => put("div", { class: "jp-Notebook" }));
  const cells = notebooks.map((notebook) =>
    [0, 1].map(() => put("div", { class: "jp-Cell", tabindex: "0" }, notebook)),
  );
  const [[own, next], [, other]] = cells as [[HTMLElement, HTMLElement], [HTMLElement, HTMLElement]];
  own.append(first.frame.parentElement as HTMLElement);
  const editor = put("div", { contenteditable: "" }, own);
  expect(await left(next)).toBe(false);
  expect([plays(first), plays(last)]).toEqual([true, false]);
  expect(await left(own)).toBe(false);
  expect([plays(first), plays(last)]).toEqual([false, false]);
  expect([await left(editor), await left(other)]).toEqual([true, true]);
  // Two in one notebook: the focused cell's own, though the other came later.
  next.append(last.frame.parentElement as HTMLElement);
  expect(await left(own)).toBe(false);
  expect([plays(first), plays(last)]).toEqual([true, false]);
});

test("in a shadow root, as marimo's, too", async () => {
  const view = await mount(trace("psum"));
  const host = put("div");
  host.attachShadow({ mode: "open" }).append(view.frame.parentElement as HTMLElement);
  expect(await left(document.body)).toBe(false);
  expect(plays(view)).toBe(true);
});

import { expect, test } from "vitest";
import {
  button,
  Clock,
  enter,
  expectAccessible,
  find,
  GROUNDS,
  pixels,
  prefers,
  press,
  settle,
  textOf,
} from "../harness";
import { wire } from "./algorithms";
import { mount } from "./harness";

const said = (view: Awaited<ReturnType<typeof mount>>) => textOf(find(view, ".picture .hidden"));

test("both play on one clock, and the faster one is done first", async () => {
  const clock = new Clock();
  const view = await mount(wire("psum"));
  expect(said(view)).toBe("ring: round 1 of 14; halving-doubling: round 1 of 6");
  const first = pixels(view);
  button(view, "play").click();
  await settle();
  let frames = 0;
  while (!said(view).includes("ring: done") && frames++ < 2000) {
    clock.tick(100);
    await settle();
  }
  expect(said(view)).toMatch(/^ring: done; halving-doubling: round [56] of 6$/);
  expect(pixels(view)).not.toBe(first);
  while (clock.waiting > 0 && frames++ < 4000) {
    clock.tick(100);
    await settle();
  }
  expect(said(view)).toBe("ring: done; halving-doubling: done");
  expect(button(view, "play")).toBeTruthy();
});

test("the size decides which is faster, and Python hears of it", async () => {
  const view = await mount(wire("psum"));
  const verdict = () => textOf(find(view, ".says b"));
  expect(verdict()).toContain("ring is faster");
  enter(view, ".size input", 10);
  await settle();
  expect(verdict()).toContain("halving-doubling is faster: 6 rounds instead of 14");
  expect(view.model.sentFor("nbytes")).toEqual([1024]);
  view.model.assign({ nbytes: 2 ** 30 });
  await settle();
  expect(textOf(find(view, "h2"))).toBe("psum 1 GiB on 8 devices");
});

test("algorithms and interconnect are chosen", async () => {
  const view = await mount(wire("psum"));
  const [a, , network] = [...view.root.querySelectorAll("select")];
  if (!a || !network) return expect.fail("there are no menus");
  a.value = "1";
  a.dispatchEvent(new Event("change", { bubbles: true }));
  network.value = "7";
  network.dispatchEvent(new Event("change", { bubbles: true }));
  await settle();
  expect(view.model.sentFor("pair")).toEqual([["bidirectional ring", "halving-doubling"]]);
  expect(textOf(find(view, ".says"))).toContain("at every size");
});

test("keys go from round to round, also where motion is unwelcome", async () => {
  await prefers("reduced-motion", "reduce");
  const view = await mount(wire("psum"));
  press(view.frame, ".");
  await settle();
  expect(said(view)).toBe("ring: round 2 of 14; halving-doubling: round 1 of 6");
  press(view.frame, " ");
  await settle();
  expect(said(view)).toBe("ring: round 3 of 14; halving-doubling: round 1 of 6");
  press(view.frame, ",");
  press(view.frame, "End");
  await settle();
  expect(said(view)).toBe("ring: done; halving-doubling: done");
});

test.each(GROUNDS)("it has no fault of accessibility, %s", async (_, background) => {
  await expectAccessible(await mount(wire("psum"), {}, { background }));
  await expectAccessible(await mount(wire("all_gather"), { pair: ["ring", "ring"] }, { background, width: 360 }));
});

test("a card is at most 640 px high from 900 px on", async () => {
  for (const width of [900, 934, 1100, 1400]) {
    const view = await mount(wire("psum"), {}, { width });
    expect(view.frame.getBoundingClientRect().height).toBeLessThanOrEqual(640);
    view.stop();
  }
});

test.each([934, 480])("a card is as high whichever algorithms it compares, %d px", async (width) => {
  const view = await mount(wire("psum"), {}, { width });
  const { height } = view.frame.getBoundingClientRect();
  for (const which of ["first", "second"]) {
    const menu = find<HTMLSelectElement>(view, `select[aria-label="${which} algorithm"]`);
    for (const { value } of menu.options) {
      menu.value = value;
      menu.dispatchEvent(new Event("change", { bubbles: true }));
      await settle();
      expect(view.frame.getBoundingClientRect().height, value).toBe(height);
    }
  }
});

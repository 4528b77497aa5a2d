/** RunView in a page: keys, pointer, table, calls, several runs. */
import { expect, test } from "vitest";
import type { Run } from "../../src/core/document.gen";
import {
  button,
  drawn,
  expectAccessible,
  find,
  forcedColors,
  GROUNDS,
  pixels,
  press,
  settle,
  textOf,
} from "../harness";
import { chart, keys, mount, said, start } from "./harness";
import { RUNS, type RunName, wire } from "./runs";

test("n goes to the next wait, and says who is waited for", async () => {
  const view = await mount(wire("step"));
  expect(textOf(find(view, ".mesh"))).toContain("Waited for");
  await keys(view, "n");
  expect(said(view)).toMatch(/^device \d waits for device \d, .* all-reduce over y, iteration 0; line 8 · h = x @ w$/);
  expect(chart(view).getAttribute("aria-valuetext")).toBe(said(view));
  expect(textOf(find(view, ".devices .here"))).toMatch(/waits for \d/);
  await keys(view, "Escape");
  expect(said(view)).toContain("Point at a lane");
});

test("keys that do nothing are not named: one device waits for nobody, and has none beside it", async () => {
  const named = async (run: RunName) => {
    const view = await mount(wire(run));
    return [...view.root.querySelectorAll("footer dd, footer > .keys > span")].map((key) => textOf(key as HTMLElement));
  };
  expect((await named("step")).join()).toContain("next wait");
  const alone = (await named("alone")).join();
  expect(alone).toContain("all calls");
  expect(alone).not.toMatch(/next wait|device/);
});

test("arrows walk events and devices", async () => {
  const view = await mount(wire("step"));
  await keys(view, "Home");
  expect(said(view)).toBe("device 0: dot.1, 100 µs, iteration 0; line 8 · h = x @ w");
  await keys(view, "ArrowRight");
  expect(said(view)).toContain("device 0 waits for device 1");
  await keys(view, "ArrowDown");
  expect(said(view)).toContain("device 1: dot.1");
  await keys(view, "ArrowUp", "ArrowLeft");
  expect(said(view)).toContain("device 0: dot.1");
  await keys(view, "End");
  expect(said(view)).toContain("copy.9");
});

test("all calls stand below one another, and one of them opens", async () => {
  const view = await mount(wire("step"));
  await keys(view, "a");
  const calls = [...view.root.querySelectorAll<HTMLElement>(".calls button")];
  expect(calls.map((c) => c.getAttribute("aria-label"))).toEqual([
    "call 1, 1.04 ms: 50 % compute, 16.2 % in collectives, 5.5 % waiting",
    "call 2, 1.04 ms: 50.8 % compute, 16.2 % in collectives, 6.2 % waiting",
  ]);
  expect(view.root.querySelectorAll(".chart")).toHaveLength(0);
  calls[1]?.click();
  await settle();
  expect(chart(view).getAttribute("aria-label")).toContain("call 2 of 2");
});

test("below the few lines of a run of one device little room is left", async () => {
  const view = await mount(wire("alone"), {}, { width: 934 });
  const [table, foot] = [".list table", "footer"].map((part) => find(view, part).getBoundingClientRect());
  expect(Number(foot?.top) - Number(table?.bottom)).toBeLessThan(80);
});

const CALLS = (["step", "alone"] as const).flatMap((name) => [934, 480].map((width) => ({ name, width })));

test.each(CALLS)("$name is as high with all calls as with the lanes of one, $width px", async ({ name, width }) => {
  const view = await mount(wire(name), {}, { width });
  const { height } = view.frame.getBoundingClientRect();
  await keys(view, "a");
  expect(find(view, ".calls").childElementCount).toBeGreaterThan(1);
  expect(view.frame.getBoundingClientRect().height).toBe(height);
});

test("the pointer looks, a click keeps", async () => {
  const view = await mount(wire("step"));
  const box = chart(view).getBoundingClientRect();
  const at = { clientX: box.left + 140, clientY: box.top + 40, bubbles: true, composed: true };
  chart(view).dispatchEvent(new PointerEvent("pointermove", at));
  await settle();
  expect(said(view)).toContain("device 0");
  chart(view).dispatchEvent(new PointerEvent("pointerleave", at));
  await settle();
  expect(said(view)).toContain("Point at a lane");
  chart(view).dispatchEvent(new PointerEvent("pointerdown", at));
  chart(view).dispatchEvent(new PointerEvent("pointerup", at));
  chart(view).dispatchEvent(new PointerEvent("pointerleave", at));
  await settle();
  expect(said(view)).toContain("device 0");
});

test("zooming draws another picture, and all of it comes back", async () => {
  const view = await mount(wire("step"));
  const whole = pixels(view);
  await keys(view, "n", "+", "+");
  const near = pixels(view);
  expect(near).not.toBe(whole);
  await keys(view, "-", "-", "-", "Escape");
  expect(pixels(view)).toBe(whole);
});

test("a collective of the table stands out in the lanes, and Python is told", async () => {
  const view = await mount(wire("step"));
  const before = pixels(view);
  find<HTMLButtonElement>(view, "td.op button").click();
  await settle();
  expect(pixels(view)).not.toBe(before);
  expect(view.model.sentFor("selection")).toEqual([0]);
  view.model.assign({ selection: 1 });
  await settle();
  expect(textOf(find(view, "tr.chosen"))).toContain("all-gather");
});

test("with forced colours the collective that stands out has an outline", async () => {
  const view = await mount(wire("step"));
  await forcedColors();
  expect(getComputedStyle(find(view, "tr:has(td.op)")).outlineStyle).toBe("none");
  find(view, "td.op button").click();
  await settle();
  expect(getComputedStyle(find(view, "tr.chosen")).outlineStyle).toBe("solid");
});

test("sorting by waiting", async () => {
  const view = await mount(wire("step"));
  button(view, "wait").click();
  await settle();
  expect(find(view, "th.wait").ariaSort).toBe("descending");
});

test("a card keeps its height, whatever is pointed at", async () => {
  const view = await mount(wire("step"), {}, { width: 934 });
  const height = () => view.frame.getBoundingClientRect().height;
  const before = height();
  expect(before).toBeLessThanOrEqual(640);
  for (const key of ["n", "ArrowRight", "n", "ArrowDown", "+", "Escape"]) {
    await keys(view, key);
    expect(height(), key).toBe(before);
  }
});

test("another call is drawn, and Python is told", async () => {
  const view = await mount(wire("step"));
  expect(textOf(find(view, ".tools"))).toContain("call 1 of 2");
  const before = pixels(view);
  press(chart(view), "]");
  await settle();
  expect(textOf(find(view, ".tools"))).toContain("call 2 of 2");
  expect(pixels(view)).not.toBe(before);
  expect(view.model.sentFor("call")).toEqual([1]);
  view.model.assign({ call: 0 });
  await settle();
  expect(textOf(find(view, ".tools"))).toContain("call 1 of 2");
});

test("runs stand on one time axis, and the open one is in the table", async () => {
  const view = await mount(wire("compared"));
  expect(view.root.querySelectorAll(".chart").length).toBe(2);
  button(view, "after").click();
  await settle();
  expect(textOf(find(view, ".totals .chosen"))).toContain("after");
  press(view.root.querySelectorAll(".chart")[1] as Element, "n");
  await settle();
  expect(said(view)).toContain("waits for device 1");
});

test("a program without collectives, and more lanes than are drawn", async () => {
  const alone = await mount(wire("alone"));
  expect(textOf(find(alone, ".list"))).toContain("line 8 h = x @ w302 µs 47.0 %");
  expect(alone.root.querySelector(".mesh")).toBeNull();
  expect(textOf(find(await mount(wire("many")), ".lanes"))).toContain(
    "2 of 64 lanes: the device that is waited for most often, and one for each kind",
  );
});

test("the user's names stay text", async () => {
  const view = await mount(wire("hostile"));
  expect(view.root.querySelector("img, script, b b")).toBeNull();
  expect(textOf(find(view, "h2"))).toBe("<script>alert(1)</script>");
});

test("another document takes the place of the first; a damaged one says so", async () => {
  const view = await mount(wire("step"));
  view.model.assign({ _document: wire("compared") });
  await drawn(view, 2);
  expect(view.root.querySelectorAll(".chart").length).toBe(2);
  const bad = start({ ...wire("step"), lanes: null });
  await expect.poll(() => textOf(bad.root.querySelector(".failure"))).toContain("it has no lanes");
});

for (const [scheme, background] of GROUNDS) {
  for (const width of [1100, 480]) {
    test.each(RUNS)(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
      const view = await mount(wire(name), {}, { background, width });
      expect(view.root.querySelector(".card")?.classList).toContain(scheme);
      press(chart(view), "n");
      await settle();
      await expectAccessible(view);
    });
  }
}

test.each([900, 934, 1134])(
  "beside a mesh of eight devices the table shows five rows at least, %s px wide",
  async (width) => {
    const run = wire("step") as Run;
    const collectives = Array.from({ length: 10 }, (_, k) => run.collectives[k % run.collectives.length]);
    const note = "8 devices of one CPU share 2 cores: times show order and waiting, not an interconnect.";
    const view = await mount({ ...run, note, collectives }, {}, { width });
    expect(view.frame.getBoundingClientRect().height).toBeLessThanOrEqual(640);
    const end = find(view, ".list").getBoundingClientRect().bottom;
    const rows = [...view.root.querySelectorAll("tbody tr")];
    expect(rows.filter((row) => row.getBoundingClientRect().bottom <= end + 1).length).toBeGreaterThanOrEqual(5);
  },
);

/** The memory page in a real browser. */
import { expect, test } from "vitest";
import { expectAccessible, find, GROUNDS, type Mounted, press, settle } from "../../harness";
import { mount } from "../harness";
import { program } from "../programs";
import { MEMORIES, type MemoryName, model, wire } from "./memories";

const page = (name: MemoryName, traits: object = {}, place: object = {}) =>
  mount(program("training"), { page: "memory", _pages: { "memory 0": wire(name) }, ...traits }, place);
const plot = (view: Mounted) => find(view, ".plot");
const now = (view: Mounted) => Number(plot(view).getAttribute("aria-valuenow"));
const text = (view: Mounted, selector: string) => find(view, selector).textContent?.replace(/\s+/g, " ").trim();
const peak = model("training").peak + 1;

for (const [scheme, background] of GROUNDS) {
  for (const width of [960, 480]) {
    test.each(MEMORIES)(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
      const view = await page(name, {}, { background, width });
      expect(view.root.querySelector(".alive")).not.toBeNull();
      await expectAccessible(view);
    });
  }
}

test("pages are turned by buttons and keys, and Python hears of it", async () => {
  const view = await page("training", { page: "collectives" });
  const [, , memory] = [...view.root.querySelectorAll<HTMLElement>(".tools .segments button")];
  memory?.click();
  await settle();
  expect(view.model.sentFor("page")).toEqual(["memory"]);
  expect(text(view, ".dominates")).toContain("At the peak");
  expect(text(view, ".badges")).toContain("248 MiB peak per device");
  press(plot(view), "c");
  await settle();
  expect(view.root.querySelector(".dominates")).toBeNull();
  expect(view.model.sentFor("page")).toEqual(["memory", "collectives"]);
});

test("what Python has not sent yet is said, and what it cannot", async () => {
  const view = await page("training", { _pages: {} });
  expect(text(view, "[role=status]")).toBe("reading live buffers …");
  view.model.assign({ _pages: { "memory 0": { trouble: "it was given as a Program" } } });
  await settle();
  expect(text(view, "[role=status]")).toBe("it was given as a Program");
  view.model.assign({ _pages: { "memory 0": wire("training") } });
  await settle();
  expect(now(view)).toBe(peak);
});

test("arrows move over the schedule, brackets over loops, p goes to the peak", async () => {
  const view = await page("training");
  plot(view).focus();
  expect(plot(view).getAttribute("aria-valuetext")).toMatch(/^Peak 248 MiB/);
  const after = async (key: string) => {
    press(plot(view), key);
    await settle();
    return now(view);
  };
  expect(await after("ArrowRight")).toBe(peak + 1);
  expect(text(view, ".heading b")).toBe(`alive at instruction ${peak + 1}`);
  expect(await after("[")).toBeLessThan(42);
  expect(await after("]")).toBe(peak);
  expect(await after("Home")).toBe(1);
  expect(await after("ArrowLeft")).toBe(1);
  expect(await after("End")).toBe(120);
  expect(await after("p")).toBe(peak);
});

test("buffers are walked by keyboard", async () => {
  const view = await page("training");
  const list = find(view, ".alive");
  list.focus();
  press(list, "ArrowDown");
  await settle();
  expect(view.root.getElementById(list.getAttribute("aria-activedescendant") ?? "")?.textContent).toContain("h kept");
  press(list, "End");
  await settle();
  expect(find(view, ".chosen").textContent).toContain("8 MiB");
  press(list, "Escape");
  await settle();
  expect(view.root.querySelector(".chosen")).toBeNull();
});

test("pointing shows what is alive there, a stretch where most is", async () => {
  const view = await page("training");
  const box = plot(view).getBoundingClientRect();
  const send = (type: string, part: number, buttons = 0) =>
    plot(view).dispatchEvent(
      new PointerEvent(type, { clientX: box.left + part * box.width, pointerId: 1, buttons, bubbles: true }),
    );
  plot(view).setPointerCapture = () => undefined;
  send("pointermove", 0.1);
  await settle();
  expect(now(view)).toBe(13);
  send("pointerleave", 0.1);
  await settle();
  expect(now(view)).toBe(peak);
  send("pointerdown", 0.1, 1);
  send("pointermove", 0.3, 1);
  send("pointerup", 0.3);
  await settle();
  const stretch = model("training");
  expect(now(view)).toBe(stretch.peakIn(12, 36) + 1);
  send("pointerleave", 0.3);
  await settle();
  expect(now(view)).toBe(stretch.peakIn(12, 36) + 1);
});

test("the limit is chosen, or a number of one's own", async () => {
  const view = await page("training");
  expect(text(view, ".badges")).toContain("free of 16 GiB");
  const select = view.root.querySelector<HTMLSelectElement>(".tools .group select");
  if (!select) throw new Error("no limit to choose");
  select.value = "-2";
  select.dispatchEvent(new Event("change", { bubbles: true }));
  await settle();
  const own = view.root.querySelector<HTMLInputElement>(".tools .group input");
  if (!own) throw new Error("no number to give");
  own.value = "0.125";
  own.dispatchEvent(new InputEvent("input", { bubbles: true }));
  await settle();
  expect(text(view, ".badges")).toContain("too much for 128 MiB");
});

test("no card is higher than a notebook shows", async () => {
  for (const width of [900, 960, 1340]) {
    const view = await page("training", {}, { width });
    expect(view.frame.getBoundingClientRect().height).toBeLessThanOrEqual(640);
    view.stop();
  }
});

const FOUND = [
  {
    what: "jax.checkpoint around layer",
    code: "@jax.checkpoint\ndef layer(x, w):",
    before: 248 * 2 ** 20,
    after: 124 * 2 ** 20,
    fix: { title: "", code: "", file: "model.py", line: 11, lines: 1 },
  },
  {
    what: "donate argument 0",
    code: "jax.jit(step, donate_argnums=0)",
    before: 248 * 2 ** 20,
    after: 2 ** 27,
    fix: null,
  },
];

test("what lowers the peak is asked of Python, which says how far it is", async () => {
  const view = await page("training");
  const button = find<HTMLButtonElement>(view, ".remedies button");
  expect(button.textContent).toBe("Try what lowers the peak");
  button.click();
  await settle();
  expect(view.model.sentFor("_try")).toEqual([{ n: 1, at: 0, lowers: "peak" }]);
  expect([button.disabled, button.textContent]).toEqual([true, "compiling …"]);
  view.model.assign({ _remedies: { "peak 0": { n: 1, done: 2, of: 6 } } });
  await settle();
  expect(button.textContent).toBe("compiling 3 of 6 …");
  view.model.assign({ _remedies: { "peak 0": { n: 1, found: FOUND } } });
  await settle();
  expect(button.disabled).toBe(false);
  const [first, second] = [...view.root.querySelectorAll(".remedies li")].map((li) => li.textContent);
  expect(first).toBe(
    "124 MiB−50.0 %jax.checkpoint around layer · model.py, line 11@jax.checkpoint\ndef layer(x, w):copy",
  );
  expect(second).toContain("128 MiB−48.4 %donate argument 0");
  await expectAccessible(view);
});

test("that nothing lowers the peak is said, and why it is not known", async () => {
  const view = await page("training", { _remedies: { "peak 0": { n: 0, found: [] } } });
  expect(text(view, ".remedies [role=status]")).toMatch(/^Nothing that was compiled lowers the peak/);
  view.model.assign({ _remedies: { "peak 0": { n: 0, trouble: "Interrupted: nothing is known." } } });
  await settle();
  expect(text(view, ".remedies .trouble")).toBe("Interrupted: nothing is known.");
});

test("a saved page has no button: it says how, or what was found", async () => {
  const saved = await page("training", { _static: true });
  expect(saved.root.querySelector(".remedies button")).toBeNull();
  expect(text(saved, ".remedies")).toContain("view.remedies()");
  const found = await page("training", { _static: true, _remedies: { "peak 0": { n: 0, found: FOUND } } });
  expect(found.root.querySelectorAll(".remedies li")).toHaveLength(2);
});

test.each([360, 480, 700, 934])("lifetimes stand below the chart and end inside the card, %i px", async (width) => {
  const view = await page("training", {}, { width });
  const { left, right } = plot(view).getBoundingClientRect();
  for (const life of view.root.querySelectorAll(".life")) {
    const box = life.getBoundingClientRect();
    expect([Math.round(box.left), Math.round(box.right)]).toEqual([Math.round(left), Math.round(right)]);
  }
});

test("what is alive fades where it goes on", async () => {
  const view = await page("training", {}, { width: 480 });
  const alive = find(view, ".alive");
  expect(alive.scrollHeight).toBeGreaterThan(alive.clientHeight);
  expect(getComputedStyle(alive).maskImage).toContain("gradient");
  alive.scrollTop = alive.scrollHeight;
  await expect.poll(() => getComputedStyle(alive).maskImage).toBe("none");
});

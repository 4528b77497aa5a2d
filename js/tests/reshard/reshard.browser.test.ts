import { beforeEach, expect, test } from "vitest";
import {
  button,
  Clock,
  enter,
  expectAccessible,
  find,
  GROUNDS,
  type Mounted,
  prefers,
  press,
  settle,
  textOf,
} from "../harness";
import { mount } from "./harness";
import { RESHARDS, wire } from "./reshards";

const clocks: Clock[] = [];
const clock = () => clocks.at(-1) as Clock;

beforeEach(() => {
  clocks.push(new Clock());
});

const count = (card: Mounted) => textOf(find(card, ".count")).replace("chunk ", "");
const reading = (card: Mounted) => textOf(find(card, ".reading"));
const list = (card: Mounted) => find(card, "[role=listbox]");
const painted = (card: Mounted) => [...card.root.querySelectorAll("canvas")].map((c) => c.toDataURL()).join();

async function keys(card: Mounted, ...pressed: string[]): Promise<void> {
  for (const key of pressed) press(list(card), key);
  await settle();
}

for (const [scheme, background] of GROUNDS) {
  for (const width of [934, 480]) {
    test.each(RESHARDS)(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
      const card = await mount(wire(name), {}, { background, width });
      expect(card.root.querySelector(".card")?.classList).toContain(scheme);
      await keys(card, "ArrowRight");
      await expectAccessible(card);
    });
  }
}

test("keys walk chunks and groups, find the peak, and tell Python", async () => {
  const card = await mount(wire("parameters"));
  expect(count(card)).toBe("1/5");
  await keys(card, ".", "ArrowDown");
  button(card, "peak").click();
  await settle();
  await keys(card, "ArrowRight", "ArrowRight");
  expect(count(card)).toBe("3/5");
  expect(card.model.sentFor("chunk")).toEqual([1, 2]);
  expect(reading(card)).toContain("stage=1, chunk 3 of 5: a device holds 28 MiB, its peak is 32 MiB, in chunk 1");
  expect(find(card, "[role=option]").ariaLabel).toBe(reading(card));
  await keys(card, "p");
  expect(count(card)).toBe("2/5");
  expect(reading(card)).toContain("stage=0, chunk 2 of 5: a device holds 44 MiB, its peak");
  await keys(card, "End", "Escape");
  expect(count(card)).toBe("5/5");
  expect(reading(card)).toContain("chunk 5 of 5: 8 arrays");
});

test("the list of arrays keeps the keys that scroll it", async () => {
  const card = await mount(wire("parameters"));
  button(card, "peak").click();
  await settle();
  const arrays = find(card, ".arrays");
  press(arrays, "ArrowDown");
  press(arrays, "End");
  await settle();
  expect(count(card)).toBe("1/5");
  press(arrays, ".");
  await settle();
  expect(count(card)).toBe("2/5");
});

test("the threshold answers at once, without a kernel, and keeps the array that is looked at", async () => {
  const card = await mount(wire("parameters"), { _static: true });
  button(card, "peak").click();
  await keys(card, ".", ".");
  const first = textOf(find(card, ".arrays li .path"));
  enter(card, ".slider input", 0);
  await settle();
  expect(count(card)).not.toContain("/5");
  expect(textOf(find(card, ".arrays li .path"))).toBe(first);
  expect(textOf(find(card, ".badges"))).toContain("peak on a device");
  enter(card, ".slider input", 240);
  await settle();
  expect(count(card)).toBe("1/1");
  button(card, "reset").click();
  await settle();
  expect(count(card)).toBe("1/5");
  expect(card.model.sentFor("threshold").at(-1)).toBe(16 * 2 ** 20);
});

test("Python's chunk and threshold are shown", async () => {
  const card = await mount(wire("parameters"));
  card.model.assign({ chunk: 3 });
  await settle();
  expect(count(card)).toBe("4/5");
  card.model.assign({ threshold: 2 ** 30, chunk: 0 });
  await settle();
  expect(count(card)).toBe("1/1");
  card.model.assign({ _document: wire("put"), threshold: 0 });
  await settle();
  expect(textOf(find(card, "h2"))).toBe("device_put of f32[1024,1024]");
});

test("it plays a chunk in 1400 ms, and stops behind the last", async () => {
  const card = await mount(wire("example"));
  const before = painted(card);
  button(card, "play").click();
  await settle();
  clock().tick();
  clock().tick(90);
  await settle();
  expect(painted(card)).not.toBe(before);
  expect(count(card)).toBe("1/2");
  clock().run();
  await settle();
  expect(count(card)).toBe("2/2");
  expect(button(card, "play")).toBeTruthy();
  expect(card.model.sentFor("chunk")).toEqual([1]);
});

test("with less motion, chunks follow one another without what is between", async () => {
  await prefers("reduced-motion", "reduce");
  const card = await mount(wire("example"));
  const before = painted(card);
  button(card, "play").click();
  await settle();
  clock().tick();
  clock().tick(90);
  await settle();
  expect(painted(card)).toBe(before);
  clock().run();
  await settle();
  expect(count(card)).toBe("2/2");
});

test("a device_put says what each device sends, gets and keeps", async () => {
  const card = await mount(wire("put"));
  expect(card.root.querySelector(".transport")).toBeNull();
  await keys(card, "ArrowRight");
  expect(reading(card)).toContain("x: sends 512 KiB to 2, keeps 512 KiB");
  await keys(card, "ArrowRight");
  expect(reading(card)).toContain("x: gets 512 KiB from 2");
});

test.each([934, 700, 480, 360])(
  "flows and peak have one height, whatever is shown, chosen or pointed at, in a card of %i px",
  async (width) => {
    for (const name of ["example", "parameters", "back"] as const) {
      const card = await mount(wire(name), {}, { width });
      const height = () => card.frame.getBoundingClientRect().height;
      const before = height();
      for (const act of [".", "ArrowRight", "]", "p", "f", "Escape", "End"]) {
        await keys(card, act);
        expect(height(), `${name}, ${act}`).toBe(before);
      }
      if (width === 934) expect(before).toBeLessThanOrEqual(640);
      card.stop();
    }
  },
);

test("hundreds of arrays in a chunk: those in view are in the page", async () => {
  const card = await mount(wire("large"), { threshold: 2 ** 40 });
  const items = () => [...card.root.querySelectorAll(".arrays li")];
  expect(items()[0]?.getAttribute("aria-setsize")).toBe("321");
  expect(items().length).toBeLessThan(30);
  const section = find(card, ".arrays");
  section.scrollTop = 44 * 200;
  section.dispatchEvent(new Event("scroll"));
  await settle();
  const places = items().map((li) => Number(li.getAttribute("aria-posinset")));
  expect(places).toContain(202);
  expect(places).not.toContain(1);
});

test.each([
  [934, 44],
  [700, 44],
  [480, 66],
])("a list of arrays ends in a whole one at rest, in a card of %i px", async (width, line) => {
  const card = await mount(wire("parameters"), {}, { width });
  button(card, "peak").click();
  await keys(card, "End");
  const arrays = find(card, ".arrays");
  expect([find(card, ".arrays li").offsetHeight, arrays.clientHeight % line]).toEqual([line, 0]);
  expect(arrays.scrollHeight).toBeGreaterThan(arrays.clientHeight);
});

/** The real view of an array on groups, in a page. */
import { expect, test } from "vitest";
import { expectAccessible, find, GROUNDS, press, settle } from "../harness";
import { mount } from "./harness";
import { MPMDS, wire } from "./mpmds";

for (const [scheme, background] of GROUNDS) {
  for (const width of [900, 480]) {
    test.each(MPMDS)(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
      await expectAccessible(await mount(wire(name), { selection: { group: 0 } }, { background, width }));
    });
  }
}

test("keys walk the groups and tell Python; what Python selects is shown", async () => {
  const card = await mount(wire("remote"));
  const list = find(card, "[role=listbox]");
  const option = () => find(card, "[role=option]");
  await press(list, "ArrowRight");
  await press(list, "ArrowRight");
  expect(option().getAttribute("aria-label")).toContain("stage 1, devices 4 to 7, process 1: without it");
  expect(card.model.sentFor("selection")).toEqual([{ group: 0 }, { group: 1 }]);
  card.model.assign({ selection: { group: 2 } });
  await settle();
  expect(option().getAttribute("aria-label")).toContain("known from metadata");
  await press(list, "Escape");
  expect(card.model.sentFor("selection").at(-1)).toBeNull();
});

test("another document takes the place of the first", async () => {
  const card = await mount(wire("copies"));
  card.model.assign({ _document: wire("large") });
  await settle();
  expect(find(card, "header").textContent).toContain("bf16[32768,4096]");
  expect(card.frame.getBoundingClientRect().height).toBeLessThanOrEqual(640);
});

test("a group that is pointed at says what it holds, and is not chosen by that", async () => {
  const card = await mount(wire("copies"));
  const picture = find(card, ".picture");
  const { left, top } = picture.getBoundingClientRect();
  const at = { bubbles: true, clientX: left + 40, clientY: top + 60 };
  picture.dispatchEvent(new PointerEvent("pointermove", at));
  await settle();
  expect(picture.title).toContain("stage 0, devices 0 to 3");
  expect(card.model.sentFor("selection")).toEqual([]);
  picture.dispatchEvent(new PointerEvent("pointerleave", at));
  await settle();
  expect(picture.title).toBe("");
});

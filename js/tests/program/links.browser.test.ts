/** The page of links in a real browser. */
import { expect, test } from "vitest";
import { expectAccessible, find, GROUNDS, type Mounted, press, settle, textOf } from "../harness";
import { wire } from "../links/links";
import { mount } from "./harness";
import { program } from "./programs";

const onChips = () => ({ ...program("training"), mesh: wire("program").orders[0]?.mesh ?? program("training").mesh });
const page = (place: object = {}) =>
  mount({ ...onChips(), collectives: [] }, { page: "links", _pages: { "links 0": wire("program") } }, place);
const said = (view: Mounted) => find(view, ".reading").textContent;

for (const [scheme, background] of GROUNDS) {
  for (const width of [960, 480]) {
    test(`it has no fault of accessibility, ${scheme}, ${width} px`, async () => {
      await expectAccessible(await page({ background, width }));
    });
  }
}

test("the link that carries most is named; a row that is pointed at says which collectives make its hops", async () => {
  const view = await page();
  expect(find(view, ".says b").textContent).toContain("630 B on the busiest link");
  expect(said(view)).toMatch(/^Most crosses the link along y from chip \(0, 0\) to \(0, 1\): model: 2 hops, 600 B/);
  const picture = find(view, ".picture");
  const { left, bottom } = picture.getBoundingClientRect();
  const row = { clientX: left + 40, clientY: bottom - 8 - 27 * 2 - 14, bubbles: true };
  picture.dispatchEvent(new PointerEvent("pointermove", row));
  await settle();
  expect(said(view)).toBe("model: all-gather, 300 B a hop, 2 hops on its busiest link");
  picture.dispatchEvent(new PointerEvent("pointerdown", row));
  picture.dispatchEvent(new PointerEvent("pointerleave"));
  await settle();
  expect(said(view)).toMatch(/^model: all-gather/);
  press(picture, "a");
  await settle();
  expect(said(view)).toMatch(/^model, collective-permute: collective-permute, 30 B a hop/);
});

test("a program on devices without coordinates has no such page", async () => {
  const tabs = async (doc: Parameters<typeof mount>[0]) => {
    const view = await mount(doc);
    return [...view.root.querySelectorAll(".tools button")].map((button) => button.textContent);
  };
  const { mesh } = program("training");
  expect(await tabs({ ...program("training"), mesh: { ...mesh, coords: [] } })).not.toContain("links");
  expect(await tabs(onChips())).toContain("links");
});

test("its foot has keys for another order and another plane where there is one", async () => {
  const { orders, ...rest } = wire("program");
  const [order] = orders;
  if (!order) throw new Error("it has an order");
  const keys = async (doc: object) => {
    const view = await mount({ ...onChips(), collectives: [] }, { page: "links", _pages: { "links 0": doc } });
    return [...view.root.querySelectorAll("footer > .keys > span, .all-keys dd")].map((key) => textOf(key));
  };
  const one = (await keys({ ...rest, orders: [order] })).join();
  expect(one).toContain("one row, or all");
  expect(one).not.toMatch(/order|plane/);
  expect((await keys({ ...rest, orders: [order, { ...order, name: "other" }] })).join()).toContain("order");
});

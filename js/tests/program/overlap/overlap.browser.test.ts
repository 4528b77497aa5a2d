/** The overlap page in a real browser. */
import { expect, test } from "vitest";
import { expectAccessible, find, GROUNDS, type Mounted, press, settle } from "../../harness";
import { mount } from "../harness";
import { program } from "../programs";
import { OVERLAPS, type OverlapName, wire } from "./overlaps";

const page = (name: OverlapName, place: object = {}) =>
  mount(program("training"), { page: "overlap", _pages: { "overlap 0": wire(name) } }, place);
const text = (view: Mounted, selector: string) => find(view, selector).textContent?.replace(/\s+/g, " ").trim();

for (const [scheme, background] of GROUNDS) {
  for (const width of [960, 480]) {
    test.each(OVERLAPS)(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
      const view = await page(name, { background, width });
      await expectAccessible(view);
    });
  }
}

test("the answer stands first, and the line that waits longest is looked at", async () => {
  const view = await page("training");
  expect(text(view, ".says b")).toBe("21 ms of 60 ms is waiting for collectives, 19 ms of it over model");
  expect(text(view, ".reading")).toMatch(/^all-reduce over model, line 22/);
  find(view, ".waits").focus();
  press(find(view, ".waits"), "ArrowDown");
  await settle();
  expect(text(view, ".reading")).toMatch(/^all-reduce over model, line 21 · backward/);
  expect(find(view, ".waits .option").getAttribute("aria-label")).toBe(text(view, ".reading"));
  press(find(view, ".waits"), "r");
  await settle();
  expect(text(view, ".reading")).toBe("If everything overlapped, train_step would be bound by compute.");
});

test("what is not known is said, and what is read is waited for", async () => {
  const view = await mount(program("training"), { page: "overlap" });
  expect(text(view, ".note")).toBe("reading the schedule …");
  view.model.assign({ _pages: { "overlap 0": { trouble: "give a chip" } } });
  await settle();
  expect(text(view, ".note")).toBe("How much is exposed is not known: give a chip");
});

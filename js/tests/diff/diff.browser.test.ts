/** The card of a difference in a page. */
import { expect, test } from "vitest";
import type { TraceDiff } from "../../src/core/document.gen";
import type { DiffDocument } from "../../src/diff/model/kinds";
import { find, press, settle } from "../harness";
import { wire } from "./diffs";
import { mount } from "./harness";

test("the page stays where it is while rows are walked through", async () => {
  const view = await mount(wire("training"), {}, { width: 934 });
  const below = document.body.appendChild(document.createElement("div"));
  below.style.height = "4000px";
  const list = view.root.querySelector("[role=listbox]") as HTMLElement;
  window.scrollTo(0, 2000);
  const before = window.scrollY;
  expect(before).toBeGreaterThan(1000);
  press(list, "ArrowDown");
  await settle();
  expect(list.getAttribute("aria-activedescendant")).toBe("at");
  expect(window.scrollY).toBe(before);
  below.remove();
  view.stop();
});

for (const width of [934, 480]) {
  test(`what the program was compiled for is said beside its code, or under it, ${width} px`, async () => {
    const view = await mount(Object.assign(wire("training"), { why: "had line 7 won, with h = x" }), {}, { width });
    const [why, code] = [find(view, ".code .why"), find(view, ".code ol")];
    expect(why.firstElementChild?.textContent).toBe("Why: had line 7 won, with h = x.");
    expect(why.textContent).toContain("Each device sends");
    const [box, lines] = [why.getBoundingClientRect(), code.getBoundingClientRect()];
    expect(box.height).toBeGreaterThan(40);
    expect(width > 620 ? box.left : box.top).toBeGreaterThanOrEqual(width > 620 ? lines.right : lines.bottom);
    view.stop();
  });
}

test("code of two traces begins with a whole line", async () => {
  for (const width of [934, 480]) {
    const of = wire("traces") as unknown as TraceDiff;
    const lines = Array.from({ length: 30 }, (_, k) => `a${k} = ${k}`);
    const mine = { ...of.mine, first_line: (of.steps[0]?.sources[0]?.line ?? 20) - 15, lines };
    const view = await mount({ ...of, mine } as unknown as DiffDocument, { selection: 0 }, { width });
    const list = view.root.querySelector(".sides ol") as HTMLElement;
    list.scrollTop = 77;
    const { top } = list.getBoundingClientRect();
    await expect.poll(() => [...list.children].some((line) => line.getBoundingClientRect().top === top)).toBe(true);
    expect(list.scrollTop).toBeGreaterThan(0);
    view.stop();
  }
});

test("a long line of code goes on below", async () => {
  const view = await mount(wire("training"), {}, { width: 934 });
  const list = find(view, ".code ol");
  for (const code of list.querySelectorAll("code")) code.textContent = `h = f(${"argument, ".repeat(20)}x)`;
  expect(list.scrollWidth).toBeLessThanOrEqual(list.clientWidth);
});

test("what is said beside the first sentence has no full stop, as that has none", async () => {
  const view = await mount(wire("training"), {}, { width: 1100 });
  expect(find(view, ".says .soft").textContent).toMatch(/\w$/);
  expect(find(view, ".says b").textContent).toMatch(/[^.]$/);
});

test("what is said of a line that stands alone is in view to its end", async () => {
  const view = await mount(Object.assign(wire("training"), { lines: [] }), {}, { width: 934 });
  const why = find(view, ".code.short .why");
  expect(why.querySelectorAll("p").length).toBeGreaterThan(1);
  expect(why.scrollHeight).toBe(why.clientHeight);
});

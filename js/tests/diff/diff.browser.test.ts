/** The card of a difference in a page. */
import { expect, test } from "vitest";
import { press, settle } from "../harness";
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

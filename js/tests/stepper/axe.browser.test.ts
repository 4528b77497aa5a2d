import { expect, test } from "vitest";
import { button, expectAccessible, facesOf, settle } from "../harness";
import { loaded, mount, scrub } from "./harness";
import { type TraceName, trace } from "./traces";

const CASES: readonly (readonly [TraceName, number])[] = [
  ["psum", 3.4],
  ["all_gather", 2],
  ["error", 3],
  ["scan", 5],
  ["oddities", 8],
  ["64 devices", 4],
];

for (const [scheme, background, width] of facesOf(1240, 480)) {
  test.each(CASES)(`%s at %d has no fault of accessibility, ${scheme}, ${width} px`, async (name, at) => {
    const view = await mount(trace(name), { step: Math.ceil(at) - 1 }, { background, width });
    // A loop that sends blocks on opens in space-time.
    if (name === "scan") {
      await expect.poll(() => view.root.querySelector(".space")).toBeTruthy();
      button(view, "tiles").click();
      await expect.poll(() => view.root.querySelector(".space")).toBeNull();
    }
    view.root.querySelector<HTMLElement>(".strip")?.click();
    await loaded(view);
    view.root.querySelector<HTMLElement>("[role=listbox]")?.focus();
    view.root.querySelector("[role=listbox]")?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" }));
    scrub(view, at);
    for (const fold of view.root.querySelectorAll("details")) fold.open = true;
    await settle();
    expect(view.root.querySelector(".card")?.classList).toContain(scheme);
    await expect.poll(() => [...view.root.querySelectorAll(".tip")]).toHaveLength(1);
    await expectAccessible(view);
  });
}

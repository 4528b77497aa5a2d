import { expect, test } from "vitest";
import { expectAccessible, facesOf } from "../harness";
import { COMPARISONS, comparison } from "./comparisons";
import { mount } from "./harness";

for (const [scheme, background, width] of facesOf(1240, 800, 480)) {
  test.each(COMPARISONS)(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
    const view = await mount(comparison(name), { selection: 1 }, { background, width });
    expect(view.root.querySelector(".card")?.classList).toContain(scheme);
    expect(view.root.querySelector(".details")).not.toBeNull();
    await expectAccessible(view);
  });
}

import { expect, test } from "vitest";
import { expectAccessible, facesOf } from "../harness";
import { mount } from "./harness";
import { SCHEDULES, wire } from "./schedules";

for (const [scheme, background, width] of facesOf(934, 480)) {
  test.each(SCHEDULES)(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
    const view = await mount(wire(name), { follow: 1 }, { background, width });
    expect(view.root.querySelector(".card")?.classList).toContain(scheme);
    await expectAccessible(view);
  });
}

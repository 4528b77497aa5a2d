import { expect, test } from "vitest";
import { expectAccessible, facesOf } from "../harness";
import { mount } from "./harness";
import { PROGRAMS, wire } from "./programs";

for (const [scheme, background, width] of facesOf(1240, 480)) {
  test.each(PROGRAMS)(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
    const traits = { opened: name === "layouts" ? 0 : null, axis: name === "training" ? "data" : null };
    const view = await mount(wire(name), { ...traits, _trouble: "not measured" }, { background, width });
    expect(view.root.querySelector(".card")?.classList).toContain(scheme);
    expect(view.root.querySelector(".table")).not.toBeNull();
    await expectAccessible(view);
  });
}

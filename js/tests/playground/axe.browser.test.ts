import { expect, test } from "vitest";
import type { SpecDraft } from "../../src/core/document.gen";
import { button, expectAccessible, facesOf } from "../harness";
import { axis, draft, LOOSE, on, playground } from "./documents";
import { mount } from "./harness";

const CASES: Readonly<Record<string, SpecDraft>> = {
  "a spec": draft({ entries: [on("y"), on("x")] }),
  sums: draft({ entries: [on("x")], unreduced: ["y"] }),
  "a wrong spec": draft({ entries: [on("x"), on("x", "gone"), on("y")] }),
  "left to the compiler": draft({ axes: [axis("x", 4), axis("y", 2, "Auto")], entries: [LOOSE, on("y")] }),
};

for (const [scheme, background, width] of facesOf(1100, 480)) {
  test.each(Object.keys(CASES))(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
    const document = playground(CASES[name], { array: "f32[8,16]" });
    const view = await mount(document, {}, { width, background });
    button(view, "change").click();
    await expect.poll(() => view.root.querySelector(".settings")).not.toBeNull();
    expect(view.root.querySelector(".card")?.classList).toContain(scheme);
    await expectAccessible(view);
  });
}

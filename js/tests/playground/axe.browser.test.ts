import axe from "axe-core";
import { expect, test } from "vitest";
import type { SpecDraft } from "../../src/model/document.gen";
import { axis, draft, LOOSE, on, playground } from "./documents";
import { button, mountPlayground } from "./harness";

const GROUNDS = { light: "#ffffff", dark: "#111111" };
const CASES: Readonly<Record<string, SpecDraft>> = {
  "a spec": draft({ entries: [on("y"), on("x")] }),
  sums: draft({ entries: [on("x")], unreduced: ["y"] }),
  "a wrong spec": draft({ entries: [on("x"), on("x", "gone"), on("y")] }),
  "left to the compiler": draft({ axes: [axis("x", 4), axis("y", 2, "Auto")], entries: [LOOSE, on("y")] }),
};

for (const [scheme, background] of Object.entries(GROUNDS)) {
  for (const width of [1100, 480]) {
    test.each(Object.keys(CASES))(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
      const document = playground(CASES[name], { array: "f32[8,16]" });
      const view = await mountPlayground(document, {}, { width, background });
      button(view, "change").click();
      await expect.poll(() => view.root.querySelector(".settings")).not.toBeNull();
      expect(view.root.querySelector(".card")?.classList).toContain(scheme);
      const { violations } = await axe.run(view.frame);
      expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.failureSummary).join("; ")}`)).toEqual([]);
      view.stop();
    });
  }
}

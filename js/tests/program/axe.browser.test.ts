import axe from "axe-core";
import { expect, test } from "vitest";
import { drawn, settle, startProgram } from "./harness";
import { PROGRAMS, wire } from "./programs";

const GROUNDS = { light: "#ffffff", dark: "#111111" };

for (const [scheme, background] of Object.entries(GROUNDS)) {
  for (const width of [1240, 480]) {
    test.each(PROGRAMS)(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
      const traits = { opened: name === "layouts" ? 0 : null, axis: name === "training" ? "data" : null };
      const view = startProgram(wire(name), { ...traits, _trouble: "not measured" }, { background, width });
      await drawn(view);
      await settle();
      expect(view.root.querySelector(".card")?.classList).toContain(scheme);
      expect(view.root.querySelector(".table")).not.toBeNull();
      const { violations } = await axe.run(view.frame);
      expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.failureSummary).join("; ")}`)).toEqual([]);
      view.stop();
    });
  }
}

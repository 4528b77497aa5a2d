import axe from "axe-core";
import { expect, test } from "vitest";
import { COMPARISONS, comparison } from "./comparisons";
import { drawn, settle, startComparison } from "./harness";

const GROUNDS = { light: "#ffffff", dark: "#111111" };

for (const [scheme, background] of Object.entries(GROUNDS)) {
  for (const width of [1240, 800, 480]) {
    test.each(COMPARISONS)(`%s has no fault of accessibility, ${scheme}, ${width} px`, async (name) => {
      const view = startComparison(comparison(name), { selection: 1 }, { background, width });
      await drawn(view);
      await settle();
      expect(view.root.querySelector(".card")?.classList).toContain(scheme);
      expect(view.root.querySelector(".details")).not.toBeNull();
      const { violations } = await axe.run(view.frame);
      expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.failureSummary).join("; ")}`)).toEqual([]);
      view.stop();
    });
  }
}

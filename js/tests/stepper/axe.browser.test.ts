import axe from "axe-core";
import { expect, test } from "vitest";
import { scrub, settle, startStepper } from "./harness";
import { type TraceName, trace } from "./traces";

const GROUNDS = { light: "#ffffff", dark: "#111111" };
const CASES: readonly (readonly [TraceName, number])[] = [
  ["psum", 3.4],
  ["all_gather", 2],
  ["error", 3],
  ["scan", 5],
  ["oddities", 8],
  ["64 devices", 4],
];

for (const [scheme, background] of Object.entries(GROUNDS)) {
  for (const width of [1240, 480]) {
    test.each(CASES)(`%s at %d has no fault of accessibility, ${scheme}, ${width} px`, async (name, at) => {
      const view = startStepper(trace(name), { step: Math.ceil(at) - 1 }, { background, width });
      await expect.poll(() => Number(view.frame.dataset.swReady ?? 0)).toBeGreaterThan(0);
      view.root.querySelector<HTMLElement>(".strip")?.click();
      view.root.querySelector<HTMLElement>(".keys")?.click();
      view.root.querySelector<HTMLElement>("[role=listbox]")?.focus();
      view.root.querySelector("[role=listbox]")?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" }));
      scrub(view, at);
      await settle();
      expect(view.root.querySelector(".card")?.classList).toContain(scheme);
      expect([...view.root.querySelectorAll(".help, .tip")]).toHaveLength(2);
      const { violations } = await axe.run(view.frame);
      expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.failureSummary).join("; ")}`)).toEqual([]);
      view.stop();
    });
  }
}

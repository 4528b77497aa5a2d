import axe from "axe-core";
import { expect, test } from "vitest";
import type { Placement } from "../../src/model/document.gen";
import { PICTURES } from "../pictures";
import { mount, start } from "./harness";

const GROUNDS = { light: "#ffffff", dark: "#111111" };

async function violations(frame: HTMLElement): Promise<string[]> {
  const { violations: found } = await axe.run(frame);
  return found.map((v) => `${v.id}: ${v.nodes.map((n) => n.failureSummary).join("; ")}`);
}

for (const [scheme, background] of Object.entries(GROUNDS)) {
  for (const name of ["selected", "replicated", "unreduced", "values", "deleted", "4096-devices", "facets", "mesh"]) {
    test(`${name} has no fault of accessibility, ${scheme}`, async () => {
      const { document, traits } = PICTURES[name] as { document: Placement; traits?: Record<string, unknown> };
      const view = await mount(document, traits, { background });
      expect(view.root.querySelector(".card")?.classList).toContain(scheme);
      expect(await violations(view.frame)).toEqual([]);
      view.stop();
    });
  }

  test(`neither has a failure, ${scheme}`, async () => {
    const view = start({}, {}, { background });
    await expect.poll(() => view.root.querySelector("[role=alert]")).not.toBeNull();
    expect(await violations(view.frame)).toEqual([]);
    view.stop();
  });
}

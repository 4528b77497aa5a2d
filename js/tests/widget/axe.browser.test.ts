import { expect, test } from "vitest";
import type { Placement } from "../../src/model/document.gen";
import { expectAccessible, GROUNDS } from "../harness";
import { PICTURES } from "../pictures";
import { mount, start } from "./harness";

for (const [scheme, background] of GROUNDS) {
  for (const name of ["selected", "replicated", "unreduced", "values", "deleted", "4096-devices", "facets", "mesh"]) {
    test(`${name} has no fault of accessibility, ${scheme}`, async () => {
      const { document, traits } = PICTURES[name] as { document: Placement; traits?: Record<string, unknown> };
      const view = await mount(document, traits, { background });
      expect(view.root.querySelector(".card")?.classList).toContain(scheme);
      await expectAccessible(view);
    });
  }

  test(`neither has a failure, ${scheme}`, async () => {
    const view = start({}, {}, { background });
    await expect.poll(() => view.root.querySelector("[role=alert]")).not.toBeNull();
    await expectAccessible(view);
  });
}

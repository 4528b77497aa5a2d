import { expect, test } from "vitest";
import type { Placement } from "../../src/core/document.gen";
import { array, block, mesh, values } from "../documents";
import { expectAccessible, GROUNDS } from "../harness";
import { PICTURES } from "../pictures";
import { mount, start } from "./harness";

const numbers = (n: number) => Array.from({ length: n }, (_, i) => Math.sin(i));

/** Layouts with controls that others lack: pages of facets, slices of a pod. */
const WITH_VALUES = {
  facets: {
    document: array(mesh({ x: 2, y: 2 }), [4, 24, 4, 4], ["x", null, "y", null]),
    blocks: [block(0, [2, 24, 2, 4], numbers(384)), block(3, [2, 24, 2, 4], numbers(384))],
  },
  "a pod": {
    document: array(mesh({ x: 4, y: 4, z: 4 }), [16, 32, 8], ["x", "y", "z"]),
    blocks: [block(0, [4, 8, 2], numbers(64))],
  },
};

for (const [scheme, background] of GROUNDS) {
  for (const name of ["selected", "replicated", "unreduced", "values", "deleted", "4096-devices", "facets", "mesh"]) {
    test(`${name} has no fault of accessibility, ${scheme}`, async () => {
      const { document, traits } = PICTURES[name] as { document: Placement; traits?: Record<string, unknown> };
      const view = await mount(document, traits, { background });
      expect(view.root.querySelector(".card")?.classList).toContain(scheme);
      await expectAccessible(view);
    });
  }

  test.each(Object.entries(WITH_VALUES))(`nor has the layout of %s, ${scheme}`, async (_, { document, blocks }) => {
    const view = await mount(document, { color_by: "values", _values: values(...blocks) }, { background });
    expect(view.root.querySelector("[aria-label='later facets'], [aria-label^='later ']")).not.toBeNull();
    await expectAccessible(view);
  });

  test(`neither has a failure, ${scheme}`, async () => {
    const view = start({}, {}, { background });
    await expect.poll(() => view.root.querySelector("[role=alert]")).not.toBeNull();
    await expectAccessible(view);
  });
}

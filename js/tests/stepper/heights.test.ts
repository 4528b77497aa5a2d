/** The card of a stepper is as high whatever is chosen in it. */
import { expect, test } from "vitest";
import { layoutOf } from "../../src/stepper/sizes";
import { model, TRACES } from "./traces";

test.each(TRACES)("%s: a picture is as high whatever is watched", (name) => {
  const trace = model(name);
  const names = [...new Set(trace.doc.variables.map((v) => v.name))];
  for (const width of [480, 700, 934, 1100]) {
    const { height } = layoutOf(trace, width, []);
    for (const watch of [names.slice(0, 1), names.slice(-1), names.slice(0, 2)])
      expect(layoutOf(trace, width, watch).height, `${width} ${watch}`).toBe(height);
  }
});

/** The card of a stepper is as high whatever is chosen in it. */
import { expect, test } from "vitest";
import { around, layoutOf } from "../../src/stepper/sizes";
import { programOf } from "./programs";
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

test("cards of 560 px and more are no higher than 640 px, whatever the mesh and the blocks", () => {
  const high: string[] = [];
  for (const axes of [
    { x: 4 },
    { x: 8 },
    { x: 2, y: 2 },
    { x: 2, y: 4 },
    { x: 4, y: 2 },
    { x: 4, y: 4 },
    { x: 2, y: 2, z: 2 },
  ])
    for (const over of Object.keys(axes))
      for (const kind of ["psum", "all_gather", "reduce_scatter"])
        for (const width of [560, 700, 934]) {
          const trace = programOf({ axes, kind, over: [over], shape: [8, 8] });
          const height = layoutOf(trace, width, []).height + around(trace, width);
          if (height > 640) high.push(`${JSON.stringify(axes)} ${kind} ${over} at ${width}: ${height}`);
        }
  expect(high).toEqual([]);
});

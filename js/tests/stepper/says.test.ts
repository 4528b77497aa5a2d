/** The sentence in the head: short, without a full stop, with the axes of the collective. */
import { expect, test } from "vitest";
import { saysOf, whereOf } from "../../src/stepper/model/says";
import { model, TRACES } from "./traces";

test.each(TRACES)("%s: every step is said in one line of a wide card", (name) => {
  const trace = model(name);
  for (const [at, step] of trace.steps.entries()) {
    const said = saysOf(trace, step);
    expect(said).not.toMatch(/undefined|\.$/);
    expect(said.length).toBeLessThanOrEqual(80);
    for (const axis of trace.sends(step)?.axes ?? []) expect(said).toMatch(new RegExp(`over .*\\b${axis}\\b`));
    expect(whereOf(trace, step, at)).toMatch(/^step \d+ of \d+/);
  }
});

test("what a collective does is named after its meaning", () => {
  const said = (name: (typeof TRACES)[number]) => {
    const trace = model(name);
    const step = trace.steps.find((one) => trace.communicates(one));
    return step && saysOf(trace, step).replace(/over \w+/, "over …");
  };
  expect(said("psum")).toBe("psum over …: each group of 2 adds its blocks and ends equal");
  expect(said("all_gather")).toBe("all_gather over …: each device collects the blocks of all 4");
  expect(said("reduce_scatter")).toBe("reduce_scatter over …: each device ends with its part of the sum of 4 blocks");
  expect(said("all_to_all")).toBe("all_to_all over …: each device sends every other one a piece of its block");
  expect(said("ppermute")).toBe("ppermute over …: each block moves to another device");
  expect(said("pbroadcast")).toBe("pbroadcast over …: one block is sent to all 5 devices");
});

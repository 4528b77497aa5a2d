/** What the time of a call went into, and when its loops ran: counted by hand. */
import { expect, test } from "vitest";
import { spentOf } from "../../src/run/model/calls";
import { loopsOf } from "../../src/run/model/loops";
import { model } from "./runs";

test("what compute hides is compute, and the rest waits or moves", () => {
  expect(
    spentOf([
      [0, 10, null],
      [5, 30, 20], // Waits until 20, ten of it bare; moves until 30, eight of it bare.
      [8, 12, null],
      [28, 40, null],
      [40, 50, 40],
    ]),
  ).toEqual({ compute: 24, moving: 18, waiting: 8 });
});

test("a loop ends outside of it, or where iterations begin anew; one pass is none", () => {
  const at = (...iterations: number[]) => loopsOf(iterations.map((k, i) => [10 * i, 10 * i + 9, k] as const));
  expect(at(-1, 0, 0, 1, 1, 2, -1)).toEqual([{ from: 10, to: 59, starts: [10, 30, 50] }]);
  expect(at(0, 1, 0, 1).map((loop) => loop.starts)).toEqual([
    [0, 10],
    [20, 30],
  ]);
  expect(at(0, 0, -1, 0)).toEqual([]);
});

test("all calls together are what Python says of the run", () => {
  const run = model("step");
  const calls = run.doc.seconds.map((_, call) => run.spent(call));
  const whole = run.doc.seconds.reduce((sum, _, call) => sum + run.ticks(call), 0);
  const share = (part: "compute" | "moving" | "waiting") => calls.reduce((sum, call) => sum + call[part], 0) / whole;
  expect(share("compute")).toBeCloseTo(run.doc.shares.compute);
  expect(share("moving")).toBeCloseTo(run.doc.shares.communication);
  expect(share("waiting")).toBeCloseTo(run.doc.shares.waiting);
});

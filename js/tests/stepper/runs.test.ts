/** How many executions a step stands for. */
import { expect, test } from "vitest";
import type { Scope, Step } from "../../src/core/document.gen";
import { runsOf } from "../../src/stepper/model/runs";

const scope = (parent: number, iteration = 0, total = 0): Scope => ({
  kind: total > 0 ? "iteration" : "function",
  name: total > 0 ? "scan" : "f",
  parent,
  iteration,
  times: total,
  axis_types: [],
});

const at = (scope: number) => ({ scope }) as Step;

/** Executions of a step in each scope, and their sum. */
function counted(scopes: readonly Scope[], steps: readonly number[]): number[] {
  const runs = runsOf({ scopes, steps: steps.map(at) });
  return steps.map((s) => runs(at(s)));
}

test("the last shown iteration stands for those that are left out before it", () => {
  const scopes = [scope(-1), scope(0, 0, 8), scope(0, 1, 8), scope(0, 7, 8)];
  expect(counted(scopes, [0, 1, 2, 3, 0])).toEqual([1, 1, 1, 6, 1]);
});

test("loops in loops multiply, and add up to all executions", () => {
  const scopes = [scope(-1, 0, 4), scope(-1, 3, 4), scope(0, 0, 3), scope(0, 2, 3), scope(1, 0, 3), scope(1, 2, 3)];
  const runs = counted(scopes, [2, 3, 4, 5]);
  expect(runs).toEqual([1, 2, 3, 6]);
  expect(runs.reduce((a, b) => a + b, 0)).toBe(12);
});

test("all iterations shown, a loop of unknown length, and no loop stand for themselves", () => {
  expect(counted([scope(-1, 0, 2), scope(-1, 1, 2)], [0, 1])).toEqual([1, 1]);
  expect(counted([{ ...scope(-1), kind: "iteration" }], [0])).toEqual([1]);
  expect(counted([], [-1])).toEqual([1]);
});

/** Plans: chunks and bytes as Python says, folds, words, thresholds on a slider. */
import { describe, expect, test } from "vitest";
import { movesOf } from "../../src/reshard/model/moves";
import { decodeReshard, PlanModel, startsOf, ThresholdScale } from "../../src/reshard/model/reshard";
import {
  answerOf,
  badgesOf,
  chunkText,
  clauseOf,
  collectivesText,
  heldText,
  movesText,
  titleOf,
} from "../../src/reshard/model/words";
import { plan, RESHARDS, said, wire } from "./reshards";

const range = (n: number) => Array.from({ length: n }, (_, i) => i);

describe.each(RESHARDS)("%s", (name) => {
  test.each(said(name).map((s) => [s.threshold, s] as const))("threshold %d: what Python says", (threshold, s) => {
    const model = plan(name, threshold || null);
    const chunks = range(model.chunks);
    expect(model.weights).toEqual(s.weights);
    expect(chunks.map((k) => model.arraysOf(k))).toEqual(s.chunks);
    expect(chunks.map((k) => model.chunkBytes(k))).toEqual(s.chunk_bytes);
    expect(chunks.map((k) => range(model.groups).map((g) => model.total(k, g)))).toEqual(s.held_bytes);
    expect(model.peaks).toEqual(s.peak_bytes);
    expect(model.freedBytes).toBe(s.freed_bytes);
    expect(model.doc.arrays.flatMap((_, i) => (model.overweight(i) ? [i] : []))).toEqual(s.overweight);
  });

  test("groups of a fold hold the same all the time", () => {
    const model = plan(name);
    for (const { first, count } of model.folds)
      for (let g = first; g < first + count; g++)
        for (let k = 0; k < model.chunks; k++) expect(model.held(k, g)).toEqual(model.held(k, first));
    expect(model.folds.reduce((sum, fold) => sum + fold.count, 0)).toBe(model.groups);
  });

  test("what is made and not freed is kept from then on", () => {
    const model = plan(name);
    if (model.axis < 0) return;
    for (let k = 1; k < model.chunks; k++)
      for (let g = 0; g < model.groups; g++)
        expect(model.held(k, g).kept).toBe(model.held(k - 1, g).kept + model.held(k - 1, g).made);
  });
});

test("JaxPP's example in words", () => {
  const model = plan("example");
  expect(titleOf(model)).toBe("3 arrays to groups of stage");
  expect(badgesOf(model).map((b) => `${b.strong} ${b.text}`)).toEqual([
    "13 MiB peak on a device",
    "36 MiB made, then freed",
  ]);
  expect(chunkText(model, 0)).toBe(
    "chunk 1 of 2: 2 arrays, 8 MiB made on a device, 8 MiB of the threshold, moves over stage, fsdp; 2 × collective-permute over stage, fsdp, 2 × all-gather over stage",
  );
  expect(heldText(model, 0, 1)).toBe(
    "stage=1, chunk 1 of 2: a device holds 13 MiB, its peak: 5 MiB not moved yet, 4 MiB made and kept, 4 MiB made, then freed",
  );
  expect(answerOf(model)).toBe("24 MiB must move between devices, the programs send 48 MiB");
  expect(clauseOf(model)).toBe("over stage, fsdp");
  const panels = model.arraysOf(0).map((i) => ({ moves: movesOf(model, i) }));
  expect(movesText(model, panels, 4)).toBe(
    "device 4 at stage=1, fsdp=0, tensor=0. 0: sends 2 MiB to 2, frees its block; 1: sends 2 MiB to 6, gets 4 MiB from 0, 2",
  );
});

test("what is not compiled says so", () => {
  const model = plan("bare");
  expect(collectivesText(model.doc.arrays)).toBe("not compiled");
  expect(clauseOf(model)).toContain("nothing is compiled");
});

test("zeros of groups that do not give an array are made and freed", () => {
  const model = plan("back");
  const first = model.doc.arrays[0];
  expect(model.held(0, first?.groups[0] ?? 0).freed).toBeLessThan(model.held(0, 1).freed + 1);
  expect(model.doc.direction).toBe("mpmd_to_spmd");
});

test("equal groups fold", () => {
  expect(plan("parameters").folds.every((fold) => fold.count === 1)).toBe(true);
  const doc = decodeReshard(wire("parameters"));
  const both = doc.arrays.filter((a) => a.groups.length === 2);
  const only = { ...doc, arrays: both, order: both.map((_, i) => i) };
  expect(new PlanModel(only).folds).toEqual([
    { first: 0, count: 1 },
    { first: 1, count: 2 },
    { first: 3, count: 1 },
  ]);
});

test("the slider goes from each array alone to all together", () => {
  const model = plan("parameters");
  const scale = new ThresholdScale(model);
  expect(scale.slides).toBe(true);
  const sum = model.weights.reduce((a, b) => a + b, 0);
  expect(scale.threshold(1)).toBe(sum);
  expect(startsOf(model.doc.order, model.weights, scale.threshold(1))).toEqual([0, model.doc.order.length]);
  expect(startsOf(model.doc.order, model.weights, scale.threshold(0)).length).toBeGreaterThan(24);
  for (const place of [0, 0.25, 0.5, 1]) expect(scale.place(scale.threshold(place))).toBeCloseTo(place, 3);
  expect(new ThresholdScale(plan("put")).slides).toBe(false);
});

test("a document whose axis is not in its mesh is damaged", () => {
  expect(() => decodeReshard({ ...wire("example"), axis: "pipe" })).toThrow('its mesh has no axis "pipe"');
});

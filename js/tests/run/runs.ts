/** Measured runs as Python wrote them: `python -m tests.fixtures`. */
import type { Run, Runs } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import { decodeRuns, RunModel } from "../../src/run/model/run";
import runs from "./runs.json";

export type RunName = keyof typeof runs;
export const RUNS = Object.keys(runs) as RunName[];

/** A wire document of its own. */
export function wire(name: RunName): Run | Runs {
  return reviveBytes(runs[name]) as unknown as Run | Runs;
}

export function models(name: RunName): RunModel[] {
  return decodeRuns(wire(name)).runs.map((run) => new RunModel(run));
}

export function model(name: RunName): RunModel {
  return models(name)[0] as RunModel;
}

/** A run of so many devices and events on each, alternately compute and a collective. */
export function large(devices: number, each: number): RunModel {
  const base = wire("step") as Run;
  const ints = (values: Int32Array) => ({
    start: 0,
    shape: [values.length],
    strides: [0],
    raw: new DataView(values.buffer),
    raw_bytes: 4 as const,
  });
  const lanes = Array.from({ length: devices }, (_, position) => ({
    position,
    counts: ints(Int32Array.of(each)),
    operation: ints(Int32Array.from({ length: each }, (_, e) => (e % 2 ? 1 : e % 3 ? 0 : 3))),
    start: ints(Int32Array.from({ length: each }, (_, e) => e * 1000)),
    duration: ints(Int32Array.from({ length: each }, (_, e) => 700 + ((e * 37) % 300))),
    waited: ints(Int32Array.from({ length: each >> 1 }, (_, e) => (e * 13) % 400)),
  }));
  return new RunModel({
    ...(decodeRuns(base).runs[0] as Run),
    lanes,
    seconds: [each * 1e-6],
    tick_s: 1e-9,
  });
}

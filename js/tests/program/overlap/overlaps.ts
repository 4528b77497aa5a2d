/** Schedules over time as Python wrote them: `python -m tests.fixtures`. */
import type { Overlap } from "../../../src/core/document.gen";
import { reviveBytes } from "../../../src/core/saved";
import { decodeOverlap, OverlapModel } from "../../../src/program/overlap/model/overlap";
import overlaps from "./overlaps.json";

export type OverlapName = keyof typeof overlaps;
export const OVERLAPS = Object.keys(overlaps) as OverlapName[];

/** A wire document of its own. */
export function wire(name: OverlapName): Overlap {
  return reviveBytes(overlaps[name]) as unknown as Overlap;
}

export function model(name: OverlapName): OverlapModel {
  return new OverlapModel(decodeOverlap(wire(name)));
}

/** The same with a measured run of which every line takes twice what is estimated. */
export function measured(name: OverlapName): OverlapModel {
  const { doc, rows } = model(name);
  const lines = rows.map(({ kind, axes, source, backward, seconds, exposed }) => {
    return { kind, axes, source, backward, seconds: 2 * seconds, exposed: 2 * exposed };
  });
  const [compute, exposed, waiting, idle] = [doc.compute, 2 * doc.exposed, 0.001, 0.002];
  const seconds = compute + exposed + waiting + idle;
  return new OverlapModel({
    ...doc,
    measured: { on: "16 TPUs, 5 calls", seconds, compute, exposed, waiting, idle, lines },
  });
}

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

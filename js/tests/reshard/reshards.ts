/** Reshard plans as Python wrote them: `python -m tests.fixtures`. */
import type { ReshardPlan } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import { decodeReshard, PlanModel } from "../../src/reshard/model/reshard";
import reshards from "./reshards.json";

export type ReshardName = keyof typeof reshards;
export const RESHARDS = Object.keys(reshards) as ReshardName[];

/** What Python says of a plan with a threshold. */
export interface Said {
  threshold: number;
  weights: number[];
  chunks: number[][];
  chunk_bytes: number[];
  held_bytes: number[][];
  peak_bytes: number[];
  freed_bytes: number;
  overweight: number[];
}

export const said = (name: ReshardName) => reshards[name].said as Said[];

/** A wire document of its own. */
export function wire(name: ReshardName): ReshardPlan {
  return reviveBytes(reshards[name].wire) as unknown as ReshardPlan;
}

export function plan(name: ReshardName, threshold: number | null = null): PlanModel {
  return new PlanModel(decodeReshard(wire(name)), threshold);
}

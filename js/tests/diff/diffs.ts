/** Differences as Python wrote them: `python -m tests.fixtures`. */
import type { TraceDiff } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import type { Diff, Order } from "../../src/diff/model/diff";
import { type DiffDocument, decodeDiff, diffOf } from "../../src/diff/model/kinds";
import { decodeSteps } from "../../src/diff/model/steps";
import diffs from "./diffs.json";

export type DiffName = keyof typeof diffs;
/** All but two traces, which are drawn otherwise. */
export const DIFFS = (Object.keys(diffs) as DiffName[]).filter((name) => name !== "traces");

/** A wire document of its own. */
export function wire(name: DiffName): DiffDocument {
  return reviveBytes(diffs[name]) as unknown as DiffDocument;
}

export function traces(): TraceDiff {
  return decodeSteps(wire("traces"));
}

export function diff(name: DiffName, order: Order = "time"): Diff {
  return diffOf(decodeDiff(wire(name)), order);
}

/** Comparisons as Python wrote them: `python -m tests.fixtures`. */
import { type Choices, ComparisonModel, decodeComparison } from "../../src/comparison/model/comparison";
import type { Comparison, Row } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import comparisons from "./comparisons.json";

export type ComparisonName = keyof typeof comparisons;
export const COMPARISONS = Object.keys(comparisons) as ComparisonName[];

/** A document of its own, as it travelled. */
export function comparison(name: ComparisonName): Comparison {
  return decodeComparison(reviveBytes(comparisons[name]));
}

export function model(name: ComparisonName, choices: Choices = {}): ComparisonModel {
  return new ComparisonModel(comparison(name), choices);
}

/** A training step of many rows: layers with a scope each, of which a part is in a loop. */
export function long(rows = 3000): Comparison {
  const base = comparison("training");
  const plain = base.rows.find((r) => r.primitive === "add") as Row;
  const layers = Math.ceil(rows / 20);
  return {
    ...base,
    scopes: Array.from({ length: 2 * layers }, (_, i) => ({
      kind: i % 2 === 0 ? ("named_scope" as const) : ("loop" as const),
      name: i % 2 === 0 ? `layer${i / 2}` : "scan",
      parent: i % 2 === 0 ? -1 : i - 1,
      iteration: 0,
      times: i % 2 === 0 ? 1 : 12,
      axis_types: [],
    })),
    rows: Array.from({ length: rows }, (_, i) => ({
      ...plain,
      source: plain.source && { ...plain.source, line: i + 1 },
      values: plain.values.map((v) => ({ ...v, name: `v${i}` })),
      inputs: i > 0 ? [`v${i - 1}`] : [],
      scope: 2 * Math.floor(i / 20) + (i % 20 < 10 ? 1 : 0),
    })),
  };
}

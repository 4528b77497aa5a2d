/** Trees of arrays as Python wrote them: `python -m tests.fixtures`. */
import type { Model, ModelComparison } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import { ComparedModel, decodeModelComparison } from "../../src/tree/compared/model/compared";
import { type Listing, type Row, rowsOf } from "../../src/tree/model/rows";
import { decodeModel, TreeModel } from "../../src/tree/model/tree";
import comparisons from "./comparisons.json";
import models from "./models.json";

export type ModelName = keyof typeof models;
export const MODELS = Object.keys(models) as ModelName[];

/** A wire document of its own. */
export function wire(name: ModelName): Model {
  return reviveBytes(models[name].wire) as unknown as Model;
}

/** What Python says of it. */
export const said = (name: ModelName) => models[name].said;

export function tree(name: ModelName): TreeModel {
  return new TreeModel(decodeModel(wire(name)));
}

/** The lines of a tree; `listing` says what is not as at first. */
export function rows(of: TreeModel, listing: Partial<Listing> = {}): Row[] {
  const plain = { sort: "tree", flat: false, search: "", axis: null, flagged: false, open: new Map() } as const;
  return rowsOf(of, { ...plain, device: of.fullest, ...listing });
}

export const names = (all: readonly Row[]) => all.map((row) => row.name);

export type ComparisonName = keyof typeof comparisons;
export const COMPARISONS = Object.keys(comparisons) as ComparisonName[];

/** A comparison as a wire document of its own. */
export function comparisonWire(name: ComparisonName): ModelComparison {
  return reviveBytes(comparisons[name]) as unknown as ModelComparison;
}

export function compared(name: ComparisonName): ComparedModel {
  return new ComparedModel(decodeModelComparison(comparisonWire(name)));
}

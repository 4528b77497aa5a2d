/** The kinds of differences, and each in the form that is drawn. */
import type { ComparisonDiff, DiffLine, MemoryDiff, ProgramDiff, SearchDiff } from "../../core/document.gen";
import { MeshModel } from "../../core/mesh";
import { items } from "../../core/table";
import { decodeDocument } from "../../core/wire";
import { comparisonDiff } from "./comparison";
import type { Diff, Order } from "./diff";
import { memoryDiff } from "./memory";
import { programDiff } from "./program";
import { searchDiff } from "./search";

export type DiffDocument = ProgramDiff | MemoryDiff | ComparisonDiff | SearchDiff;

export const KINDS = ["program diff", "memory diff", "comparison diff", "search diff"] as const;

export function decodeDiff(wire: unknown): DiffDocument {
  const kind = Object(wire).kind as DiffDocument["kind"];
  const wanted = KINDS.find((one) => one === kind) ?? "program diff";
  const doc = decodeDocument(
    wire,
    wanted,
    (found) => (("rows" in found ? found.rows : found.changes) ? null : "it has no rows"),
    wanted === "memory diff" || wanted === "search diff",
  );
  if (doc.kind === "program diff") return { ...doc, lines: items(doc.lines) as DiffLine[] };
  if (doc.kind === "search diff") return { ...doc, changes: items(doc.changes) as SearchDiff["changes"] };
  return doc.kind === "memory diff" ? doc : { ...doc, changes: items(doc.changes) as ComparisonDiff["changes"] };
}

export function diffOf(doc: DiffDocument, order: Order): Diff {
  if (doc.kind === "memory diff") return memoryDiff(doc);
  if (doc.kind === "search diff") return searchDiff(doc, order);
  const mesh = new MeshModel(doc.mesh);
  return doc.kind === "program diff" ? programDiff(doc, mesh, order) : comparisonDiff(doc, mesh);
}

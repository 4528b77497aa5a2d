/** Two comparisons of types with shardings: what is elsewhere, what stops, what is sent. */
import { headOf } from "../../core/columns";
import { COMPARISON_DIFFERENCES } from "../../core/columns.gen";
import type { ComparisonChange, ComparisonDiff, ComparisonSide } from "../../core/document.gen";
import type { MeshModel } from "../../core/mesh";
import { clauses, count } from "../../core/text";
import { type Diff, lineText, named, type Row, type Side } from "./diff";

type Thing = "error" | "collectives" | "sharding" | "type";

export function comparisonDiff(doc: ComparisonDiff, mesh: MeshModel): Diff {
  return {
    name: named(...doc.names) || "function",
    about: "before and after",
    mesh,
    sides: ["before", "after"],
    verdict: doc.verdict,
    also: "",
    totals: [],
    rows: doc.changes.flatMap((change, index) => thingsOf(change).map((thing) => rowOf(change, index, thing))),
    same: [],
    sameText: count(doc.same, "unchanged operation"),
    heads: { op: headOf(COMPARISON_DIFFERENCES, "of"), source: headOf(COMPARISON_DIFFERENCES, "name") },
    words: true,
    orders: [],
    lines: [],
  };
}

/** What differs; of an operation that one of them has alone, where it is. A type that changes as its sharding is not said twice. */
function thingsOf({ before, after }: ComparisonChange): Thing[] {
  if (!before || !after) return ["sharding"];
  const all = (["error", "collectives", "sharding", "type"] as const).filter(
    (thing) => said(before, thing) !== said(after, thing),
  );
  const twice = said(before, "type") === said(before, "sharding") && said(after, "type") === said(after, "sharding");
  return all.filter((thing) => thing !== "type" || !twice);
}

function said(side: ComparisonSide, thing: Thing): string {
  switch (thing) {
    case "error":
      return side.error;
    case "collectives":
      return side.collectives.join(", ");
    case "sharding":
      return side.compiled || side.explicit;
    default:
      return side.explicit;
  }
}

const EMPTY = { error: "runs", collectives: "none", sharding: "not known", type: "stops" } as const;

function rowOf(change: ComparisonChange, index: number, thing: Thing): Row {
  const { before, after, primitive, name, times } = change;
  const side = (of: ComparisonSide | null): Side | null =>
    of && { text: said(of, thing) || EMPTY[thing], note: "", size: 0 };
  const lines = [before?.source ?? null, after?.source ?? null] as const;
  const end = primitive === "arguments" || primitive === "outputs";
  const of = end ? primitive.replace(/s$/, "") : primitive;
  return {
    index,
    change: !before ? "added" : !after ? "gone" : "changed",
    name: `${thing === "type" ? "type on Explicit" : thing}`,
    axes: [],
    over: "",
    code: (after ?? before)?.source?.text ?? (end || primitive === "array" ? name : ""),
    note: clauses(
      [end ? "" : lineText(...lines), primitive === "array" ? "array" : of, times > 1 ? `×${times}` : ""],
      " · ",
    ),
    before: side(before),
    after: side(after),
    difference: "",
    lines,
    why: [],
  };
}

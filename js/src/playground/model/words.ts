/** What a spec comes to, in a sentence. */
import type { Playground, SpecDraft } from "../../core/document.gen";
import { shardText } from "../../core/spec/forms";
import { entryAt } from "../../core/spec/spec";
import { dtypeOf } from "./playground";

/** `Each device holds f32[4,4]: rows over y, columns over x`. */
export function heldText(draft: SpecDraft, doc: Playground): string {
  const split = draft.shape.flatMap((_, d) => {
    const { axes } = entryAt(draft, d);
    const dim = draft.shape.length === 2 ? (d === 0 ? "rows" : "columns") : `dim ${d}`;
    return axes.length > 0 ? [`${dim} over ${axes.join(", ")}`] : [];
  });
  const parts = draft.unreduced.length > 0 ? [`a part of a sum over ${draft.unreduced.join(", ")}`] : [];
  const held = shardText(draft, dtypeOf(draft, doc));
  const all = [...split, ...parts];
  return all.length > 0 ? `Each device holds ${held}: ${all.join(", ")}` : `Each device holds all of it, ${held}`;
}

/** What the tooltip, the aria-label of an option and the announcement say about a shard: one source for all three. */

import { bytes } from "../../core/format";
import type { PlacementModel } from "../../core/placement";
import { coordinates, shardType, sliceText, some } from "../../core/text";
import type { BlockView } from "../../core/values";
import type { Highlight } from "./selection";

export interface Tip {
  /** `x[4:6, 8:16]`; empty for a mesh alone. */
  slice: string;
  /** `f32[2,8] · 64 B`. */
  shard: string;
  /** `device 5 at x=2, y=1`. */
  device: string;
  copies: string;
  values: string;
}

/** Describes what is highlighted; `block` has the first device's values if they were read, `wait` says why not. */
export function tipOf(model: PlacementModel, lit: Highlight, block: BlockView | null, wait: string): Tip | null {
  const [first] = lit.positions;
  if (lit.axis !== null) return null;
  const device = first === undefined ? "on no device of this mesh" : deviceText(model, first);
  if (lit.tile === null || model.doc.shape === null) return { slice: "", shard: "", device, copies: "", values: "" };
  return {
    slice: `${model.doc.name.slice(0, 80) || "array"}${sliceText(model, lit.tile)}`,
    shard: `${shardType(model, lit.tile)} · ${bytes(model.tileBytes(lit.tile))}`,
    device,
    copies: copiesText(model, lit),
    values: valuesText(model, first, block, wait),
  };
}

/** The tip as one sentence for a screen reader. */
export function tipSentence(tip: Tip): string {
  return [tip.slice, tip.shard, tip.device, tip.copies, tip.values].filter((t) => t !== "").join("; ");
}

function deviceText(model: PlacementModel, position: number): string {
  const id = model.ids[position] ?? 0;
  const at = coordinates(model, position);
  const chip = model.coords.length > 0 ? `, chip (${model.coords.map((c) => c[position]).join(",")})` : "";
  return `${model.doc.mesh.abstract ? "position" : "device"} ${id}${at ? ` at ${at}` : ""}${chip}`;
}

function copiesText(model: PlacementModel, lit: Highlight): string {
  const ids = lit.positions.map((p) => model.ids[p] ?? 0);
  const others = ids.slice(1).sort((a, b) => a - b);
  if (model.doc.unreduced.length > 0)
    return `one of ${model.partials} parts of a ${model.doc.unreduced_kind}, also on ${some(others, 5)}`;
  return others.length === 0 ? "the only copy" : `${ids.length} copies, also on ${some(others, 5)}`;
}

function valuesText(
  model: PlacementModel,
  position: number | undefined,
  block: BlockView | null,
  wait: string,
): string {
  if (position === undefined) return "";
  if (model.doc.state === "deleted") return "deleted or donated: no data is left";
  if (model.doc.state === "abstract") return "a shape and a sharding: no data yet";
  if (!model.addressable(position)) {
    return `held by process ${model.process[position] ?? 0}, not addressable here`;
  }
  if (!block) return wait;
  const { low_text: low, high_text: high, nans, infs, exact } = block.block;
  const odd = [nans > 0 ? `${nans} nan` : "", infs > 0 ? `${infs} inf` : ""].filter((t) => t !== "").join(", ");
  const range = low === "" ? (odd ? "" : "no elements") : low === high ? `value ${low}` : `values ${low} … ${high}`;
  return [range, odd, exact ? "" : "in a sample"].filter((t) => t !== "").join(" · ");
}

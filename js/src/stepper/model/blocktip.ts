/** What the tooltip and the label of a device say about a block: one source for both. */

import type { Corner } from "../../collective/model/chunks";
import type { Variable } from "../../core/document.gen";
import { bytes } from "../../core/format";
import { product, unravel } from "../../core/mesh";
import { clauses, some } from "../../core/text";
import { sharers } from "./sharers";
import type { TraceModel } from "./trace";

export interface BlockTip {
  /** `c[0,1] = 34`; `w[0:2, :]` for a whole block. */
  name: string;
  /** `f32[2,4]{V:x} · 32 B`. */
  type: string;
  /** `device 5 at x=2, y=1`. */
  device: string;
  /** Over which axes it varies, and who holds the same. */
  copies: string;
  values: string;
}

/** Describes the block of a variable on the device at a mesh position, or one of its elements. */
export function blockTip(trace: TraceModel, v: Variable, position: number, cell: number | null): BlockTip {
  const corner = trace.corner(v);
  const shape = v.shape.map((_, d) => trace.local(v, d));
  const held = bytes(Math.ceil((product(shape) * v.bits) / 8));
  return {
    name: corner && cell !== null ? element(trace, v, corner, position, cell) : trace.nameOf(v, position),
    type: `${v.type} · ${held}${v.region < 0 && held !== "0 B" ? " per device" : ""}`,
    device: deviceText(trace, position),
    copies: copiesText(trace, v, position),
    values: corner ? valuesText(corner, shape, position) : missing(trace),
  };
}

/** The tip as one sentence for a screen reader. */
export function blockSentence(tip: BlockTip): string {
  return clauses([tip.device, tip.name, tip.type, tip.copies, tip.values]);
}

/** `device 5 at x=2, y=1`. */
export function deviceText({ mesh }: TraceModel, position: number): string {
  const digits = mesh.digits(position);
  const at = mesh.axes.map((a, i) => `${a.name}=${digits[i] ?? 0}`).join(", ");
  return `${mesh.mesh.abstract ? "position" : "device"} ${mesh.ids[position] ?? 0}${at && ` at ${at}`}`;
}

function copiesText(trace: TraceModel, v: Variable, position: number): string {
  if (v.unreduced.length > 0) return `a part of a sum over ${v.unreduced.join(", ")}`;
  const same = sharers(trace, v, position);
  if (same === null) return "check_vma=False: types do not say what varies";
  const others = same.filter((p) => p !== position).map((p) => trace.mesh.ids[p] ?? 0);
  const copies = others.length === 0 ? "the only copy" : `${same.length} copies, also on ${some(others, 5)}`;
  return v.region >= 0 && v.varying.length > 0 ? `varies over ${v.varying.join(", ")}; ${copies}` : copies;
}

/** `c[0,1] = 34`, with the place of the element in the global array where it is a shard of one. */
function element(trace: TraceModel, v: Variable, corner: Corner, position: number, cell: number): string {
  const digits = trace.mesh.digits(position);
  const index = unravel(cell, corner.shape).map((at, d) => {
    const axes = v.region < 0 ? (v.dims[d]?.axes ?? []) : [];
    const part = axes.reduce((n, a) => n * trace.mesh.axisSize(a) + (digits[trace.mesh.axisOf(a)] ?? 0), 0);
    return part * trace.local(v, d) + at;
  });
  const place = index.length > 0 ? `[${index.join(",")}]` : "";
  return `${v.name}${place} = ${corner.text(corner.start(position) + cell)}`;
}

/** All values of a small block, row by row; the range of a larger one. */
function valuesText(corner: Corner, shape: readonly number[], position: number): string {
  const size = product(corner.shape);
  if (size === 0) return "no elements";
  const cut = corner.whole ? "" : `the corner [${corner.shape.join(",")}] of [${shape.join(",")}] is known: `;
  const [start, columns] = [corner.start(position), corner.shape.at(-1) ?? 1];
  const texts = Array.from({ length: size }, (_, i) => corner.text(start + i));
  if (size <= 16) {
    const rows = Array.from({ length: size / columns }, (_, r) =>
      texts.slice(r * columns, (r + 1) * columns).join(" "),
    );
    return `${cut}${size === 1 ? "value" : "values"} ${rows.join(" | ")}`;
  }
  const finite = texts.map((_, i) => i).filter((i) => Number.isFinite(corner.elements.number(start + i)));
  const odd = size - finite.length;
  finite.sort((a, b) => corner.elements.number(start + a) - corner.elements.number(start + b));
  const [low, high] = [texts[finite[0] ?? -1], texts[finite.at(-1) ?? -1]];
  const range = low === undefined ? "" : low === high ? `all values ${low}` : `values ${low} … ${high}`;
  return cut + clauses([range, odd > 0 ? `${odd} nan or inf` : ""], ", ");
}

function missing(trace: TraceModel): string {
  return trace.doc.engine === "types"
    ? "metadata only: types were traced, nothing was run"
    : "metadata only: no values were kept";
}

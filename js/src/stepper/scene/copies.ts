/** Copies of a block, in the words that stand beside its name. */

import type { Variable } from "../../core/document.gen";
import { axisToken, type Span } from "../../draw/marks";
import { copiedOver } from "../model/sharers";
import type { TraceModel } from "../model/trace";

/** ` ×2 y`: how many devices hold the same, along which axes; nothing where each has its own, or types do not tell. */
export function copiesSpans(trace: TraceModel, v: Variable): Span[] {
  const { mesh } = trace;
  const axes = copiedOver(trace, v).filter((axis) => (mesh.meshShape[axis] ?? 1) > 1);
  if (axes.length === 0) return [];
  const times = axes.reduce((n, axis) => n * (mesh.meshShape[axis] ?? 1), 1);
  const names = axes.map((axis): Span => ({ text: ` ${mesh.axes[axis]?.name}`, color: axisToken(axis), weight: 700 }));
  return [{ text: ` ×${times}`, color: "ink", weight: 700 }, ...names];
}

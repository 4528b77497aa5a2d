/** Who holds the same block, as types say it. */

import type { Variable } from "../../core/document.gen";
import type { TraceModel } from "./trace";

/** Mesh axes along which devices hold the same block by its type; none where types do not tell. */
export function copiedOver(trace: TraceModel, v: Variable): readonly number[] {
  const region = trace.doc.regions[v.region];
  if (region && !region.check_vma) return [];
  const own = region ? v.varying : v.dims.flatMap((d) => d.axes);
  return trace.mesh.axes.flatMap(({ name }, axis) => {
    const equal =
      !own.includes(name) && !v.unreduced.includes(name) && (region === undefined || region.manual.includes(name));
    return equal ? [axis] : [];
  });
}

/** Mesh positions that hold the same block by its type, this one included; null where types do not tell. */
export function sharers(trace: TraceModel, v: Variable, position: number): readonly number[] | null {
  const { mesh } = trace;
  const region = trace.doc.regions[v.region];
  if (region && !region.check_vma) return null;
  const equal = new Set(copiedOver(trace, v));
  const digits = mesh.digits(position);
  const all = Array.from({ length: mesh.size }, (_, p) => p);
  return all.filter((p) => mesh.digits(p).every((digit, axis) => equal.has(axis) || digit === digits[axis]));
}

/** The number formats of a step: one per variable, and one for what a collective moves, its result and its sums. */

import type { Corner } from "../../collective/model/chunks";
import type { Step, Variable } from "../../core/document.gen";
import { product } from "../../core/mesh";
import { formatOf, kindOf, type NumberFormat, type Value } from "../../core/numbers";
import { reduces, type TraceModel } from "./trace";

export type Formats = ReadonlyMap<number, NumberFormat>;

/** Formats by the ids of a step's variables and of others that are shown beside them. */
export function formatsOf(trace: TraceModel, step: Step, others: readonly Variable[] = []): Formats {
  const formats = new Map<number, NumberFormat>();
  const get = (ids: readonly number[]) => ids.flatMap((id) => trace.variable(id) ?? []);
  const shown = [...get(step.inputs), ...get(step.outputs), ...others];
  const moved = trace.communicates(step) ? [step.inputs[0] ?? -1, trace.given(step)?.id ?? -1] : [];
  const together = get(moved).flatMap((v) => trace.corner(v) ?? []);
  const first = together[0];
  if (first) {
    const sums = reduces(step.collective) ? sumsOf(trace, step, first) : [];
    const format = formatOf(kindOf(first.elements.format, shown[0]?.type), together.flatMap(valuesOf), sums);
    for (const id of moved) formats.set(id, format);
  }
  for (const v of shown) {
    const corner = trace.corner(v);
    if (corner && !formats.has(v.id))
      formats.set(v.id, formatOf(kindOf(corner.elements.format, v.type), valuesOf(corner)));
  }
  return formats;
}

/** A format is chosen by at most this many numbers. */
const MOST = 4096;

function valuesOf({ elements }: Corner): Value[] {
  const every = Math.max(1, Math.ceil(elements.length / MOST));
  return Array.from({ length: Math.ceil(elements.length / every) }, (_, i) => elements.value(i * every));
}

/** What stands on the way to a sum: each run of members round the ring, as far as there are not too many. */
function sumsOf(trace: TraceModel, step: Step, corner: Corner): Value[] {
  const c = step.collective;
  if (c?.semantics.combines !== "sum") return [];
  const size = product(corner.shape);
  const groups = trace.groups(c);
  const work = groups.length * c.group_size * size;
  const starts = work * c.group_size <= 8 * MOST ? c.group_size : work <= 8 * MOST ? 1 : 0;
  const sums: Value[] = [];
  for (const group of starts > 0 ? groups : groups.slice(0, 1)) {
    for (let start = 0; start < Math.max(1, Math.min(starts, group.length)); start++) {
      for (let i = 0; i < Math.min(size, MOST / 8); i++) {
        let [re, im] = [0, 0];
        for (let k = 0; k < group.length; k++) {
          const p = group[(start + k) % group.length] ?? 0;
          const v = corner.elements.value(corner.start(p) + i);
          [re, im] = [re + v[0], im + v[1]];
          if (k > 0) sums.push([re, im]);
        }
      }
    }
  }
  return sums;
}

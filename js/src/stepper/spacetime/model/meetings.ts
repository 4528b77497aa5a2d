/** What a block that stays has met: the blocks that came round and were computed with it, by device. */
import type { Variable } from "../../../core/document.gen";
import { unpack } from "../../../core/ints";
import { originsOf, originVariable, ownBlocks } from "../../model/origins";
import { permutes } from "../../model/semantics";
import type { TraceModel } from "../../model/trace";

export interface Met {
  /** The block that stays: `q`. */
  name: string;
  /** The blocks that travel: `k, v`. */
  of: string;
  /** By row and mesh position: the devices whose blocks were met before the next row; null for rows of other blocks. */
  rows: readonly (readonly ReadonlySet<number>[] | null)[];
  /** The step after which every block that stays has met the blocks of all devices; -1 where none is. */
  last: number;
  /** Iterations after which that is so; 0 where it is not known. */
  complete: number;
}

interface Meeting {
  step: number;
  stays: Variable;
  moves: Variable;
}

/** Blocks that are only put beside each other have not met. */
const JOINS: ReadonlySet<string> = new Set(["concatenate", "dynamic_update_slice", "select_n", "stack"]);

/** The block that meets most, followed through all rows; null where none meets blocks of several devices. */
export function meetings(
  trace: TraceModel,
  rows: readonly { steps: readonly number[]; shown: readonly Variable[] }[],
): Met | null {
  const root = (v: Variable) => originVariable(trace, v).id;
  const [travelling, given] = [new Set<number>(), new Set<number>()];
  for (const step of trace.steps) {
    const sent = trace.variable(step.inputs[0] ?? -1);
    if (sent && trace.communicates(step) && permutes(step.collective)) travelling.add(root(sent));
    if (step.primitive === "in_specs") for (const id of step.outputs) given.add(id);
  }
  const all = trace.steps.flatMap((step, i) =>
    trace.communicates(step) || JOINS.has(step.primitive) ? [] : pairs(step.inputs, i),
  );
  function pairs(inputs: readonly number[], step: number): Meeting[] {
    const known = inputs.flatMap((id) => trace.variable(id) ?? []).filter((v) => v.region >= 0);
    return known.flatMap((stays) =>
      given.has(root(stays)) && ownBlocks(trace, stays)
        ? known.flatMap((moves) => (moves !== stays && travelling.has(root(moves)) ? [{ step, stays, moves }] : []))
        : [],
    );
  }
  const distances = (id: number) =>
    new Set(all.flatMap(({ stays, moves }) => (root(stays) === id ? [originsOf(trace, moves, 0).join()] : []))).size;
  const [best] = [...new Set(all.map(({ stays }) => root(stays)))].sort((a, b) => distances(b) - distances(a));
  if (best === undefined || distances(best) < 2) return null;
  const own = all.filter(({ stays, moves }) => root(stays) === best && originsOf(trace, moves, 0).length === 1);
  const moving = new Set(own.map(({ moves }) => root(moves)));
  const met = Array.from({ length: trace.mesh.size }, () => new Set<number>());
  let next = 0;
  let last = -1;
  const name = (id: number) => trace.variable(id)?.name ?? "";
  const found = {
    name: name(best),
    of: [...moving].map(name).join(", "),
    rows: rows.map(({ shown }, i) => {
      const until = rows[i + 1]?.steps[0] ?? trace.steps.length;
      for (let m = own[next]; m && m.step < until; m = own[++next]) {
        const { active = null } = trace.step(m.step) ?? {};
        const works = active && new Set(unpack(active));
        for (const [p, devices] of met.entries()) {
          if (works && !works.has(p)) continue;
          const [from = -1] = originsOf(trace, m.moves, p);
          if (from >= 0) devices.add(from);
        }
        if (last < 0 && met.every((devices) => devices.size === met.length)) last = m.step;
      }
      return shown.some((v) => moving.has(root(v))) ? met.map((devices) => new Set(devices)) : null;
    }),
  };
  return { ...found, last, complete: 0 };
}

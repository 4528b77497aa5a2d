/** The list of steps: folded by function, named scope and loop, or those that match what is searched for. */
import type { Step, Trace } from "../../core/document.gen";
import { bytes } from "../../core/format";
import { permutes } from "./semantics";
import { primitiveName, type TraceModel } from "./trace";

/** A row: a step, or a scope whose steps may be folded into it. */
export interface Row {
  step: number;
  scope: number | null;
  /** Number of steps in a folded scope. */
  count: number;
  /** On paper: the last of the iterations that are folded together. */
  until?: number;
  depth: number;
}

export interface Listing {
  trace: TraceModel;
  /** Scopes whose steps stand one by one. */
  open: ReadonlySet<number>;
  search: string;
  /** Leave out steps that only move shapes. */
  fold: boolean;
  /** Leave out steps that send nothing. */
  sends: boolean;
}

/** What the list shows. */
export function rowsOf({ trace, open, search, fold, sends }: Listing): Row[] {
  const wanted = search.trim().toLowerCase();
  const rows: Row[] = [];
  const named = new Set<number>();
  // A word of the source occurs in many steps: steps of that name come first.
  const called = wanted !== "" && trace.steps.some((s) => s.primitive.includes(wanted));
  trace.steps.forEach((s, step) => {
    if ((fold && s.shape_only) || (sends && !trace.communicates(s))) return;
    if (wanted !== "" || sends) {
      if ((called ? s.primitive : words(trace, s)).includes(wanted))
        rows.push({ step, scope: null, count: 1, depth: 0 });
      return;
    }
    const path = pathOf(trace.doc, s);
    const shut = path.findIndex((scope) => !open.has(scope));
    const last = rows.at(-1);
    for (const [depth, scope] of path.slice(0, shut < 0 ? path.length : shut).entries()) {
      // An open scope is named once, over its first step.
      if (!named.has(scope)) rows.push({ step, scope, count: 0, depth });
      named.add(scope);
    }
    const closed = path[shut];
    if (closed === undefined) rows.push({ step, scope: null, count: 1, depth: path.length });
    else if (last?.scope === closed && last.count > 0) last.count += 1;
    else rows.push({ step, scope: closed, count: 1, depth: shut });
  });
  return rows;
}

/** What paper lists: every step; of a long program the iterations of a loop after its first in one row. */
export function rowsOnPaper(trace: TraceModel): { rows: Row[]; open: ReadonlySet<number> } {
  const { scopes, steps } = trace.doc;
  const whole = steps.length <= WHOLE;
  const open = new Set([...scopes.keys()].filter((k) => whole || !scopes[k]?.iteration));
  const rows: Row[] = [];
  for (const row of rowsOf({ trace, open, search: "", fold: false, sends: false })) {
    const last = rows.at(-1);
    const loop = (of: Row | undefined) => (of?.count && of.scope !== null ? scopes[of.scope]?.parent : undefined);
    if (last && loop(row) !== undefined && loop(row) === loop(last)) {
      last.count += row.count;
      last.until = row.scope ?? 0;
    } else rows.push(row);
  }
  return { rows, open };
}

/** Steps up to which paper opens every iteration, as in `export/trace.py`. */
const WHOLE = 200;

/** The scopes that a step stands in, the outermost first. */
export function pathOf({ scopes }: Trace, step: Step | null): number[] {
  const path: number[] = [];
  for (let at = step?.scope ?? -1; at >= 0; at = scopes[at]?.parent ?? -1) path.unshift(at);
  return path;
}

/** The first later step that is in at most this many scopes; the last step where there is none. */
export function stepAfter(doc: Trace, step: number, depth: number): number {
  const outer = pathOf(doc, doc.steps[step] ?? null).slice(0, Math.max(0, depth));
  const stays = (s: Step) => {
    const path = pathOf(doc, s);
    return path.length <= outer.length || path[outer.length - 1] !== outer.at(-1);
  };
  const found = doc.steps.findIndex((s, k) => k > step && stays(s));
  return found < 0 ? doc.steps.length - 1 : found;
}

/** Scopes to open at first: all of a short program, else the outer ones while the list stays short. */
export function openAtFirst({ scopes, steps }: Trace): ReadonlySet<number> {
  if (steps.length <= FEW) return new Set(scopes.keys());
  const inside = scopes.map(() => 0);
  let rows = 0;
  const count = (parent: number) => {
    if (parent < 0) rows += 1;
    else inside[parent] = (inside[parent] ?? 0) + 1;
  };
  for (const s of steps) count(s.scope);
  for (const s of scopes) count(s.parent);
  const open = new Set<number>();
  // A scope comes after the one around it.
  scopes.forEach(({ parent }, scope) => {
    const more = inside[scope] ?? 0;
    if ((parent >= 0 && !open.has(parent)) || rows + more > ROWS) return;
    open.add(scope);
    rows += more;
  });
  return open;
}

/** Steps up to this many are all listed one by one at first; else rows up to that many. */
const FEW = 60;
const ROWS = 24;

function words(trace: TraceModel, s: Step): string {
  const names = s.outputs.map((id) => `${trace.variable(id)?.name ?? ""} ${trace.variable(id)?.type ?? ""}`);
  const scopes = pathOf(trace.doc, s).map((scope) => trace.doc.scopes[scope]?.name ?? "");
  return [s.primitive, s.collective?.axes.join(" ") ?? "", s.source?.text ?? "", ...names, ...scopes]
    .join(" ")
    .toLowerCase();
}

/** Whether a loop, or a line again and again, sends blocks on: what that does is seen in all of its turns at once. */
export function loops(trace: TraceModel): boolean {
  const seen = new Map<string, Set<number>>();
  return trace.steps.some((step, at) => {
    if (!permutes(trace.sends(step))) return false;
    const scopes = pathOf(trace.doc, step).flatMap((scope) => trace.doc.scopes[scope] ?? []);
    const turn = scopes.find(({ kind }) => kind === "iteration");
    const { file, line } = step.source ?? { file: "", line: at };
    const key = turn ? `${turn.parent} ${turn.name}` : `${file}:${line}`;
    const turns = seen.get(key) ?? new Set();
    seen.set(key, turns.add(turn?.iteration ?? at));
    // A line may send on two blocks.
    return turns.size > (turn ? 1 : 2);
  });
}

/** What a step is called in the list. */
export function nameOf(trace: TraceModel, step: Step): string {
  return step.primitive === "error" ? (trace.doc.error?.error ?? "error") : primitiveName(step);
}

/** What is said of a step after its name. */
export function remark(trace: TraceModel, step: Step): string {
  if (step.primitive === "error") return "stops here";
  if (step.implicit) {
    const [input, output] = [step.inputs, step.outputs].map(([id = -1]) => trace.variable(id)?.varying ?? []);
    const gained = output?.filter((axis) => !input?.includes(axis)).join(", ");
    return gained ? `varies over ${gained}, too` : "inserted by JAX";
  }
  if (trace.end(step) === "done") return "receives";
  if (step.collective) {
    const sent = step.collective.bytes_per_device;
    const at = trace.iterations(step);
    return `${sent > 0 ? `${bytes(sent)} per device` : "no communication"}${at && `, ${at}`}`;
  }
  if (step.primitive === "in_specs") return "split into blocks";
  if (step.primitive === "out_specs") return "assemble";
  return "local";
}

/** A trace as rows of devices: whose blocks they hold after each step that sends, and what goes between two rows. */
import type { Collective, Scope, Step, Variable } from "../../../core/document.gen";
import { originVariable, ownBlocks } from "../../model/origins";
import { permutes, tells } from "../../model/semantics";
import type { TraceModel } from "../../model/trace";
import { type Home, homeOf } from "./home";
import { type Met, meetings } from "./meetings";
import { meanwhileSteps } from "./transit";

export interface SpaceRow {
  /** Steps that are shown as one: equal collectives, one after another. */
  steps: readonly number[];
  /** What devices hold after them. */
  shown: readonly Variable[];
  /** The same, by whose blocks they are: variables that went the same way stand together, in one piece of a tile. */
  blocks: readonly (readonly Variable[])[];
  /** A row of blocks that are held since an earlier one, and are sent next. */
  again: boolean;
  /** What is sent on the way to this row; null for a local step. */
  collective: Collective | null;
  /** The loops that it stands in, the outermost first. */
  path: readonly Place[];
  /** Steps before it that have no row, of those that run while a transfer is under way. */
  skipped: number;
}

/** A place in a loop: index of the loop, and of the iteration. */
export interface Place {
  loop: number;
  iteration: number;
}

/** A loop as it ran once: its rows stand together, and may be folded to the first iteration and the last row. */
export interface Loop {
  name: string;
  /** Loops around it. */
  depth: number;
  /** How often it runs; null where that is not known. */
  total: number | null;
  /** Iterations that the trace has, with rows or without. */
  iterations: readonly number[];
}

export interface SpaceTime {
  rows: readonly SpaceRow[];
  loops: readonly Loop[];
  /** Which blocks that travel a block that stays was computed with, by row; null where there is no such block. */
  met: Met | null;
  /** The last hop of a ring, where it only brings blocks back to their own devices and nothing reads them there. */
  home: Home | null;
}

/** Blocks of a row that are drawn. */
const MAX_BLOCKS = 4;

/** The rows of a trace: its beginning, what makes the blocks that are sent, and what sends. */
export function spaceTime(trace: TraceModel): SpaceTime {
  const made = new Map<number, number>();
  trace.steps.forEach((s, i) => {
    for (const id of s.outputs) made.set(id, i);
  });
  const followed = new Set(trace.doc.variables.flatMap((v) => (v.origin ? [v.origin.variable] : [])));
  const meanwhile = meanwhileSteps(trace);
  const wanted = new Set(meanwhile.keys());
  trace.steps.forEach((s, i) => {
    if (s.primitive === "in_specs") wanted.add(i);
    if (!trace.communicates(s)) return;
    wanted.add(i);
    // A block that was only moved or reshaped counts as the one that it was at first.
    const before = madeAt(trace, s, made);
    const maker = trace.step(before);
    if (maker && !maker.shape_only && !maker.implicit && maker.primitive !== "scan") wanted.add(before);
  });
  const loops = new Loops(trace);
  const rows: Omit<SpaceRow, "blocks">[] = [];
  for (const i of [...wanted].sort((a, b) => a - b)) {
    const step = trace.step(i) as Step;
    // What starts a transfer shows what is sent, and what stops at a future that.
    const starts = trace.end(step) === "start";
    const ids = starts ? step.inputs.slice(0, 1) : step.outputs.length > 0 ? step.outputs : step.inputs;
    const outputs = ids.flatMap((id) => trace.variable(id) ?? []).filter((v) => v.region >= 0);
    const known = outputs.filter((v) => followed.has(v.id));
    const begins = step.primitive === "in_specs";
    const some = known.length > 0 ? known : outputs.slice(0, 1);
    const shown = begins ? outputs.filter((v) => some.includes(v) || outputs.length <= MAX_BLOCKS) : some;
    if (shown.length === 0) continue;
    const path = loops.path(step);
    const c = trace.communicates(step) && !starts ? step.collective : null;
    const last = rows.at(-1);
    const same =
      c !== null &&
      trace.end(step) === null &&
      last?.collective != null &&
      last.path === path &&
      last.collective.kind === c.kind &&
      last.collective.axes.join() === c.axes.join() &&
      !step.inputs.some((id) => last.shown.some((v) => v.id === id)) &&
      madeAt(trace, step, made) < (last.steps[0] ?? i);
    if (same && last) rows[rows.length - 1] = { ...last, steps: [...last.steps, i], shown: [...last.shown, ...shown] };
    else rows.push({ steps: [i], shown, again: false, collective: c, path, skipped: meanwhile.get(i) ?? 0 });
  }
  const all = rows.flatMap((row, i) => [...heldBefore(trace, row, rows[i - 1], made), row]);
  const grouped = all.map((row) => ({ ...row, blocks: blocksOf(trace, row.shown, row.collective !== null) }));
  const met = meetings(trace, grouped);
  return {
    rows: grouped,
    loops: loops.all,
    met: met && metInLoops(trace, grouped, loops, met),
    home: homeOf(trace, grouped, (step) => loops.path(step)),
  };
}

/** What blocks have met, as far as it is known where iterations were not recorded. */
function metInLoops(trace: TraceModel, rows: readonly SpaceRow[], loops: Loops, met: Met): Met {
  const after = ({ loop, iteration }: Place) =>
    loops.all[loop]?.iterations.some((i, k, all) => i <= iteration && i !== (all[k - 1] ?? -1) + 1);
  const all = (devices: readonly ReadonlySet<number>[]) => devices.every(({ size }) => size === devices.length);
  const cut = rows.findIndex(({ path }) => path.some(after));
  const step = trace.step(met.last);
  const [place, inner] = step ? loops.path(step) : [];
  return {
    ...met,
    rows: met.rows.map((row, i) => (row && cut >= 0 && i >= cut - 1 && !all(row) ? null : row)),
    complete: place && !inner && !after(place) ? place.iteration + 1 : 0,
  };
}

/** The step that made what a collective sends, before it was moved and reshaped: -1 where no step did. */
function madeAt(trace: TraceModel, step: Step, made: ReadonlyMap<number, number>): number {
  const v = trace.variable(step.inputs[0] ?? -1);
  return (v && (made.get(originVariable(trace, v).id) ?? made.get(v.id))) ?? -1;
}

/** Tells apart whose blocks variables are: equal for two that hold the same blocks at the same places. */
function whose(trace: TraceModel, v: Variable): string {
  const place = v.origin && !ownBlocks(trace, v) ? trace.origins(v.origin).join() : "";
  return `${originVariable(trace, v).id} ${place}`;
}

/** A row of what a collective sends, where the row above it does not show that. */
function heldBefore(
  trace: TraceModel,
  row: Omit<SpaceRow, "blocks">,
  above: Omit<SpaceRow, "blocks"> | undefined,
  made: ReadonlyMap<number, number>,
): Omit<SpaceRow, "blocks">[] {
  const receives = row.steps.some((i) => trace.end(trace.step(i) as Step) === "done");
  if (!row.collective || !above || receives) return [];
  const shown = row.steps.flatMap((i) => trace.variable(trace.step(i)?.inputs[0] ?? -1) ?? []);
  const there = new Set(above.shown.map((v) => whose(trace, v)));
  if (shown.length === 0 || shown.some((v) => there.has(whose(trace, v)))) return [];
  const [sends = 0] = row.steps;
  const step = trace.step(sends);
  const first = step ? madeAt(trace, step, made) : -1;
  return [{ ...row, steps: [first < 0 ? sends : first], shown, again: true, collective: null }];
}

/** Variables of one way stand together; those of a local step, each alone. */
function blocksOf(trace: TraceModel, shown: readonly Variable[], sent: boolean): readonly (readonly Variable[])[] {
  const blocks = new Map<string, Variable[]>();
  for (const v of shown) {
    const key = !sent ? String(v.id) : v.origin && !ownBlocks(trace, v) ? trace.origins(v.origin).join() : "";
    blocks.set(key, [...(blocks.get(key) ?? []), v]);
  }
  return [...blocks.values()].slice(0, MAX_BLOCKS);
}

/** The loops of a trace. */
class Loops {
  readonly all: (Loop & { iterations: number[] })[] = [];
  /** By scope of an iteration: its place. */
  readonly #places = new Map<number, readonly Place[]>();
  /** By what is around a loop, and its name: the loop that ran there last, and its last iteration. */
  readonly #latest = new Map<string, Place>();

  constructor(readonly trace: TraceModel) {
    for (const scope of trace.doc.scopes.keys()) this.#within(scope);
  }

  /** Where a step stands: equal steps of one iteration get the same object. */
  path(step: Step): readonly Place[] {
    return this.#within(step.scope);
  }

  #within(at: number): readonly Place[] {
    const scope = this.trace.doc.scopes[at];
    if (!scope) return OUTSIDE;
    const known = this.#places.get(at);
    if (known) return known;
    const around = this.#within(scope.parent);
    const path = scope.kind === "iteration" ? [...around, this.#place(scope, around.length)] : around;
    this.#places.set(at, path);
    return path;
  }

  #place({ parent, name, iteration, times }: Scope, depth: number): Place {
    const key = `${parent} ${name}`;
    const latest = this.#latest.get(key);
    // A loop that begins again is another one.
    const loop =
      latest && latest.iteration < iteration
        ? latest.loop
        : this.all.push({ name, depth, total: times, iterations: [] }) - 1;
    this.all[loop]?.iterations.push(iteration);
    const place = { loop, iteration };
    this.#latest.set(key, place);
    return place;
  }
}

const OUTSIDE: readonly Place[] = [];

/** A row that is drawn. */
export interface VisibleRow {
  row: SpaceRow;
  /** Its index among all rows. */
  index: number;
  /** Iterations left out above it, 0 for a part of one; null where it follows the visible row above it in the program. */
  leftOut: number | null;
}

/** Rows that are drawn: those of loops that are not open are the first iteration's, and the loop's last one. */
export function visibleRows({ rows, loops }: SpaceTime, open: ReadonlySet<number>): readonly VisibleRow[] {
  const first = loops.map(() => Number.POSITIVE_INFINITY);
  const last = loops.map(() => -1);
  rows.forEach(({ path }, index) => {
    for (const { loop, iteration } of path) {
      first[loop] = Math.min(first[loop] ?? 0, iteration);
      last[loop] = index;
    }
  });
  const visible: VisibleRow[] = [];
  rows.forEach((row, index) => {
    const drawn = row.path.every(
      ({ loop, iteration }) => open.has(loop) || iteration === first[loop] || last[loop] === index,
    );
    if (drawn) visible.push({ row, index, leftOut: leftOut(loops, visible.at(-1), row, index) });
  });
  return visible;
}

function leftOut(
  loops: readonly Loop[],
  above: VisibleRow | undefined,
  { path }: SpaceRow,
  index: number,
): number | null {
  if (!above) return null;
  const before = (level: number) => above.row.path[level];
  const place = path.find((at, i) => before(i)?.loop === at.loop && before(i)?.iteration !== at.iteration);
  const latest = above.row.path.find((at) => at.loop === place?.loop);
  const between = place && latest ? place.iteration - latest.iteration - 1 : 0;
  if (index > above.index + 1) return between;
  // Iterations without a row are there, and nothing is left out of them.
  const inside = (i: number) => place && latest && i > latest.iteration && i < place.iteration;
  return between - (loops[place?.loop ?? -1]?.iterations.filter(inside).length ?? 0) || null;
}

/** What goes from device to device on the way to a row: pairs of mesh positions; groups that combine their blocks. */
export function linksOf(
  trace: TraceModel,
  c: Collective,
): { pairs: readonly (readonly [from: number, to: number])[]; knots: readonly (readonly number[])[] } {
  const groups = trace.groups(c);
  if (c.semantics.combines !== "") return { pairs: [], knots: groups };
  const plan = c.plans.flatMap((i) => trace.doc.plans[i] ?? [])[0];
  const named = permutes(c) || tells(c) ? plan?.rounds[0]?.flatMap((m) => m.pairs) : null;
  const pairs = groups.flatMap((g) =>
    named
      ? named.flatMap(([a, b]) => {
          const [from, to] = [g[a], g[b]];
          return from === undefined || to === undefined ? [] : [[from, to] as const];
        })
      : g.flatMap((from) => g.flatMap((to) => (from === to ? [] : [[from, to] as const]))),
  );
  return { pairs, knots: [] };
}

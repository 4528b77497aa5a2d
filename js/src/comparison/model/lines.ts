/** The lines of a comparison's table: rows, what stops them, collectives, and the heads of what they are folded in. */

import type { HloCollective, Layout, Row } from "../../core/document.gen";
import type { ComparisonModel } from "./comparison";

export type Filter = "all" | "differs" | "errors" | "collectives" | "replications";

interface Place {
  readonly depth: number;
  /** Depth inside of the innermost scope that changes the types of the mesh's axes; 0 for none. */
  readonly bracket: number;
}

export type Line = Place & { readonly key: string; readonly row: number } & (
    | {
        readonly kind: "row";
        /** Rows that it stands for, itself the last: one line made them, with equal shardings. */
        readonly members: readonly number[];
        /** The first row of those that say the same, together or apart. */
        readonly head: number;
        /** Whether the line above comes from the same line of source. */
        readonly again: boolean;
        /** Scopes that are not on screen as heads: of a row that was searched for. */
        readonly trail: readonly number[];
      }
    | { readonly kind: "stop" }
    | { readonly kind: "collective"; readonly collective: number }
    | { readonly kind: "fold"; readonly scope: number; readonly stop: number; readonly open: boolean }
    /**
     * Lines that are as their types say, or that are those above again, so many times, as one: the lines themselves, and
     * whether they stand below it.
     */
    | { readonly kind: "same"; readonly of: readonly Line[]; readonly times: number; readonly open: boolean }
  );

export type RowLine = Line & { kind: "row" };

/** Consecutive rows in one scope, some of them in further ones. */
export interface Run {
  readonly scope: number;
  readonly first: number;
  /** One past the last row. */
  stop: number;
  readonly items: (number | Run)[];
}

export interface Shown {
  /** Scopes whose rows are shown one by one. */
  open: ReadonlySet<number>;
  /** First rows of lines whose rows are shown one by one. */
  apart?: ReadonlySet<number>;
  /** First rows of lines that are all as typed, and shown one by one; undefined: all are shown. */
  spread?: ReadonlySet<number> | undefined;
  search: string;
  filter: Filter;
  /** Whether it is a picture, in which nobody can open lines that are as typed. */
  picture?: boolean;
}

/** The rows as a tree of their scopes. */
export function treeOf(model: ComparisonModel): Run {
  const root: Run = { scope: -1, first: 0, stop: model.rows.length, items: [] };
  let stack = [root];
  model.rows.forEach((_, index) => {
    const trail = model.trail(index);
    let same = 0;
    while (same < trail.length && stack[same + 1]?.scope === trail[same]) same++;
    for (const run of stack.slice(same + 1)) run.stop = index;
    stack = stack.slice(0, same + 1);
    for (const scope of trail.slice(same)) {
      const run: Run = { scope, first: index, stop: model.rows.length, items: [] };
      stack.at(-1)?.items.push(run);
      stack.push(run);
    }
    stack.at(-1)?.items.push(index);
  });
  return root;
}

/** Lines up to this many are shown at first. */
const FEW = 60;
/** Rows of an only scope are shown up to this many. */
const MANY = 400;

/** What is open at first: the outer scopes, as far as the table stays short, and what is around an error. */
export function openAtFirst(model: ComparisonModel, tree: Run): Set<number> {
  const open = new Set<number>();
  let count = tree.items.length;
  for (let level = runs(tree); level.length > 0; level = level.filter((r) => open.has(r.scope)).flatMap(runs)) {
    const alone = level.length === 1 && count <= 3;
    for (const run of level) {
      if (open.has(run.scope) || count + run.items.length > (alone ? MANY : FEW)) continue;
      open.add(run.scope);
      count += run.items.length;
    }
  }
  const stop = model.rows.findIndex((r) => r.error !== null);
  for (const scope of stop < 0 ? [] : model.trail(stop)) open.add(scope);
  return open;
}

export function linesOf(model: ComparisonModel, tree: Run, shown: Shown): readonly Line[] {
  const wanted = shown.search.trim().toLowerCase();
  if (wanted !== "" || shown.filter !== "all") {
    const found = model.rows.flatMap((_, i) =>
      passes(model, i, shown.filter) && model.words(i).includes(wanted) ? [i] : [],
    );
    return found.flatMap((row, i) => {
      const before = found[i - 1] ?? -1;
      const again = sameSource(model, before, row) && model.row(before)?.scope === model.row(row)?.scope;
      return linesOfRow(model, row, TOP, again, again ? [] : model.trail(row));
    });
  }
  const lines: Line[] = [];
  const add = (run: Run, place: Place) => {
    for (const item of run.items) {
      if (typeof item === "number") {
        const last = lines.at(-1);
        if (last?.kind === "row" && joins(model, last.row, item)) {
          const { head, members } = last;
          if (shown.apart?.has(head)) lines.push({ ...rowLine(item, place, true, []), head });
          else lines[lines.length - 1] = { ...last, row: item, members: [...members, item] };
          continue;
        }
        const again = last !== undefined && last.kind !== "fold" && sameSource(model, last.row, item);
        lines.push(...linesOfRow(model, item, place, again, []));
      } else if (single(model, item)) {
        lines.push(...linesOfRow(model, item.first, place, false, model.trail(item.first).slice(-1)));
      } else {
        const open = shown.open.has(item.scope);
        const { scope, first, stop } = item;
        lines.push({ kind: "fold", key: `f${scope}.${first}`, ...place, row: first, scope, stop, open });
        const depth = place.depth + 1;
        const typed = (model.doc.scopes[scope]?.axis_types.length ?? 0) > 0;
        if (open) add(item, { depth, bracket: typed ? depth : place.bracket });
      }
    }
  };
  add(tree, TOP);
  if (!shown.spread || lines.length <= FITS) return lines;
  const once = repeatsFolded(model, lines, shown.spread, shown.apart);
  return shown.picture ? once : quietFolded(model, once, shown.spread, shown.apart);
}

/** Rows that a line stands for; none where other lines stand for them. */
export function rowsOf(line: Line): readonly number[] {
  if (line.kind === "row") return line.members;
  if (line.kind === "fold") return line.open ? [] : range(line.row, line.stop);
  return line.kind === "same" && !line.open ? line.of.flatMap(rowsOf) : [];
}

/** One past the last row of what is folded. */
export function stopOf(line: Line & { kind: "fold" | "same" }): number {
  return line.kind === "fold" ? line.stop : Math.max(...line.of.flatMap(rowsOf)) + 1;
}

/** Lines up to this many are not folded any further: they fit, or nearly. */
const FITS = 14;
/** Fewer lines are not folded into one. */
const FEWEST = 3;

/** The most lines of a pass of a loop that is written out. */
const PASS = 60;

/** The passes of a loop that is written out: what is after the first one as one line, where it says the same. */
function repeatsFolded(
  model: ComparisonModel,
  lines: readonly Line[],
  spread: ReadonlySet<number>,
  apart?: ReadonlySet<number>,
): readonly Line[] {
  const isApart = (line: Line) => line.kind === "row" && apart?.has(line.head);
  const texts = lines.map((line) => (isApart(line) ? line.key : contentOf(model, line)));
  /** How many times the lines from one on are repeated. */
  const repeats = (from: number, size: number) => {
    let end = from + size;
    while (end < lines.length && texts[end] === texts[end - size]) end++;
    return Math.floor((end - from) / size) - 1;
  };
  const result: Line[] = [];
  for (let i = 0; i < lines.length; ) {
    let [size, times] = [1, 0];
    for (let n = 1; n <= PASS && times === 0; n++) {
      const found = texts[i + n] === texts[i] ? repeats(i, n) : 0;
      if (found * n >= FEWEST) [size, times] = [n, found];
    }
    result.push(...lines.slice(i, i + size));
    const of = lines.slice(i + size, i + size * (times + 1));
    i += size * (times + 1);
    const [first] = of;
    if (!first) continue;
    const { depth, bracket, row } = first;
    const open = spread.has(row);
    result.push({ kind: "same", key: `t${row}`, depth, bracket, row, of, times, open }, ...(open ? of : []));
  }
  return result;
}

/** What a line says, whichever row it is of. */
function contentOf(model: ComparisonModel, line: Line): string {
  const own = rowsOf(line);
  const rows = own.length > 0 ? own : [line.row];
  const op = line.kind === "collective" ? model.collective(line.collective) : null;
  return JSON.stringify([line.kind, line.depth, op && effectOf(op), rows.map((row) => saysOf(model, row))]);
}

/** What is to be looked at in a row, whichever it is. */
function saysOf(model: ComparisonModel, at: number): unknown {
  const row = model.row(at);
  if (!row || ENDS.has(row.primitive)) return at;
  const { primitive, source, values, remark, error, decision } = row;
  const placed = values.map(({ explicit, concrete, agreement }) => [explicit?.text, concrete?.text, agreement]);
  const ops = row.collectives.flatMap((c) => model.collective(c) ?? []).map(effectOf);
  return [primitive, source?.file, source?.line, placed, remark, decision, error ? at : 0, ops];
}

const effectOf = ({ kind, axes, bytes_per_device, by_user }: HloCollective) => [kind, axes, bytes_per_device, by_user];
const range = (first: number, stop: number) => Array.from({ length: stop - first }, (_, k) => first + k);

/** Three and more lines that are as typed, one after another, as one line; the one above what is to be looked at stays. */
function quietFolded(
  model: ComparisonModel,
  lines: readonly Line[],
  spread: ReadonlySet<number>,
  apart?: ReadonlySet<number>,
): readonly Line[] {
  const result: Line[] = [];
  let run: RowLine[] = [];
  const end = (next: Line | undefined) => {
    const above = next && next.kind !== "fold" ? run.splice(-1) : [];
    const [first] = run;
    if (first && run.length >= FEWEST) {
      const { depth, bracket, head: row } = first;
      const open = spread.has(row);
      result.push({ kind: "same", key: `q${row}`, depth, bracket, row, of: run, times: 0, open }, ...(open ? run : []));
    } else result.push(...run);
    result.push(...above);
    run = [];
  };
  for (const line of lines) {
    const r = line.kind === "row" && !apart?.has(line.head) ? model.row(line.row) : null;
    const same = r !== null && quiet(r) && r.values[0]?.agreement === "same";
    if (line.kind === "row" && same && (run.length === 0 || run[0]?.depth === line.depth)) run.push(line);
    else {
      end(line);
      if (line.kind === "row" && same) run.push(line);
      else result.push(line);
    }
  }
  end(undefined);
  return result;
}

/** Rows to look at one after another: what stops; what differs, once a line of source; what has collectives, once each. */
export function findingsOf(model: ComparisonModel): readonly number[] {
  const all = [...model.rows.keys()];
  const differs = (i: number) => model.row(i)?.values.some((v) => v.agreement === "differs") === true;
  const stops = all.filter((i) => model.row(i)?.error);
  const others = all.filter((i) => !model.row(i)?.error);
  const odd = others.filter(differs);
  const first = odd.filter((i, k) => !sameSource(model, odd[k - 1] ?? -1, i));
  const sending = others.filter((i) => !differs(i) && (model.row(i)?.collectives.length ?? 0) > 0);
  const once = new Map(sending.map((i) => [JSON.stringify(saysOf(model, i)), i] as const).reverse());
  return [...stops, ...first, ...sending.filter((i) => once.get(JSON.stringify(saysOf(model, i))) === i)];
}

/** Whether a row says the same as the line above it: one line of source, equal shardings, nothing to look at. */
function joins(model: ComparisonModel, last: number, row: number): boolean {
  const [one, other] = [model.row(last), model.row(row)];
  if (!one || !other || one.scope !== other.scope) return false;
  return sameSource(model, last, row) && quiet(one) && quiet(other) && placesOf(one) === placesOf(other);
}

function quiet({ values, error, collectives, remark, decision, primitive }: Row): boolean {
  const plain = values.length === 1 && values[0]?.agreement !== "differs" && remark === "" && decision === "";
  return plain && error === null && collectives.length === 0 && !ENDS.has(primitive);
}

const ENDS = new Set(["arguments", "outputs", "array"]);

/** The axes that split a row's value, in the order of its dimensions, by its type and as compiled. */
function placesOf({ values: [v], inspected }: Row): string {
  const split = (layout: Layout | null) =>
    layout?.dims
      ? [layout.dims.flatMap(({ axes }) => (axes.length > 0 ? [axes] : [])), layout.unreduced, layout.reduced]
      : layout?.text;
  return v ? JSON.stringify([split(v.explicit), split(v.concrete), v.agreement, inspected]) : "";
}

const TOP: Place = { depth: 0, bracket: 0 };

/** What a collective of a row does stands where it does it: operands are moved before, sums are finished after. */
export function comesAfter({ semantics }: HloCollective): boolean {
  return semantics.combines !== "";
}

function linesOfRow(
  model: ComparisonModel,
  row: number,
  place: Place,
  again: boolean,
  trail: readonly number[],
): Line[] {
  const r = model.row(row);
  if (!r) return [];
  const ops = r.collectives.map(
    (collective): Line => ({ kind: "collective", key: `c${row}.${collective}`, ...place, row, collective }),
  );
  const after = (line: Line) => {
    const op = line.kind === "collective" ? model.collective(line.collective) : null;
    return op ? comesAfter(op) : false;
  };
  return [
    ...ops.filter((line) => !after(line)),
    rowLine(row, place, again, trail),
    ...(r.error ? [{ kind: "stop", key: `s${row}`, ...place, row } as const] : []),
    ...ops.filter(after),
  ];
}

function rowLine(row: number, place: Place, again: boolean, trail: readonly number[]): RowLine {
  return { kind: "row", key: `r${row}`, ...place, row, members: [row], head: row, again, trail };
}

/** Whether a scope names only one row: that row says it better than a head over it. */
function single(model: ComparisonModel, run: Run): boolean {
  const e = model.doc.scopes[run.scope];
  const named = e?.kind === "named_scope" || e?.kind === "function";
  return named && e.axis_types.length === 0 && run.stop - run.first === 1 && run.items[0] === run.first;
}

function passes(model: ComparisonModel, row: number, filter: Filter): boolean {
  const r = model.row(row);
  if (!r) return false;
  if (filter === "errors") return r.error !== null;
  if (filter === "differs") return r.values.some((v) => v.agreement === "differs");
  if (filter === "collectives") return r.collectives.length > 0;
  return filter === "all" || r.remark !== "";
}

function sameSource(model: ComparisonModel, a: number, b: number): boolean {
  const [one, other] = [model.row(a)?.source, model.row(b)?.source];
  return one != null && other != null && one.line === other.line && one.file === other.file;
}

function runs(run: Run): Run[] {
  return run.items.filter((item): item is Run => typeof item !== "number");
}

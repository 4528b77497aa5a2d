import { expect, test } from "vitest";
import { foldOf } from "../../src/comparison/model/cells";
import { ComparisonModel, decodeComparison, known } from "../../src/comparison/model/comparison";
import {
  type Filter,
  findingsOf,
  type Line,
  linesOf,
  openAtFirst,
  rowsOf,
  stopOf,
  treeOf,
} from "../../src/comparison/model/lines";
import {
  badgesOf,
  changed,
  copiesOf,
  costOf,
  kindOf,
  purpose,
  shortName,
  tileText,
  titleOf,
  typed,
} from "../../src/comparison/model/words";
import type { Fix, HloCollective, Row, Scope } from "../../src/core/document.gen";
import { sentenceTokens } from "../../src/core/text";
import { COMPARISONS, type ComparisonName, comparison, long, model } from "./comparisons";

function lines(
  m: ComparisonModel,
  shown: { open?: Iterable<number>; search?: string; filter?: Filter } = {},
): readonly Line[] {
  const open = new Set(shown.open ?? m.doc.scopes.keys());
  return linesOf(m, treeOf(m), { open, search: shown.search ?? "", filter: shown.filter ?? "all" });
}

const said = (m: ComparisonModel, all: readonly Line[]) =>
  all.map((l) => {
    if (l.kind === "fold") return `${" ".repeat(l.depth)}${m.doc.scopes[l.scope]?.name} ${l.stop - l.row}`;
    if (l.kind === "collective") return m.collective(l.collective)?.kind;
    if (l.kind === "same") return `${l.row} ${l.times}`;
    return l.kind === "stop" ? "stop" : `${" ".repeat(l.depth)}${m.row(l.row)?.primitive}`;
  });

test.each(COMPARISONS)("%s is decoded, with every row in its lines when all is open", (name) => {
  const m = model(name);
  const rows = lines(m).flatMap((l) => (l.kind === "row" ? l.members : []));
  expect(rows).toEqual([...m.rows.keys()]);
  expect(new Set(lines(m).map((l) => l.key)).size).toBe(lines(m).length);
});

test("collectives stand where they do their work: a sum after its product, a gather before", () => {
  const layer = model("layer");
  expect(said(layer, lines(layer)).slice(3, 6)).toEqual(["dot_general", "stop", "all-reduce"]);
  const training = model("training");
  const at = said(training, lines(training)).indexOf("all-gather");
  expect(said(training, lines(training))[at + 1]?.trim()).toBe("dot_general");
});

test("passes of a loop that is written out are one line, and what they send is looked at once", () => {
  const base = comparison("training");
  const from = base.rows[1] as Row;
  const source = (line: number) => from.source && { ...from.source, line };
  const pass = (k: number): Row[] =>
    [5, 6, 7].map((line) => ({
      ...from,
      scope: -1,
      primitive: `line ${line}`,
      source: source(line),
      values: from.values.map((v) => ({ ...v, name: `h${k}` })),
      collectives: line === 6 ? [0] : [],
      remark: "",
    }));
  const last = { ...from, scope: -1, source: source(9), collectives: [0] };
  const rows = [...[...Array(12).keys()].flatMap(pass), last];
  const m = new ComparisonModel({ ...base, rows });
  const shown = (spread: ReadonlySet<number>) =>
    linesOf(m, treeOf(m), { open: new Set(), spread, search: "", filter: "all" });
  const folded = shown(new Set());
  expect(said(m, folded)).toEqual(["line 5", "all-gather", "line 6", "line 7", "3 11", "all-gather", "dot_general"]);
  const open = shown(new Set([3]));
  expect(open.length).toBe(folded.length + 11 * 4);
  expect(open.flatMap(rowsOf)).toEqual([...rows.keys()]);
  expect(findingsOf(m)).toEqual([1, 36]);
  // One that is placed otherwise is no pass like the others.
  const other = rows.map((row, k) =>
    k === 13 ? { ...row, values: row.values.map((v) => ({ ...v, agreement: "differs" as const })) } : row,
  );
  const parted = new ComparisonModel({ ...base, rows: other });
  const two = linesOf(parted, treeOf(parted), { open: new Set(), spread: new Set(), search: "", filter: "all" });
  expect(two.filter((l) => l.kind === "same").map((l) => l.times)).toEqual([3, 6]);
});

test("passes are named by their lines, or by their scopes where they are scopes alone, with all their rows", () => {
  const base = comparison("training");
  const from = base.rows[1] as Row;
  const scope = (name: string): Scope => ({ ...(base.scopes[1] as Scope), name, parent: -1 });
  const said = (passes: readonly (readonly [line: number, scope: number])[][], names: readonly string[]) => {
    const rows = passes.flat().map(([line, at]) => ({
      ...from,
      scope: at,
      source: from.source && { ...from.source, line },
      collectives: [],
      remark: "",
    }));
    const m = new ComparisonModel({ ...base, scopes: names.map(scope), rows });
    const lines = linesOf(m, treeOf(m), {
      open: new Set(),
      spread: new Set(),
      search: "",
      filter: "all",
      picture: true,
    });
    return lines.flatMap((l) =>
      l.kind === "same" ? [[...foldOf(m, l)].map((p) => "text" in p && p.text), stopOf(l)] : [],
    );
  };
  const twelve = Array.from({ length: 12 }, (_, k) => k);
  const mixed = twelve.map(
    (k) =>
      [
        [5, -1],
        [20, k],
        [21, k],
        [6, -1],
      ] as const,
  );
  expect(
    said(
      mixed.map((pass) => [...pass]),
      Array(12).fill("norm"),
    ),
  ).toEqual([["lines 5 to 6", "11 more times", "44 operations"], 48]);
  const alone = twelve.map(
    (k) =>
      [
        [20, 2 * k],
        [21, 2 * k],
        [30, 2 * k + 1],
        [31, 2 * k + 1],
      ] as const,
  );
  const names = twelve.flatMap((k) => [`norm${k}`, `mlp${k}`]);
  expect(
    said(
      alone.map((pass) => [...pass]),
      names,
    ),
  ).toEqual([["norm1 to mlp11", "the same", "44 operations"], 48]);
});

test("a scope that is left and entered again has a head each time, and rows in it their depth", () => {
  const base = comparison("training");
  const row = base.rows[1] as Row;
  const doc = { ...base, rows: [1, 2, 2, 1, -1, 1, 1].map((scope) => ({ ...row, scope, collectives: [] })) };
  const m = new ComparisonModel(doc);
  expect(said(m, lines(m, { open: [0, 1, 2] }))).toEqual([
    "train_step 4",
    " forward/layer0 4",
    "  dot_general",
    "  scan 2",
    "   dot_general",
    "  dot_general",
    "dot_general",
    "train_step 2",
    " forward/layer0 2",
    "  dot_general",
  ]);
  expect(said(m, lines(m, { open: [0] }))).toEqual([
    "train_step 4",
    " forward/layer0 4",
    "dot_general",
    "train_step 2",
    " forward/layer0 2",
  ]);
});

test("rows of one line with equal shardings are one line, and apart on request", () => {
  const base = comparison("layer");
  const [, one, , stop] = base.rows as readonly Row[];
  if (!one || !stop) throw new Error("it has no such rows");
  const m = new ComparisonModel({ ...base, rows: [one, one, one, { ...one, remark: "gathered" }, stop] });
  const tree = treeOf(m);
  const shown = { open: new Set<number>(), search: "", filter: "all" as const };
  const members = (apart: Iterable<number>) =>
    linesOf(m, tree, { ...shown, apart: new Set(apart) }).flatMap((l) => (l.kind === "row" ? [l.members.length] : []));
  expect(members([])).toEqual([3, 1, 1]);
  expect(members([0])).toEqual([1, 1, 1, 1, 1]);
  expect(findingsOf(m)).toEqual([4]);
});

test("a sharding is written as a type where one says it", () => {
  const v = comparison("layer").rows[1]?.values[0];
  expect(v?.concrete && typed(v, v.concrete)).toBe("f32[128@x,256@y]");
  const odd = { text: "GSPMDSharding({…})", dims: null, unreduced: [], reduced: [] };
  expect(v && typed(v, odd)).toBe("GSPMDSharding({…})");
});

test("a search and a filter show rows by themselves, with what they stand in", () => {
  const m = model("training");
  const found = lines(m, { open: [], search: "REDUCE_SUM" });
  expect(found).toMatchObject([{ kind: "row", depth: 0, trail: [0] }]);
  expect(lines(m, { search: "no such thing" })).toEqual([]);
  const differs = lines(m, { filter: "differs" });
  expect(differs.map((l) => m.row(l.row)?.values[0]?.name)).toEqual(["new"]);
  const rows = (filter: Filter) => lines(m, { filter }).filter((l) => l.kind === "row").length;
  expect([rows("errors"), rows("collectives"), rows("replications")]).toEqual([0, 4, 4]);
  expect(lines(m, { filter: "replications", search: "h5" }).filter((l) => l.kind === "row")).toHaveLength(2);
});

test("three thousand rows open folded; a short program opens as a whole; an error is never folded away", () => {
  const big = new ComparisonModel(long(3000));
  const open = openAtFirst(big, treeOf(big));
  expect(lines(big, { open }).length).toBeLessThan(200);
  const small = model("training");
  expect(openAtFirst(small, treeOf(small)).size).toBe(small.doc.scopes.length);
  const base = long(3000);
  const stop = comparison("layer").rows[3]?.error ?? null;
  const rows = base.rows.map((r, i) => (i === 1234 ? { ...r, error: stop } : r));
  const broken = new ComparisonModel({ ...base, rows });
  const opened = lines(broken, { open: openAtFirst(broken, treeOf(broken)) });
  expect(opened.some((l) => l.kind === "stop" && l.row === 1234)).toBe(true);
});

test("tallies of a part add up to those of the whole, and a collective of two rows counts once", () => {
  const m = model("training");
  const [a, b] = [m.tally(0, 20), m.tally(20)];
  const whole = m.tally();
  expect(whole).toEqual({ errors: 0, differs: 1, inserted: 4, replications: 4 });
  for (const key of ["errors", "differs", "inserted", "replications"] as const)
    expect(a[key] + b[key]).toBe(whole[key]);
  const base = comparison("layer");
  const twice = new ComparisonModel({ ...base, rows: base.rows.map((r) => ({ ...r, collectives: [0] })) });
  expect(twice.tally().inserted).toBe(1);
});

test("another choice shows the rows that follow from it, and nothing else is another", () => {
  const first = model("layer");
  const other = model("layer", { "3": 1 });
  expect(other.rows[3]?.error?.chosen).toBe(1);
  expect(other.rows[4]).not.toBe(first.rows[4]);
  expect(other.rows[4]?.values[0]?.explicit?.text).toBe("f32[128@x,16]");
  expect(other.rows.filter((r, i) => JSON.stringify(r) !== JSON.stringify(first.rows[i]))).toHaveLength(2);
  expect(model("layer", { "3": 0 }).rows).toEqual(first.rows);
  expect([first.fixed, model("stopped").fixed]).toEqual([3, 7]);
});

test("a saved page knows the first choice, and one other at a time", () => {
  const doc = comparison("layer");
  expect(known(doc, {}, 3, 0)).toBe(true);
  expect(known(doc, {}, 3, 1)).toBe(true);
  expect(known(doc, {}, 3, 2)).toBe(false);
  expect(known({ ...doc, continuations: [] }, {}, 3, 1)).toBe(false);
  const twice = { ...doc, rows: doc.rows.map((r, i) => (i === 5 ? { ...r, error: doc.rows[3]?.error ?? null } : r)) };
  expect(known(twice, { "5": 1 }, 3, 1)).toBe(false);
  expect(known(twice, { "5": 0 }, 3, 1)).toBe(true);
});

test("a row's inputs are the rows that made them last", () => {
  const m = model("layer");
  expect([m.inputs(1), m.inputs(3), m.inputs(6)]).toEqual([[0], [2, 0], [4, 5]]);
  const base = comparison("layer");
  const again = base.rows.map((r, i) => (i === 4 ? { ...r, values: r.values.map((v) => ({ ...v, name: "y" })) } : r));
  const doc = { ...base, rows: again.map((r, i) => (i === 5 ? { ...r, inputs: ["y"] } : r)) };
  expect(new ComparisonModel(doc).inputs(5)).toEqual([4]);
});

test.each([
  ["y = jnp.matmul(r, w2, out_sharding=P('x', None))", "y = r @ w2", "out_sharding=P('x', None)"],
  ["jnp.einsum('ij,jk->ik', a, b, out_sharding=P(('x', 'y')), precision=p)", "", "out_sharding=P(('x', 'y'))"],
  ["y = reshard(r, P('x')) @ w2", "y = r @ w2", "reshard(r, P('x'))"],
  ["y = r @ w2", "y = r @ w2", ""],
  ["s = jax.reshard(s, P('x'))", "a = f(s, -1)", "s = jax.reshard(s, P('x'))"],
  ["reshard(r, P('x'))", "", "reshard(r, P('x'))"],
])("what %s changes is marked", (code, source, mark) => {
  expect(code.slice(...changed(code, source))).toBe(mark);
});

test.each([
  ["both are split over x and y.", ["x", "y"]],
  ["all-reduce over y, x", ["y", "x"]],
  ["x is a value, split on y and more", ["y"]],
  ["a copy along z", []],
  ["", []],
])("axes that %o names take their colour", (text, names) => {
  const tokens = sentenceTokens(text, model("layer").mesh);
  expect(tokens.map((t) => t.text).join("")).toBe(text);
  expect(tokens.flatMap((t) => (t.axis === null ? [] : [t.text]))).toEqual(names);
});

test("titles, badges and purposes in words", () => {
  expect(titleOf(model("layer"))).toBe("layer(x, w1, w2, scale)");
  expect(titleOf(model("arrays"))).toBe("params");
  expect(badgesOf(model("layer")).map((b) => `${b.strong} ${b.text}`)).toEqual([
    "1 type error",
    "1 placement differs",
    "2 collectives inserted",
  ]);
  expect(badgesOf(model("scopes"))).toEqual([]);
  const m = model("layer");
  const quiet = new ComparisonModel({ ...m.doc, rows: m.doc.rows.slice(0, 3) });
  expect(badgesOf(quiet)).toEqual([{ tone: "ok", strong: "✓", text: "all the same" }]);
  const op = m.collective(0) as HloCollective;
  const row = m.row(3) as Row;
  expect(purpose(row, op)).toBe("finishes the dot_general at line 4: its sum is split over y.");
  const said = (rest: Partial<HloCollective>) => purpose({ ...row, source: null }, { ...op, ...rest });
  expect(said({ semantics: { ...op.semantics, combines: "", cuts: "received" }, backward: true })).toBe(
    "gathers an operand of the dot_general, in the backward pass.",
  );
  expect(said({ by_user: true, remark: "why" })).toBe("is written in the dot_general. Why.");
});

test("costs, kinds and long names in few words", () => {
  const fix = model("layer").row(3)?.error?.fixes[0] as Fix;
  expect(costOf(fix)).toBe("all-reduce over y · 2 KiB/device");
  expect(costOf({ ...fix, communication: "none", bytes_per_device: 0 })).toBe("no communication");
  const e = model("training").doc.scopes[2] as Scope;
  expect([kindOf(e), kindOf({ ...e, times: null }), kindOf({ ...e, kind: "region", name: "shard_map" })]).toEqual([
    "loop ×12",
    "loop, times not known",
    "",
  ]);
  const names = ["scale", "params[0]['w']", "p['layer0']['scale']", "p['layer10'].mlp['w1']", "an_argument_of_22_char"];
  expect(names.map((name) => shortName(name))).toEqual([
    "scale",
    "params[0]['w']",
    "…layer0/scale",
    "…mlp/w1",
    "…nt_of_22_char",
  ]);
  expect(shortName("p['layer0']['scale']", 9)).toBe("…scale");
});

test("copies are said of each axis along which devices hold the same", () => {
  const m = model("layer");
  const copies = (row: number) => {
    const v = m.row(row)?.values[0];
    const placement = v?.concrete ? m.placement(v, v.concrete) : null;
    return placement && copiesOf(placement);
  };
  expect(copies(1)).toEqual([]);
  expect(copies(5)).toEqual([{ axis: 0, size: 4 }]);
  const v = m.row(5)?.values[0];
  const placement = v?.concrete ? m.placement(v, v.concrete) : null;
  expect(placement && tileText(placement, "mu", 1)).toEqual(["mu[8:16]", "8 · 32 B", "devices 1, 3, 5, 7"]);
});

test.each([
  [{ rows: 0 }, "no rows"],
  [{ scopes: null }, "no scopes"],
  [{ scopes: [] }, "the scope 2, which does not exist"],
  [{ program: null }, "the collective 0, which does not exist"],
  [{ version: 99 }, "version 99"],
  [{ kind: "trace" }, 'of kind "trace"'],
])("a document with %o is refused with what is wrong", (rest, message) => {
  const doc: unknown = { ...comparison("training" satisfies ComparisonName), ...rest };
  expect(() => decodeComparison(doc)).toThrow(message);
});

test("a pytree among the arguments is one parameter", () => {
  const base = comparison("layer");
  const [first] = base.rows;
  const names = ["params[0]['w']", "params[0]['b']", "state.step", "x", ""];
  const value = first?.values[0];
  const values = value ? names.map((name) => ({ ...value, name })) : [];
  const rows = base.rows.map((r, i) => (i === 0 ? { ...r, values } : r));
  expect(titleOf(new ComparisonModel({ ...base, rows }))).toBe("layer(params, state, x, ·)");
});

test("a name for one row alone stands at the row; one that changes axis types keeps its head", () => {
  const base = comparison("scopes");
  const m = new ComparisonModel({
    ...base,
    scopes: base.scopes.map((e, i) => (i === 3 ? { ...e, kind: "named_scope", name: "only" } : e)),
  });
  const last = lines(m).at(-1);
  expect(last).toMatchObject({ kind: "row", depth: 0, trail: [3] });
  expect(said(m, lines(m)).slice(-3)).toEqual(["k 1", " sin", "scan"]);
});

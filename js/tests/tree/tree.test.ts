import { expect, test } from "vitest";
import { unpack } from "../../src/core/ints";
import { PlacementModel } from "../../src/core/placement";
import { refusalOf } from "../../src/core/spec/refusal";
import { codeOfRules } from "../../src/tree/model/code";
import { equalLeaves, placementAt, playgroundAt } from "../../src/tree/model/leaf";
import { applyRules, logicalSpec, patternOf, readRules, withRule } from "../../src/tree/model/rules";
import { stackedIn, timesText } from "../../src/tree/model/stacked";
import { TreeModel } from "../../src/tree/model/tree";
import { findingName, labelOf } from "../../src/tree/model/words";
import { layoutTreemap } from "../../src/tree/scene/treemap";
import rulesAsCode from "./code.json";
import logical from "./logical.json";
import { MODELS, names, rows, said, tree } from "./models";
import patterns from "./patterns.json";

test.each(MODELS)("%s: paths and bytes are Python's, of every leaf and in all", (name) => {
  const of = tree(name);
  const python = said(name);
  expect(of.bytes).toBe(python.bytes);
  expect(of.held[of.fullest]).toBe(python.bytes_per_device);
  expect([...of.held]).toEqual(python.devices);
  expect(of.spent).toBe(python.wasted_bytes);
  expect(of.arrays).toBe(python.arrays);
  python.leaves.forEach(([path, leafName, type, bytes, perDevice, copies], leaf) => {
    const sizes = of.sizesAt(leaf);
    expect([of.pathOf(leaf), of.nameOf(leaf), of.typeAt(leaf).type]).toEqual([path, leafName, type]);
    expect([sizes.bytes, sizes.perDevice, sizes.copies]).toEqual([bytes, perDevice, copies]);
  });
});

test.each(MODELS)("%s: the lines of the tree come to the whole", (name) => {
  const of = tree(name);
  const top = rows(of).filter((row) => row.depth === 0);
  const sum = (pick: (row: (typeof top)[number]) => number) => top.reduce((total, row) => total + pick(row), 0);
  expect(sum((row) => row.sums.bytes)).toBe(of.bytes);
  expect(sum((row) => row.sums.here)).toBe(of.held[of.fullest]);
  expect(sum((row) => row.sums.leaves)).toBe(of.arrays);
  const flat = rows(of, { flat: true });
  expect(flat.reduce((total, row) => total + row.sums.here, 0)).toBe(of.held[of.fullest]);
});

test("equal layers are one line, and one that differs is another", () => {
  const all = rows(tree("state"));
  const mu = all.filter((row) => row.name.startsWith("layers"));
  expect(mu.map((row) => [row.name, row.count, row.which])).toContainEqual(["layers", 11, "0 to 6 and 8 to 11"]);
  expect(mu.map((row) => row.name)).toContain("layers/7");
  expect(mu.find((row) => row.name === "layers/7")?.flags.map((flag) => flag.kind)).toEqual(Array(4).fill("unlike"));
});

test("a finding is named by the shortest path of its leaves", () => {
  const of = tree("state");
  for (const finding of of.findings) {
    const all = finding.flags.flatMap(({ leaves }) => [...unpack(leaves)].map((leaf) => of.nameOf(leaf)));
    expect(all).toContain(findingName(of, finding));
    expect(findingName(of, finding).length).toBe(Math.min(...all.map((name) => name.length)));
  }
});

test("lines are sorted among their siblings", () => {
  const sums = rows(tree("state"), { sort: "bytes" });
  expect(names(sums.filter((row) => row.depth === 0))).toEqual(["opt", "params"]);
  const [first] = rows(tree("state"), { sort: "copies", flat: true });
  expect(first?.name).toBe("params/embed");
});

test.each([
  ["embed", 3],
  ["qkv @data", 3],
  ["copies>1 embed", 1],
  ["bf16 ln", 3],
  ["layers/5/qkv", 3],
  ["nothing", 0],
])("a filter %s finds %i leaves", (search, count) => {
  expect(rows(tree("state"), { search }).filter((row) => row.leaf !== null)).toHaveLength(count);
});

test("an axis filters too", () => {
  const of = tree("state");
  const cut = rows(of, { axis: "data", flat: true });
  expect(cut.length).toBeGreaterThan(0);
  for (const row of cut) expect(of.typeAt(row.leaf ?? 0).type).toContain("@data");
});

test("a reason to look is said once, with all leaves that have it", () => {
  const of = tree("state");
  const said = rows(of).flatMap((row) => row.said);
  expect(new Set(said).size).toBe(said.length);
  expect([...said].sort((a, b) => a.number - b.number)).toEqual(of.findings);
  const leaves = new Set(of.flagOf.keys());
  expect(of.findings.reduce((sum, finding) => sum + finding.leaves, 0)).toBe(leaves.size);
  expect(of.findings.map((finding) => finding.cost)).toEqual(of.findings.map((f) => f.cost).sort((a, b) => b - a));
});

test("the line of a leaf in equal layers is that of the first of them", () => {
  const of = tree("state");
  const shown = new Set(rows(of, { flat: true }).map((row) => row.node));
  for (const node of of.nodeOf) expect(shown.has(of.shownFor(node)), of.nodeName(node)).toBe(true);
});

test("very many lines are drawn by kind: one tile for leaves of one name that are split alike", () => {
  const lines = Array.from({ length: 60 }, (_, i) => [
    [0, `['block_${i}']`] as const,
    [1, "['kernel']", WIDE] as const,
  ]).flat();
  const of = lined(lines);
  const { tiles } = layoutTreemap(of, rows(of, { flat: true }), 300, 150);
  expect(tiles.map((tile) => [tile.name, tile.nodes.length, tile.row.times])).toEqual([["kernel", 60, 60]]);
});

test("nodes are opened and closed by hand", () => {
  const of = tree("state");
  const [opt] = rows(of);
  const closed = rows(of, { open: new Map([[opt?.node ?? 0, false]]) });
  expect(names(closed.filter((row) => row.depth === 0))).toEqual(["opt", "params"]);
  expect(closed.filter((row) => row.depth > 0).every((row) => row.node > (closed[1]?.node ?? 0))).toBe(true);
});

test("the last rule that matches a leaf counts, and what JAX refuses is said in its words", () => {
  const of = tree("state");
  const rules = readRules("embed → P('model', None)\n# a comment\nparams/embed -> P('model', 'data')\nln1 → P('x')\n");
  const { effects, held } = applyRules(of, rules);
  expect(effects.map((e) => [e.matches, e.counts])).toEqual([
    [3, 2],
    [1, 1],
    [36, 36],
  ]);
  expect(effects[2]?.refused).toMatchObject({ count: 36, error: "ValueError" });
  expect(effects[2]?.refused?.said).toContain("Resource axis: x of P('x',) is not found in mesh");
  const before = of.held[of.fullest] ?? 0;
  // params: 64 to 8 MiB; mu and nu: 16 to 64 MiB each.
  expect(held - before).toBe((8 - 64 + 2 * (64 - 16)) * 2 ** 20);
});

test.each([
  ["('params/embed', P('model', None)),", ""],
  ["(r\"params/embed\", PartitionSpec(('model', 'data')))", ""],
  ["params/embed: P()", ""],
  ["(oops → P()", "Unterminated group"],
  ["params/embed", "A rule is a path and a spec"],
  ["params/embed → P(data)", "is not a PartitionSpec"],
])("a rule is read as people write it: %s", (text, fault) => {
  const [rule] = readRules(text);
  expect(rule?.fault).toContain(fault);
  expect(rule?.pattern === null).toBe(fault !== "");
});

test("the spec of a flag saves what the flag costs", () => {
  const of = tree("state");
  for (const flag of of.doc.flags) {
    const leaves = [...of.flagOf].flatMap(([leaf, f]) => (f === flag ? [leaf] : []));
    const { held } = applyRules(of, readRules(`${patternOf(of, leaves)} → ${flag.spec}`));
    expect((of.held[of.fullest] ?? 0) - held).toBe(flag.cost);
  }
});

test("a pattern finds its leaves and no others", () => {
  const of = tree("state");
  const layers = [...of.typeOf.keys()].filter((leaf) => /params\/layers\/\d+\/up/.test(of.nameOf(leaf)));
  expect(patternOf(of, layers)).toBe("^params/layers/\\d+/up$");
  expect(patternOf(of, layers.slice(0, 1))).toBe("^params/layers/0/up$");
});

test("a leaf on the host comes to devices with the dtype that device_put gives it", () => {
  const { doc } = tree("odd");
  const types = doc.types.map((of) => (of.state === "host" ? { ...of, shape: [8, 3] } : of));
  const of = new TreeModel({ ...doc, types });
  const host = of.typeOf.findIndex((_, leaf) => of.nameOf(leaf) === "host");
  expect(of.typeAt(host)).toMatchObject({ dtype: "float64", bits: 64, device_bits: 32 });
  expect(of.sizesAt(host).bytes).toBe(8 * 3 * 8);
  const { changed } = applyRules(of, readRules("host → P('data')"));
  expect(changed.get(host)).toEqual({ perDevice: 2 * 3 * 4, copies: 2 });
  expect(playgroundAt(of, host)?.dtypes).toEqual([{ name: "float32", short: "f32", bits: 32 }]);
});

test("what devices cannot hold is left as it is", () => {
  const { doc } = tree("odd");
  const types = doc.types.map((of) => (of.state === "host" ? { ...of, dtype: "object", device_bits: 0 } : of));
  const { effects } = applyRules(new TreeModel({ ...doc, types }), readRules("host → P()"));
  expect(effects[0]?.matches).toBe(0);
});

// That this code runs, and gives these bytes, is tested in Python.
test.each(rulesAsCode)(
  "rules of $tree come out as code, without what is no rule",
  ({ tree: name, rules, code, bytes }) => {
    const of = tree(name as "state" | "odd" | "kept");
    const read = readRules(`${rules.join("\n")}\nnothing → P(oops)`);
    expect(codeOfRules(read, of).split("\n")).toEqual(code);
    expect(applyRules(of, read).held).toBe(bytes);
  },
);

test("a leaf is a placement of its own", () => {
  const of = tree("state");
  for (let leaf = 0; leaf < of.typeOf.length; leaf++) {
    const placement = placementAt(of, leaf);
    if (!placement) throw new Error(of.nameOf(leaf));
    const model = new PlacementModel(placement);
    const sizes = of.sizesAt(leaf);
    expect([model.bytes, model.bytesPerDevice, model.copies]).toEqual([sizes.bytes, sizes.perDevice, sizes.copies]);
  }
});

const written = (axes: string | string[] | null) =>
  axes === null ? "None" : typeof axes === "string" ? `'${axes}'` : `(${axes.map((a) => `'${a}'`).join(", ")})`;

test.each(logical.cases)("logical names $names get the axes that flax gives them", ({ names, rules, spec }) => {
  const pairs = rules.map(([name, axes]) => `('${name}', ${written(axes as string | string[] | null)}),`);
  const found = logicalSpec(
    names.map((name) => name ?? ""),
    readRules(pairs.join("\n")),
  );
  const axes = spec.map((entry) => (entry === null ? [] : [entry].flat()));
  expect(found?.entries.map((entry) => entry.axes)).toEqual(axes);
});

test("rules for logical names decide leaves that have such, and a rule for a path goes before them", () => {
  const { doc } = tree("state");
  const embed = doc.types.findIndex(
    (of) => of.shape.join() === "32768,1024" && of.dims.every((d) => d.axes.length === 0),
  );
  const types = doc.types.map((of, i) => (i === embed ? { ...of, logical: ["vocab", "embed"] } : of));
  const of = new TreeModel({ ...doc, types });
  const before = of.held[of.fullest] ?? 0;
  const rules = "('vocab', 'model')\n('embed', ('data',)),\n('heads', None)\n('vocab', model)";
  const { effects, held } = applyRules(of, readRules(rules));
  expect(effects.map((e) => [e.matches, e.counts])).toEqual([
    [1, 1],
    [1, 1],
    [0, 0],
    [0, 0],
  ]);
  expect(effects[3]?.rule.fault).toContain("A rule for a logical name is a pair");
  expect(before - held).toBe((64 - 8) * 2 ** 20);
  const later = applyRules(of, readRules(`${rules}\nembed → P()`));
  expect(later.effects.map((e) => [e.matches, e.counts])[0]).toEqual([1, 0]);
  const refused = applyRules(of, readRules("('vocab', 'x')")).effects[0]?.refused;
  expect(refused?.said).toContain("Resource axis: x of P('x', None) is not found in mesh");
});

test("rules for logical names come out as flax's own call", () => {
  const rules = readRules("('embed', 'model')\n('mlp', ['data', 'model'])\n(\"bias\", None)");
  const params = new TreeModel({ ...tree("kept").doc, name: "params" });
  expect(codeOfRules(rules, params)).toBe(logical.code);
  const both = codeOfRules([...rules, ...readRules("a → P('data')")], params);
  expect(both.startsWith(logical.code)).toBe(true);
  expect(both).toContain(`(r"a", P('data')),`);
});

/** A tree of one node with arrays below it. */
function below(name: string, shapes: readonly (readonly number[])[], keys = shapes.map((_, i) => `w${i}`)): TreeModel {
  const { doc } = tree("state");
  const ints = (values: number[]) => {
    const raw = new Uint8Array(values);
    return { start: 0, shape: [raw.length], strides: [0], raw, raw_bytes: 1 } as unknown as typeof doc.node_key;
  };
  const base = doc.types[0] as (typeof doc.types)[number];
  const types = shapes.map((shape) => ({
    ...base,
    shape,
    dims: shape.map((size) => ({ ...base.dims[0], size, axes: [] })) as unknown as typeof base.dims,
  }));
  const all = [name, ...keys].map((key) => ({ text: `['${key}']`, name: key }));
  const node_depth = ints([0, ...shapes.map(() => 1)]);
  const leaf_type = ints(shapes.map((_, i) => i));
  return new TreeModel({
    ...doc,
    types,
    keys: all,
    node_key: ints(all.map((_, i) => i)),
    node_depth,
    leaf_type,
    folds: [],
    flags: [],
  });
}

test.each([
  [
    "layers",
    [
      [12, 64, 64],
      [12, 64],
    ],
    12,
  ],
  [
    "decoder_layers",
    [
      [12, 64, 64],
      [12, 64, 256],
    ],
    12,
  ],
  [
    "layer",
    [
      [12, 64, 64],
      [12, 64],
    ],
    0,
  ], // one layer
  [
    "mlp",
    [
      [12, 64, 64],
      [12, 64],
    ],
    0,
  ],
  ["layers", [[12, 64, 64], [12]], 0], // a vector could be one layer's own
  [
    "layers",
    [
      [64, 64],
      [64, 256],
    ],
    0,
  ], // so could a matrix
  [
    "layers",
    [
      [12, 64, 64],
      [6, 64],
    ],
    0,
  ],
  [
    "layers",
    [
      [1, 64, 64],
      [1, 64],
    ],
    0,
  ],
] as const)("layers in one array each are stacked where that is sure: %s %j", (name, shapes, stacked) => {
  expect(stackedIn(below(name, shapes), 0)).toBe(stacked);
});

test("a list of layers is not stacked, and equal nodes are counted as such", () => {
  expect(
    stackedIn(
      below(
        "layers",
        [
          [12, 64, 64],
          [12, 64, 64],
        ],
        ["0", "1"],
      ),
      0,
    ),
  ).toBe(0);
  const of = below("layers", [
    [12, 64, 64],
    [12, 64],
  ]);
  const [row] = rows(of);
  expect(timesText(of, { node: 0, count: 1 })).toBe("×12");
  expect(timesText(of, { node: 0, count: 3 })).toBe("×3");
  expect(labelOf(of, row as NonNullable<typeof row>)).toContain("stacked in 2 arrays, 12 layers in each");
});

test("a leaf in a fold stands for those that are equal to it, and for no other", () => {
  const of = tree("state");
  const leafOf = (name: string) => of.typeOf.findIndex((_, leaf) => of.nameOf(leaf) === name);
  const equal = (name: string) => equalLeaves(of, leafOf(name)).map((leaf) => of.nameOf(leaf));
  expect(equal("params/embed")).toEqual(["params/embed"]);
  expect(equal("params/layers/0/up")).toEqual(Array.from({ length: 12 }, (_, n) => `params/layers/${n}/up`));
  expect(equal("opt/mu/layers/0/up")).not.toContain("opt/mu/layers/7/up");
  expect(equal("opt/mu/layers/7/up")).toEqual(["opt/mu/layers/7/up"]);
});

test("what a leaf is edited as: its spec on the main mesh, no axes from elsewhere, nothing where no rule applies", () => {
  const state = tree("state");
  const qkv = playgroundAt(
    state,
    state.typeOf.findIndex((_, leaf) => state.nameOf(leaf) === "params/layers/0/qkv"),
  );
  expect(qkv?.draft.entries.map((e) => e.axes)).toEqual([["data"], ["model"]]);
  expect(qkv?.draft.axes.map((a) => a.name)).toEqual(["data", "model"]);
  expect(qkv && refusalOf(qkv.draft, qkv)).toBeNull();
  const odd = tree("odd");
  const at = (name: string) =>
    playgroundAt(
      odd,
      odd.typeOf.findIndex((_, leaf) => odd.nameOf(leaf) === name),
    );
  expect(at("one")?.draft.entries).toEqual([]);
  expect([at("gone"), at("none"), at("word")]).toEqual([null, null, null]);
});

test("a rule takes the place of an earlier one for the same pattern", () => {
  expect(withRule("", "^a$", "P()")).toBe("^a$ → P()");
  expect(withRule("^a$ → P('x')\n# note\nb → P()", "^a$", "P()")).toBe("# note\nb → P()\n^a$ → P()");
});

/** A tree by its lines: depth and key, and, of a leaf, which of the types of a fixture it has. */
function lined(all: readonly (readonly [number, string, number?])[], folds: readonly number[][] = []): TreeModel {
  const { doc } = tree("state");
  const ints = (values: readonly number[]) => {
    const raw = new Uint8Array(values);
    return { start: 0, shape: [raw.length], strides: [0], raw, raw_bytes: 1 } as unknown as typeof doc.node_key;
  };
  return new TreeModel({
    ...doc,
    keys: all.map(([, text]) => ({ text, name: text.replace(/[[\]'.]/g, "") })),
    node_key: ints(all.map((_, i) => i)),
    node_depth: ints(all.map(([depth]) => depth)),
    leaf_type: ints(all.flatMap(([, , type]) => (type === undefined ? [] : [type]))),
    folds: folds.map(ints),
    flags: [],
  });
}

const WIDE = tree("state").doc.types.findIndex((of) => of.shape.length === 2);

/** An optimizer of flax nnx: its moments, with two equal blocks and an embedding. */
const NNX = lined(
  [
    [0, ".opt_state"],
    ...[".mu", ".nu"].flatMap((moment): [number, string, number?][] => [
      [1, moment],
      [2, "['blocks']"],
      ...["[0]", "[1]"].flatMap((block): [number, string, number?][] => [
        [3, block],
        [4, "['up']"],
        [5, ".value", WIDE],
      ]),
      [2, "['embed']"],
      [3, "['embedding']"],
      [4, ".value", WIDE],
    ]),
  ],
  [
    [3, 6],
    [14, 17],
  ],
);

test("a parameter of flax nnx is one line, and so is a list of equal blocks, wherever it is", () => {
  const all = rows(NNX).map((row) => [row.depth, row.name, row.times]);
  const moment = (name: string) => [
    [1, name, 1],
    [2, "blocks", 2],
    [3, "up", 2],
    [2, "embed", 1],
    [3, "embedding", 1],
  ];
  expect(all).toEqual([[0, "opt_state", 1], ...moment("mu"), ...moment("nu")]);
  expect(rows(NNX, { flat: true }).map((row) => row.name)).toContain("opt_state/mu/embed/embedding");
});

test("equal blocks that are no list keep their name and the node that holds them", () => {
  const of = lined(
    [
      [0, "['params']"],
      [1, "['block_0']"],
      [2, "['kernel']", WIDE],
      [1, "['block_1']"],
      [2, "['kernel']", WIDE],
    ],
    [[1, 3]],
  );
  expect(rows(of).map((row) => [row.depth, row.name, row.count])).toEqual([
    [0, "params", 1],
    [1, "block_0–1", 2],
    [2, "kernel", 1],
  ]);
});

test("the map divides a tree below what nearly all of it has in common", () => {
  const { sections, tiles } = layoutTreemap(NNX, rows(NNX, { flat: true }), 300, 150);
  expect(sections.map((section) => section.name)).toEqual(["opt_state/mu", "opt_state/nu"]);
  expect(new Set(tiles.map((tile) => tile.name))).toEqual(new Set(["up", "embedding"]));
});

test("a tile is named by what tells it from the others", () => {
  const names = ["up", "down", "q", "k", "v"];
  const lines = names.flatMap((name) => [[0, `['${name}']`] as const, [1, "['kernel']", WIDE] as const]);
  const of = lined(lines);
  const { tiles } = layoutTreemap(of, rows(of, { flat: true }), 300, 150);
  expect(tiles.map((tile) => tile.name)).toEqual(names);
});

test.each(patterns as [string, Record<string, boolean> | null][])(
  "the pattern %s matches as in Python",
  (pattern, paths) => {
    const [rule] = readRules(`${pattern} → P('model')`);
    if (paths === null) expect(rule?.fault).not.toBe("");
    else expect(Object.fromEntries(Object.keys(paths).map((path) => [path, rule?.pattern?.test(path)]))).toEqual(paths);
  },
);

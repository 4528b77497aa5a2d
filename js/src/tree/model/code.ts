/** Rules as Python, to run where the user's tree and its `mesh` are. What they do is what `applyRules` says. */
import type { LeafType } from "../../core/document.gen";
import { quoted, specCode, tupleText } from "../../core/spec/spec";
import type { Rule, Spec } from "./rules";
import { isArray, type TreeModel } from "./tree";

export function codeOfRules(rules: readonly Rule[], tree: TreeModel): string {
  const paths = rules.filter((rule) => rule.spec && rule.fault === "");
  const logical = rules.filter((rule) => rule.logical);
  const parts: string[][] = [];
  if (logical.length > 0) parts.push(codeOfLogical(logical, tree));
  if (logical.length === 0 || paths.length > 0) parts.push(codeOfPaths(paths, tree));
  return parts.map((lines) => lines.join("\n")).join("\n\n");
}

function codeOfPaths(rules: readonly Rule[], tree: TreeModel): string[] {
  const name = nameOf(tree);
  const stays = staysCode(tree);
  const move = [
    `${name} = jax.tree.map(`,
    `    lambda x, s: ${moved(tree, "s is None")},`,
    `    ${name},`,
    "    shardings,",
    ")",
  ];
  return [
    "import re",
    "import jax",
    ...numpyFor(tree),
    "from jax.sharding import NamedSharding, PartitionSpec as P",
    "",
    "RULES = [  # the last that matches counts",
    ...rules.map((rule) => `    (r"${rule.source.replaceAll('"', '\\"')}", ${specCode(rule.spec as Spec)}),`),
    "]",
    "",
    ...stays,
    "def sharding(path, x):  # None: as it is",
    ...(stays.length > 0 ? ["    if stays(x):", "        return None"] : []),
    '    path = jax.tree_util.keystr(path, simple=True, separator="/")',
    "    specs = [spec for pattern, spec in RULES if re.search(pattern, path)]",
    '    return NamedSharding(mesh, specs[-1]) if specs and hasattr(x, "ndim") else None',
    "",
    `shardings = jax.tree.map_with_path(sharding, ${name})  # also for jax.jit(f, in_shardings=(shardings, …))`,
    // What is only shapes cannot be moved.
    ...(isLive(tree) ? move : []),
  ];
}

/** Rules for logical names, by flax's own functions, which would copy what has no names to every device. */
function codeOfLogical(rules: readonly Rule[], tree: TreeModel): string[] {
  const name = nameOf(tree);
  const stays = staysCode(tree);
  const axesOf = (axes: readonly string[]) => {
    const written = axes.map((axis) => `"${axis}"`);
    return written.length === 0 ? "None" : written.length === 1 ? written[0] : `(${written.join(", ")})`;
  };
  const move = [
    `${name} = jax.tree.map(`,
    `    lambda s, x: ${moved(tree, stays.length > 0 ? "s is None or stays(x)" : "s is None")},`,
    "    shardings,",
    `    ${name},`,
    "    is_leaf=lambda s: s is None,",
    ")",
  ];
  return [
    "import flax.linen as nn",
    "import jax",
    ...numpyFor(tree),
    "",
    "LOGICAL = [  # in order of precedence: each for dimensions and mesh axes that are free",
    ...rules.map(({ logical }) => `    ("${logical?.name}", ${axesOf(logical?.axes ?? [])}),`),
    "]",
    ...(stays.length > 0 ? ["", ...stays] : []),
    `specs = nn.get_partition_spec(${name})  # of flax nnx: nnx.get_partition_spec(nnx.state(model))`,
    "shardings = nn.logical_to_mesh_sharding(specs, mesh, LOGICAL)",
    "shardings = jax.tree.map(lambda spec, s: s if any(spec) else None, specs, shardings)  # None: no names, as it is",
    ...(isLive(tree) ? move : []),
  ];
}

function numpyFor(tree: TreeModel): string[] {
  return tree.doc.types.some((of) => of.state === "other") ? ["import numpy as np"] : [];
}

function nameOf(tree: TreeModel): string {
  return /^[A-Za-z_]\w*$/.test(tree.doc.name) ? tree.doc.name : "tree";
}

function isLive(tree: TreeModel): boolean {
  return tree.doc.types.some((of) => of.state === "live");
}

/** A leaf `x` after its move to `s`; where a condition holds, and where it is only a shape, as it is. */
function moved(tree: TreeModel, condition: string): string {
  const shapes = tree.doc.types.some((of) => of.state === "abstract");
  const unless = shapes ? `${condition} or isinstance(x, jax.ShapeDtypeStruct)` : condition;
  return `x if ${unless} else jax.device_put(x, s)`;
}

/** A function that finds the leaves to which no rule applies (see `rulesApply`); no lines where there are none. */
function staysCode(tree: TreeModel): string[] {
  const { types } = tree.doc;
  const has = (state: LeafType["state"]) => types.some((of) => of.state === state);
  const listed = (of: readonly string[]) => tupleText([...new Set(of)].map(quoted));
  const kinds = types.filter((of) => of.offloaded).map((of) => of.memory_kind);
  const dtypes = types.filter((of) => isArray(of) && of.device_bits === 0).map((of) => of.dtype);
  const tests: string[] = [];
  if (has("other")) tests.push("not isinstance(a, (jax.Array, jax.ShapeDtypeStruct, np.ndarray, np.generic))");
  if (has("deleted")) tests.push("isinstance(a, jax.Array) and a.is_deleted()");
  if (has("unreadable")) tests.push("unreadable(a)");
  if (kinds.length > 0) tests.push(`getattr(getattr(a, "sharding", None), "memory_kind", None) in ${listed(kinds)}`);
  if (dtypes.length > 0) tests.push(`str(getattr(a, "dtype", "")) in ${listed(dtypes)}`);
  if (tests.length === 0) return [];
  return [
    ...(has("unreadable") ? UNREADABLE : []),
    "def stays(x):  # what device_put cannot or should not move",
    "    return any(",
    ...tests.map((test, k) => `        ${k > 0 ? "or " : ""}${test}`),
    "        for a in jax.tree.leaves(x)",
    "    )",
    "",
  ];
}

/** Finds the leaves whose sharding raises, as `read.model` asks it. */
const UNREADABLE = [
  "def unreadable(a):",
  "    try:",
  '        s = getattr(a, "sharding", None)',
  "        if s is not None:",
  "            (s.shard_shape if isinstance(s, jax.sharding.NamedSharding) else s.devices_indices_map)(a.shape)",
  "    except Exception:",
  "        return True",
  "    return False",
  "",
];

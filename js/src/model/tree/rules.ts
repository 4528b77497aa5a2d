/** Rules that say how leaves would be split: `params/embed → P('model', None)`. The last that matches counts. */
import type { SpecDraft } from "../document.gen";
import { refusalOf } from "../refusal";
import { readSpec, specCode } from "../spec";
import { evenSizes, isArray, type TreeModel } from "../tree";

export type Spec = Pick<SpecDraft, "entries" | "unreduced" | "reduced">;

/** One line as it was written. */
export interface Rule {
  text: string;
  pattern: RegExp | null;
  source: string;
  spec: Spec | null;
  /** Why the line is not a rule; empty where it is one. */
  fault: string;
}

/** What a rule does. */
export interface Effect {
  rule: Rule;
  /** Leaves that it matches, and those of them that take their spec from it. */
  matches: number;
  counts: number;
  /** Of the leaves that it decides: copies before and after, where all have the same. */
  copies: readonly [number, number] | null;
  /** What JAX says to the leaves that refuse it: the first, and how many there are. */
  refused: { leaf: number; error: string; said: string; count: number } | null;
}

export interface WhatIf {
  effects: readonly Effect[];
  /** Bytes on the device that holds most. */
  held: number;
  /** Of these, what is there but once on all devices. */
  own: number;
  /** Sizes of the leaves that a rule changes. */
  changed: ReadonlyMap<number, Outcome>;
}

const ARROW = /^(.*?)\s*(?:→|->|=>|:)\s*((?:jax\.)?(?:sharding\.)?(?:P|PartitionSpec)\s*\(.*\))$/;
const PAIR = /^\(\s*r?(['"])(.*)\1\s*,\s*((?:jax\.)?(?:sharding\.)?(?:P|PartitionSpec)\s*\(.*\))\s*\)\s*,?$/;

/** Reads rules, one a line; empty lines and comments are none. */
export function readRules(text: string): Rule[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map(readRule);
}

function readRule(text: string): Rule {
  const pair = PAIR.exec(text);
  const arrow = ARROW.exec(text);
  const [source, spec] = pair ? [pair[2] ?? "", pair[3] ?? ""] : [arrow?.[1] ?? "", arrow?.[2] ?? ""];
  const rule = { text, source, pattern: null, spec: null };
  if (!pair && !arrow) return { ...rule, fault: "A rule is a path and a spec: params/embed → P('model', None)." };
  const read = readSpec(spec);
  if (!read) return { ...rule, fault: `${spec} is not a PartitionSpec.` };
  try {
    return { ...rule, pattern: new RegExp(source), spec: read, fault: "" };
  } catch (error) {
    return { ...rule, fault: error instanceof Error ? error.message : String(error) };
  }
}

/** What the rules would make of the tree: arithmetic on shapes, of arrays that nobody touches. */
export function applyRules(tree: TreeModel, rules: readonly Rule[]): WhatIf {
  const effects: Effect[] = rules.map((rule) => ({ rule, matches: 0, counts: 0, copies: null, refused: null }));
  const changed = new Map<number, Outcome>();
  // Leaves of one type under one rule come to the same.
  const groups = new Map<string, Group>();
  for (let leaf = 0; leaf < tree.typeOf.length; leaf++) {
    const type = tree.typeOf[leaf] ?? 0;
    const effect = decidedBy(tree, leaf, effects);
    const key = `${type} ${effect ? effects.indexOf(effect) : -1}`;
    const group = groups.get(key) ?? { type, count: 0, after: null };
    if (effect?.rule.spec && group.count === 0) {
      const outcome = outcomeOf(tree, leaf, effect.rule.spec);
      if ("said" in outcome) effect.refused ??= { leaf, ...outcome, count: 0 };
      else group.after = outcome;
    }
    group.count++;
    groups.set(key, group);
    if (effect) tell(effect, tree.sizes[type]?.copies ?? 0, group.after);
    if (group.after) changed.set(leaf, group.after);
  }
  return { effects, changed, ...totals(tree, [...groups.values()]) };
}

interface Outcome {
  perDevice: number;
  copies: number;
}

interface Group {
  type: number;
  count: number;
  /** Null for as it is. */
  after: Outcome | null;
}

/** Counts a leaf for the rule that decides it. */
function tell(effect: Effect, before: number, after: Outcome | null): void {
  effect.counts++;
  if (!after) {
    if (effect.refused) effect.refused.count++;
    return;
  }
  const same = effect.counts === 1 || (effect.copies?.[0] === before && effect.copies[1] === after.copies);
  effect.copies = same ? [before, after.copies] : null;
}

/** Bytes on the device that would hold most, and what of it would be there but once. */
function totals(tree: TreeModel, groups: readonly Group[]): { held: number; own: number } {
  const held = new Float64Array(tree.devices.length);
  const own = new Float64Array(tree.devices.length);
  for (const { type, count, after } of groups) {
    const shards = tree.shards(type);
    const copies = Math.max(1, after?.copies ?? tree.sizes[type]?.copies ?? 1);
    for (let device = 0; device < held.length; device++) {
      const inMesh = (tree.devices[device]?.position ?? -1) >= 0;
      const bytes = count * (after ? (inMesh ? after.perDevice : 0) : (shards[device] ?? 0));
      held[device] = (held[device] ?? 0) + bytes;
      own[device] = (own[device] ?? 0) + bytes / copies;
    }
  }
  const fullest = held.indexOf(Math.max(...held));
  return { held: held[fullest] ?? 0, own: own[fullest] ?? 0 };
}

/** The last rule that matches a leaf. */
function decidedBy(tree: TreeModel, leaf: number, effects: readonly Effect[]): Effect | null {
  const of = tree.typeAt(leaf);
  // What is in the host's memory on purpose, or gone, no rule brings back.
  if (!isArray(of) || of.state === "deleted" || of.offloaded) return null;
  let last: Effect | null = null;
  const name = tree.nameOf(leaf);
  for (const effect of effects) {
    if (!effect.rule.pattern?.test(name)) continue;
    effect.matches++;
    last = effect;
  }
  return last;
}

function outcomeOf(tree: TreeModel, leaf: number, spec: Spec): Outcome | { error: string; said: string } {
  const of = tree.typeAt(leaf);
  const draft: SpecDraft = { shape: of.shape, dtype: of.dtype, axes: tree.mesh.axes, ...spec };
  const refusal = refusalOf(draft, tree.doc);
  if (refusal) return { error: refusal.error, said: refusal.said };
  const sizes = evenSizes(of, tree.mesh, (d) => spec.entries[d]?.axes ?? [], spec.unreduced);
  return { perDevice: sizes.perDevice, copies: sizes.copies };
}

/** A pattern that finds these leaves: their path, or with any numbers where they differ in numbers. */
export function patternOf(tree: TreeModel, leaves: readonly number[]): string {
  const names = leaves.map((leaf) => tree.nameOf(leaf));
  const exact = `^${escaped(names[0] ?? "")}$`;
  if (new Set(names).size <= 1) return exact;
  const loose = new Set(names.map((name) => escaped(name).replace(/\d+/g, "\\d+")));
  return loose.size === 1 ? `^${[...loose][0]}$` : `^(${names.map(escaped).join("|")})$`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The rules as Python, to run with the user's own `tree`. */
export function codeOfRules(rules: readonly Rule[], name: string): string {
  const good = rules.filter((rule) => rule.spec && rule.fault === "");
  const tree = /^[A-Za-z_]\w*$/.test(name) ? name : "tree";
  const lines = good.map((rule) => `    (r"${rule.source.replaceAll('"', '\\"')}", ${specCode(rule.spec as Spec)}),`);
  return [
    "import re",
    "import jax",
    "from jax.sharding import NamedSharding, PartitionSpec as P",
    "",
    "RULES = [  # the last that matches counts",
    ...lines,
    "]",
    "",
    "def sharding(path, x):",
    '    path = jax.tree_util.keystr(path, simple=True, separator="/")',
    "    specs = [spec for pattern, spec in RULES if re.search(pattern, path)]",
    "    return NamedSharding(mesh, specs[-1]) if specs else x.sharding",
    "",
    `shardings = jax.tree.map_with_path(sharding, ${tree})`,
    `${tree} = jax.device_put(${tree}, shardings)  # or jax.jit(f, in_shardings=(shardings, …))`,
  ].join("\n");
}

/**
 * Rules that say how leaves would be split: `params/embed → P('model', None)`, of which the last that matches counts; or,
 * of leaves whose dimensions have logical names, flax's own: `('embed', 'model')`.
 */
import type { SpecDraft } from "../../core/document.gen";
import { unpack } from "../../core/ints";
import { refusalOf } from "../../core/spec/refusal";
import { readSpec } from "../../core/spec/spec";
import { rulesApply } from "./leaf";
import { evenSizes, type TreeModel } from "./tree";

export type Spec = Pick<SpecDraft, "entries" | "unreduced" | "reduced">;

/** One line as it was written. */
export interface Rule {
  text: string;
  pattern: RegExp | null;
  source: string;
  spec: Spec | null;
  /** A logical name and the mesh axes for it; null where the rule is for paths. */
  logical: { name: string; axes: readonly string[] } | null;
  /** Why the line is not a rule; empty where it is one. */
  fault: string;
}

/** What a rule does. */
export interface Effect {
  rule: Rule;
  /** Leaves that it matches, and those of them that take their spec from it. */
  matches: number;
  counts: number;
  /** Copies before and after of the leaves that it decides, if all have the same. */
  copies: readonly [number, number] | null;
  /** JAX's error for the leaves that it refuses: the first, and how many there are. */
  refused: { leaf: number; error: string; said: string; count: number } | null;
}

export interface WhatIf {
  effects: readonly Effect[];
  /** Bytes on the device that holds most. */
  held: number;
  /** Of these, what no other device holds. */
  own: number;
  /** Sizes of the leaves that a rule changes. */
  changed: ReadonlyMap<number, Outcome>;
}

const ARROW = /^(.*?)\s*(?:→|->|=>|:)\s*((?:jax\.)?(?:sharding\.)?(?:P|PartitionSpec)\s*\(.*\))$/;
const PAIR = /^\(\s*r?(['"])(.*)\1\s*,\s*((?:jax\.)?(?:sharding\.)?(?:P|PartitionSpec)\s*\(.*\))\s*\)\s*,?$/;

const LOGICAL = /^\(\s*(['"])([^'"]+)\1\s*,\s*(.+?)\s*,?\s*\)\s*,?$/;

/** Reads rules, one per line; empty lines and comments are skipped. */
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
  const rule = { text, source, pattern: null, spec: null, logical: null };
  const [, , name, axes] = (!pair && LOGICAL.exec(text)) || [];
  if (name !== undefined && axes !== undefined) {
    const entry = readSpec(`P(${axes.replace(/^\[(.*)\]$/, "($1)")})`)?.entries[0];
    return entry ? { ...rule, source: name, logical: { name, axes: entry.axes }, fault: "" } : { ...rule, fault: AXES };
  }
  if (!pair && !arrow) return { ...rule, fault: "A rule is a path and a spec: params/embed → P('model', None)." };
  const read = readSpec(spec);
  if (!read) return { ...rule, fault: `${spec} is not a PartitionSpec.` };
  try {
    return { ...rule, pattern: pythonPattern(source), spec: read, fault: "" };
  } catch (error) {
    return { ...rule, fault: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * A pattern as Python's `re.search` takes it, which the code of the rules hands it to.
 *
 * What only one language has is rewritten or refused, so that the view matches what the code does.
 */
function pythonPattern(source: string): RegExp {
  let [text, flags] = [source, ""];
  const inline = /^\(\?([aiLmsux]+)\)/.exec(text);
  if (inline) {
    text = text.slice(inline[0].length);
    flags = (inline[1] ?? "").replaceAll("u", "");
    if (/[aLx]/.test(flags)) throw new Error(`${inline[0]} is not known here: (?i), (?m) and (?s) are.`);
  }
  // Classes and escapes are passed over whole: in them, these forms mean themselves.
  const parts =
    /\\[AZ]|\\(?:[pPkcu]|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|\{,\d+\}|\(\?P<|\(\?P=(\w+)\)|\(\?[aiLmsux]+\)|\(\?</g;
  text = text.replace(parts, (form: string, name: string | undefined) => {
    if (form === "\\A") return "(?<![\\s\\S])";
    if (form === "\\Z") return "(?![\\s\\S])";
    if (/^\\[pPkcu]$|^\[.*\\[AZ]/.test(form)) throw new Error(`Python has no ${form} in patterns.`);
    if (form.startsWith("{,")) return `{0${form.slice(1)}`;
    if (name !== undefined) return `\\k<${name}>`;
    if (form === "(?P<") return "(?<";
    if (/^\(\?[aiLmsux]+\)$/.test(form)) throw new Error(`${form} stands at the start of a pattern.`);
    return form;
  });
  if (/\(\?<(?![=!])/.test(source)) throw new Error("Python names groups (?P<name>…).");
  return new RegExp(text, [...new Set(flags)].join(""));
}

const AXES = "A rule for a logical name is a pair: ('embed', 'model'), with a mesh axis, several, or None.";

/**
 * The spec of dimensions with logical names, as `flax.linen.logical_to_mesh_axes` gives it: rules in order, each for a
 * dimension that has no axes yet, if the axes are free. Null where flax refuses the names.
 */
export function logicalSpec(names: readonly string[], rules: readonly Rule[]): Spec | null {
  const used = new Set<string>();
  const found: (readonly string[] | undefined)[] = names.map((name) => (name === "" ? [] : undefined));
  if (new Set(names.filter(Boolean)).size < names.filter(Boolean).length) return null;
  for (const { logical } of rules) {
    const at = logical ? names.indexOf(logical.name) : -1;
    if (!logical || at < 0 || found[at] !== undefined || logical.axes.some((axis) => used.has(axis))) continue;
    found[at] = logical.axes;
    for (const axis of logical.axes) used.add(axis);
  }
  const entries = found.map((axes) => ({ axes: [...(axes ?? [])], unconstrained: false }));
  return { entries, unreduced: [], reduced: [] };
}

/** What the rules would do to the tree: arithmetic on shapes, no array is touched. */
export function applyRules(tree: TreeModel, rules: readonly Rule[]): WhatIf {
  const effects: Effect[] = rules.map((rule) => ({ rule, matches: 0, counts: 0, copies: null, refused: null }));
  const changed = new Map<number, Outcome>();
  // Leaves of one type under one rule come to the same.
  const groups = new Map<string, Group>();
  for (let leaf = 0; leaf < tree.typeOf.length; leaf++) {
    const type = tree.typeOf[leaf] ?? 0;
    const { by, key: how, spec } = decidedBy(tree, leaf, effects);
    const key = `${type} ${how}`;
    const group = groups.get(key) ?? { type, count: 0, after: null };
    if (how !== "" && group.count === 0) {
      const outcome = spec ? outcomeOf(tree, leaf, spec) : TWICE;
      if ("said" in outcome) for (const effect of by) effect.refused ??= { leaf, ...outcome, count: 0 };
      else group.after = outcome;
    }
    group.count++;
    groups.set(key, group);
    for (const effect of by) countLeaf(effect, tree.sizes[type]?.copies ?? 0, group.after);
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
function countLeaf(effect: Effect, before: number, after: Outcome | null): void {
  effect.counts++;
  if (!after) {
    if (effect.refused) effect.refused.count++;
    return;
  }
  const same = effect.counts === 1 || (effect.copies?.[0] === before && effect.copies[1] === after.copies);
  effect.copies = same ? [before, after.copies] : null;
}

/** Bytes on the device that would hold most, and the part that no other device would hold. */
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

/** What says how a leaf is split. */
interface Decision {
  by: readonly Effect[];
  /** Tells decisions on leaves of one type apart; empty where the leaf stays as it is. */
  key: string;
  /** Null where the leaf stays as it is, or its logical names are refused. */
  spec: Spec | null;
}

const NONE: Decision = { by: [], key: "", spec: null };

/** What flax says to logical names that occur twice. */
const TWICE = { error: "ValueError", said: "Unsupported: Dimensions occur more than once in array names." };

/** The last rule that matches the path of a leaf; else all those for its logical names. */
function decidedBy(tree: TreeModel, leaf: number, effects: readonly Effect[]): Decision {
  const of = tree.typeAt(leaf);
  if (!rulesApply(of)) return NONE;
  const named = of.logical.length > 0 ? effects.filter(({ rule }) => rule.logical) : [];
  const found = named.filter(({ rule }) => of.logical.includes(rule.logical?.name ?? ""));
  for (const effect of found) effect.matches++;
  let last: Effect | null = null;
  const name = tree.nameOf(leaf);
  for (const effect of effects) {
    if (!effect.rule.pattern?.test(name)) continue;
    effect.matches++;
    last = effect;
  }
  if (last) return { by: [last], key: String(effects.indexOf(last)), spec: last.rule.spec };
  if (named.length === 0) return NONE;
  const rules = named.map(({ rule }) => rule);
  return { by: found, key: "logical", spec: logicalSpec(of.logical, rules) };
}

function outcomeOf(tree: TreeModel, leaf: number, spec: Spec): Outcome | { error: string; said: string } {
  const of = tree.typeAt(leaf);
  const draft: SpecDraft = { shape: of.shape, dtype: of.dtype, axes: tree.mesh.axes, ...spec };
  const refusal = refusalOf(draft, tree.doc);
  if (refusal) return { error: refusal.error, said: refusal.said };
  const placed = { shape: of.shape, bits: of.device_bits };
  const sizes = evenSizes(placed, tree.mesh, (d) => spec.entries[d]?.axes ?? [], spec.unreduced);
  return { perDevice: sizes.perDevice, copies: sizes.copies };
}

/** A rule that a flag suggests. */
export interface Offer {
  leaves: readonly number[];
  spec: string;
  /** The rule as it would be added. */
  text: string;
  /** Bytes on the device that would hold most. */
  held: number;
}

/** Suggestions that are made. */
const OFFERS = 3;

/** What the worst flags suggest beside these rules. */
export function offersFor(tree: TreeModel, rules: string): Offer[] {
  const out: Offer[] = [];
  for (const { spec, leaves: packed } of tree.doc.flags) {
    if (spec === "") continue;
    const leaves = [...unpack(packed)];
    const text = `${patternOf(tree, leaves)} → ${spec}`;
    if (rules.includes(text)) continue;
    out.push({ leaves, spec, text, held: applyRules(tree, readRules(`${rules}\n${text}`)).held });
    if (out.length === OFFERS) break;
  }
  return out;
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

/** The rules with one more, in place of an earlier one for the same pattern: the later would count anyway. */
export function withRule(text: string, pattern: string, spec: string): string {
  const others = text.split("\n").filter((line) => line.trim() !== "" && readRule(line.trim()).source !== pattern);
  return [...others, `${pattern} → ${spec}`].join("\n");
}

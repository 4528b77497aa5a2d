/** The lines of a tree's table: what is open, equal layers as one, sorted and filtered. */
import type { Flag } from "../../core/document.gen";
import type { Finding, Sums, TreeModel } from "./tree";

export const SORTS = ["tree", "bytes", "copies"] as const;
export type Sort = (typeof SORTS)[number];

/** One line: a node, or equal nodes side by side. */
export interface Row {
  /** The node, or the first of equal ones. */
  node: number;
  depth: number;
  /** The last step of its path; in a flat list the whole path. */
  name: string;
  /** Equal nodes side by side that it stands for; 1 for itself alone. */
  count: number;
  /** The same, multiplied by those of the folds that it is in. */
  times: number;
  /** Which of their siblings those are, in words: `0 to 6 and 8 to 11`; empty for all. */
  which: string;
  /** Leaf of the node; null where it has some below. */
  leaf: number | null;
  open: boolean;
  /** Of all equal nodes together, also where it is below such. */
  sums: Sums;
  /** The flags of the leaves below, worst first; none for a node that is open. */
  flags: readonly Flag[];
  /** The reasons to look that no line above has said. */
  said: readonly Finding[];
}

export interface Listing {
  sort: Sort;
  flat: boolean;
  /** Words that must all be found, in path, type or axes; `copies>1`. */
  search: string;
  /** Name of a mesh axis that must split a leaf; null for any. */
  axis: string | null;
  /** Index of the device whose bytes are counted. */
  device: number;
  /** Nodes that were opened or closed by hand; the others are open while there is room. */
  open: ReadonlyMap<number, boolean>;
  /** Lines that a tree opens by itself. */
  room?: number;
}

const ROOM = 24;

export function rowsOf(tree: TreeModel, listing: Listing): Row[] {
  const wanted = wantedLeaves(tree, listing);
  const folded = branches(tree, listing, wanted, true);
  // A search for one layer of several equal ones finds it in none of the folds.
  const found = folded.length === 0 && wanted ? branches(tree, listing, wanted, false) : folded;
  const out: Row[] = [];
  if (listing.flat) {
    for (const leaf of sorted(leavesOf(found), listing.sort)) out.push(leaf);
    return saidOnce(tree, out);
  }
  const opened = wanted ? null : openByItself(found, listing);
  const walk = (branch: Branch) => {
    const { node, leaf } = branch.row;
    const open = leaf === null && (listing.open.get(node) ?? (opened ? opened.has(node) : true));
    out.push({ ...branch.row, open, flags: open ? [] : branch.row.flags });
    if (open) for (const child of order(branch.children, listing.sort)) walk(child);
  };
  for (const branch of order(found, listing.sort)) walk(branch);
  return saidOnce(tree, out);
}

/** Each finding at the line of the leaf that it is named by; where that is not listed, at the first line that has one of it. */
function saidOnce(tree: TreeModel, rows: readonly Row[]): Row[] {
  const has = rows.map(({ flags }) => new Set(flags.flatMap((flag) => tree.findingOf.get(flag) ?? [])));
  const at = new Map<Finding, number>();
  for (const finding of new Set(has.flatMap((found) => [...found]))) {
    const node = tree.shownFor(tree.nodeOf[tree.leafOf(finding)] ?? 0);
    const named = rows.findIndex(
      (row, k) => has[k]?.has(finding) && row.node <= node && node < (tree.end[row.node] ?? 0),
    );
    at.set(finding, named < 0 ? has.findIndex((found) => found.has(finding)) : named);
  }
  return rows.map((row, k) => ({
    ...row,
    said: [...(has[k] ?? [])].filter((finding) => at.get(finding) === k).sort((a, b) => b.cost - a.cost),
  }));
}

interface Branch {
  row: Row;
  children: Branch[];
}

/** Which leaves are listed; null for all. */
function wantedLeaves(tree: TreeModel, { search, axis }: Listing): ((leaf: number) => boolean) | null {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && axis === null) return null;
  const tests = words.map(testOf);
  return (leaf) => {
    if (axis !== null && !tree.typeAt(leaf).dims.some((d) => d.axes.includes(axis))) return false;
    return tests.every((test) => test(tree, leaf));
  };
}

type Test = (tree: TreeModel, leaf: number) => boolean;

function testOf(word: string): Test {
  const [, sign, number] = /^copies([<>=])(\d+)$/.exec(word) ?? [];
  if (!sign) {
    return (tree, leaf) =>
      `${tree.nameOf(leaf)} ${tree.pathOf(leaf)} ${tree.typeAt(leaf).type}`.toLowerCase().includes(word);
  }
  const limit = Number(number);
  return (tree, leaf) => {
    const { copies } = tree.sizesAt(leaf);
    return sign === ">" ? copies > limit : sign === "<" ? copies < limit : copies === limit;
  };
}

/** The tree with its folds closed, and only what is wanted. */
function branches(
  tree: TreeModel,
  listing: Listing,
  wanted: ((leaf: number) => boolean) | null,
  fold: boolean,
): Branch[] {
  const below = (from: number, to: number, depth: number, above: number, prefix: string): Branch[] => {
    const out: Branch[] = [];
    const skipped = new Set<number>();
    for (let node = from; node < to; node = tree.end[node] ?? to) {
      if (skipped.has(node)) continue;
      const members = fold ? tree.folds.get(node) : undefined;
      for (const member of members ?? []) skipped.add(member);
      const times = above * (members?.length ?? 1);
      const name = members ? foldName(tree, members) : tree.keyOf(node).name;
      const path = prefix === "" ? name : `${prefix}/${name}`;
      const leaf = tree.isLeaf(node) ? tree.leafAt(node) : null;
      const inner = leaf === null ? below(node + 1, tree.end[node] ?? to, depth + 1, times, path) : [];
      if (leaf === null ? inner.length === 0 : wanted && !wanted(leaf)) continue;
      const [only] = inner;
      if (only && inner.length === 1 && isBox(tree, node, only.row)) {
        const count = members?.length ?? 1;
        out.push({ ...only, row: { ...only.row, depth, count, name: listing.flat ? path : name } });
        continue;
      }
      if (layered(tree, node, inner)) {
        out.push(...inner.map((branch) => hoisted(branch, name, listing.flat)));
        continue;
      }
      const some = members && members.length < siblings(tree, from, to);
      const flag = leaf === null ? undefined : tree.flagOf.get(leaf);
      const row: Row = {
        node,
        depth,
        name: listing.flat ? path : name,
        count: members?.length ?? 1,
        times,
        which: some ? runsText(tree, members) : "",
        leaf,
        open: false,
        sums: leaf === null ? added(inner.map((b) => b.row.sums)) : multiplied(tree.sums(node, listing.device), times),
        flags: leaf === null ? worstFirst(inner) : flag ? [flag] : [],
        said: [],
      };
      out.push({ row, children: inner });
    }
    return out;
  };
  return below(0, tree.key.length, 0, 1, "");
}

/** Whether a leaf is all that its parameter holds: flax nnx keeps each array as the `value` of a variable. */
function isBox(tree: TreeModel, above: number, { leaf, node }: Row): boolean {
  return leaf !== null && node === above + 1 && /^\.(raw_)?value$/.test(tree.keyOf(node).text);
}

/** Whether a node is a list of equal layers, and at most a few that differ from them: they stand in its place. */
function layered(tree: TreeModel, above: number, inner: readonly Branch[]): boolean {
  const items = inner.every(
    ({ row: { leaf, node } }) =>
      leaf === null && tree.depth[node] === (tree.depth[above] ?? 0) + 1 && /^\d+$/.test(tree.keyOf(node).name),
  );
  return items && inner.length <= 4 && inner.filter(({ row }) => row.count > 1).length === 1;
}

/** `layers` for the equal ones, `layers/7` for another; one level up, and so is what is below. */
function hoisted(branch: Branch, above: string, flat: boolean): Branch {
  const { row } = branch;
  const raised = (b: Branch): Branch => ({
    row: { ...b.row, depth: b.row.depth - 1 },
    children: b.children.map(raised),
  });
  const name = row.count > 1 ? above : `${above}/${row.name}`;
  const up = raised(branch);
  return flat ? up : { ...up, row: { ...up.row, name } };
}

/** Nodes side by side. */
function siblings(tree: TreeModel, from: number, to: number): number {
  let count = 0;
  for (let node = from; node < to; node = tree.end[node] ?? to) count++;
  return count;
}

function worstFirst(inner: readonly Branch[]): readonly Flag[] {
  return [...new Set(inner.flatMap(({ row }) => row.flags))].sort((a, b) => b.cost - a.cost);
}

/** `0–11` for numbers that follow one another, `block_0–11` for names that end in such; else `block_*`. */
function foldName(tree: TreeModel, members: Int32Array): string {
  const names = [...members].map((node) => tree.keyOf(node).name);
  const numbers = names.map((name) => Number(/\d+$/.exec(name)?.[0] ?? Number.NaN));
  const follow = numbers.every((n, i) => i === 0 || n === (numbers[i - 1] ?? 0) + 1);
  return follow ? `${names[0]}–${numbers.at(-1)}` : (names[0] ?? "").replace(/\d+/g, "*");
}

/** `0 to 6 and 8 to 11`. */
function runsText(tree: TreeModel, members: Int32Array): string {
  const numbers = [...members].map((node) => Number(/\d+/.exec(tree.keyOf(node).name)?.[0] ?? 0));
  const runs: [number, number][] = [];
  for (const n of numbers) {
    const last = runs.at(-1);
    if (last && last[1] + 1 === n) last[1] = n;
    else runs.push([n, n]);
  }
  const texts = runs.map(([a, b]) => (a === b ? `${a}` : `${a} to ${b}`));
  return texts.length > 3 ? `${members.length} of them` : texts.join(" and ");
}

function multiplied(sums: Sums, n: number): Sums {
  const { leaves, bytes, here, own, spent, copies } = sums;
  return { leaves: leaves * n, bytes: bytes * n, here: here * n, own: own * n, spent: spent * n, copies };
}

/** What several come to together. */
export function added(all: readonly Sums[]): Sums {
  const sum = (of: (s: Sums) => number) => all.reduce((total, s) => total + of(s), 0);
  const on = all.filter((s) => s.copies[1] > 0);
  return {
    leaves: sum((s) => s.leaves),
    bytes: sum((s) => s.bytes),
    here: sum((s) => s.here),
    own: sum((s) => s.own),
    spent: sum((s) => s.spent),
    copies: on.length > 0 ? [Math.min(...on.map((s) => s.copies[0])), Math.max(...on.map((s) => s.copies[1]))] : [0, 0],
  };
}

function order(all: readonly Branch[], sort: Sort): readonly Branch[] {
  if (sort === "tree") return all;
  const by = SORT_BY[sort];
  return [...all].sort((a, b) => by(b.row.sums) - by(a.row.sums));
}

function sorted(rows: readonly Row[], sort: Sort): readonly Row[] {
  return sort === "tree" ? rows : [...rows].sort((a, b) => SORT_BY[sort](b.sums) - SORT_BY[sort](a.sums));
}

const SORT_BY: Readonly<Record<Exclude<Sort, "tree">, (sums: Sums) => number>> = {
  bytes: (s) => s.here,
  copies: (s) => s.spent,
};

function leavesOf(all: readonly Branch[]): Row[] {
  return all.flatMap(({ row, children }) => (row.leaf === null ? leavesOf(children) : [{ ...row, depth: 0 }]));
}

/** Nodes that are open at first: level by level, those with most bytes first, while there is room. */
function openByItself(roots: readonly Branch[], { open, room = ROOM }: Listing): ReadonlySet<number> {
  const opened = new Set<number>();
  // What was opened by hand, or on the way to a finding, takes its room first.
  const byHand = (all: readonly Branch[]): number =>
    all.reduce((sum, b) => (open.get(b.row.node) ? sum + b.children.length + byHand(b.children) : sum), 0);
  let lines = roots.length + byHand(roots);
  let level = roots.filter((b) => b.children.length > 0);
  while (level.length > 0) {
    const next: Branch[] = [];
    for (const branch of [...level].sort((a, b) => b.row.sums.here - a.row.sums.here)) {
      // A tree of one node shows nothing while it is closed.
      const more = open.get(branch.row.node) ? 0 : branch.children.length;
      if (lines > 1 && lines + more > room) continue;
      lines += more;
      opened.add(branch.row.node);
      next.push(...branch.children.filter((b) => b.children.length > 0));
    }
    level = next;
  }
  return opened;
}

/** Layers that stand in one array each: `layers/q` of `[12, 1024, 1024]`, as `jax.lax.scan` takes them. */
import { isArray, type TreeModel } from "./tree";

/** What people call the node above such arrays; in the singular it is one layer. */
const NAMES = /(^|_)(layers|blocks)$/i;

/**
 * How many layers are stacked below a node: the first dimension, where all arrays there have the same. 0 where that is not
 * sure: it has another name, holds a list, or holds vectors, of which a single layer has some of its own.
 */
export function stackedIn(tree: TreeModel, node: number): number {
  const end = tree.end[node] ?? 0;
  if (tree.isLeaf(node) || !NAMES.test(tree.keyOf(node).name)) return 0;
  const firsts = new Set<number>();
  let deep = false;
  for (let at = node + 1; at < end; at++) {
    if (/^\d+$/.test(tree.keyOf(at).name)) return 0;
    if (!tree.isLeaf(at)) continue;
    const of = tree.typeAt(tree.leafAt(at));
    if (!isArray(of)) continue;
    if (of.shape.length < 2) return 0;
    deep ||= of.shape.length > 2;
    firsts.add(of.shape[0] ?? 0);
  }
  const [first = 0] = firsts;
  return firsts.size === 1 && deep && first > 1 ? first : 0;
}

/** `×12` of equal nodes, and of layers in one array each; empty for a node by itself. */
export function timesText(tree: TreeModel, row: { node: number; count: number }): string {
  const times = row.count > 1 ? row.count : stackedIn(tree, row.node);
  return times > 0 ? `×${times}` : "";
}

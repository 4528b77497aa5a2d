/** What a tree's card says in words: badges, types, labels of lines. */

import { type Figures, figuresOf } from "../../core/columns";
import { LEAVES } from "../../core/columns.gen";
import { bytes } from "../../core/format";
import { type Badge, count } from "../../core/text";
import type { Row } from "./rows";
import { stackedIn } from "./stacked";
import type { TreeModel } from "./tree";

export function badgesOf(tree: TreeModel): Badge[] {
  const most = tree.held[tree.fullest] ?? 0;
  const where = tree.nearlyAlike ? "on each device" : `on device ${tree.devices[tree.fullest]?.id}, the most of any`;
  const badges: Badge[] = [{ strong: bytes(tree.bytes), text: "in all", tone: "plain" }];
  if (most > 0) badges.push({ strong: bytes(most), text: where, tone: "plain" });
  if (tree.spent > 0) badges.push({ strong: bytes(tree.spent), text: "spent on copies", tone: "warn" });
  return badges;
}

/** How bytes of the lines are written: in all, and on the device. */
export function lineFigures(rows: readonly Row[]): Figures<typeof LEAVES> {
  return figuresOf(
    LEAVES,
    rows.map(({ sums }) => ({ all: sums.bytes, here: sums.here })),
  );
}

/** The head of the column of bytes on a device. */
export function deviceHead(tree: TreeModel, device: number): string {
  return tree.alike ? "on each device" : `on device ${tree.devices[device]?.id}`;
}

/** The text in the type column: for a node, what it holds. */
export function typeText(tree: TreeModel, row: Row): string {
  if (row.leaf !== null) {
    const of = tree.typeAt(row.leaf);
    const state = { deleted: ", deleted", host: ", on the host", unreadable: ", unreadable" } as const;
    return of.type + (state[of.state as keyof typeof state] ?? (of.offloaded ? `, in ${of.memory_kind}` : ""));
  }
  if (row.count === 1) {
    const arrays = count(row.sums.leaves, "array");
    return stackedIn(tree, row.node) > 0 ? `stacked in ${arrays}` : arrays;
  }
  const each = count(row.sums.leaves / row.times, "array");
  return `${each} in each, ${row.which ? `${row.which}, ` : ""}all equal`;
}

/** `×8`; `×1–8` where leaves differ; empty for what is on no device. */
export function copiesText({ sums, leaf }: Row): string {
  const [least, most] = sums.copies;
  if (most === 0 || (leaf === null && least !== most)) return "";
  return `×${least}`;
}

/** What the flags of a line could save: `56 MiB too much`. */
export function costText({ flags, cost }: Row): string {
  const more = flags.length > 1 ? `, ${flags.length} flags` : "";
  return cost > 0 ? `${bytes(cost)} too much${more}` : "";
}

/** `params/embed, bf16[32768,1024], copied 8 times, 64 MiB on each device, 448 MiB spent on copies`. */
export function labelOf(tree: TreeModel, row: Row): string {
  const { sums } = row;
  const parts = [row.name || "the whole tree", typeText(tree, row)];
  const stacked = row.count === 1 ? stackedIn(tree, row.node) : 0;
  if (stacked > 0) parts.push(`${stacked} layers in each`);
  if (sums.copies[0] > 1) parts.push(count(sums.copies[0], "copy", "copies"));
  if (sums.copies[1] > 0) parts.push(`${bytes(sums.here)} on a device`);
  if (sums.spent > 0) parts.push(`${bytes(sums.spent)} spent on copies`);
  parts.push(...row.flags.slice(0, 1).map((flag) => flag.reason));
  return parts.join(", ");
}

/** The leaves that take most, for screen readers. */
export function mapLabel(largest: readonly Row[]): string {
  return `Largest: ${largest.map((row) => `${row.name} ${bytes(row.sums.here)}`).join(", ")}`;
}

/** What a tree's card says in words: badges, types, labels of lines. */

import { type Figures, figuresOf } from "../../core/columns";
import { LEAVES } from "../../core/columns.gen";
import { bytes, type Format } from "../../core/format";
import { unpack } from "../../core/ints";
import { type Badge, clauseOf, count } from "../../core/text";
import type { Row } from "./rows";
import { stackedIn } from "./stacked";
import type { Finding, TreeModel } from "./tree";

/** What deserves a look first, and why; where nothing does, what each device holds. */
export function answerOf(tree: TreeModel, write: Format): { says: string; also: string } {
  const [first] = tree.findings;
  if (first) {
    const [flag] = first.flags;
    const leaf = (flag && tree.nameOf(unpack(flag.leaves)[0] ?? 0)) || "the whole tree";
    const why = clauseOf(first.reason);
    const is = /^(Copied|Only|Unlike|Split) /.test(why) ? why.charAt(0).toLowerCase() + why.slice(1) : "";
    const where = first.leaves > 1 ? `${leaf} and ${first.leaves - 1} more` : leaf;
    const whose = is ? `${where} ${first.leaves > 1 ? "are" : "is"} ${is}` : where;
    const each = tree.nearlyAlike ? "on each device" : "on a device";
    return {
      says: first.cost > 0 ? `${write(first.cost)} too much ${each}: ${whose}` : whose,
      also: is ? "" : why,
    };
  }
  const most = tree.held[tree.fullest] ?? 0;
  if (most === 0) return { says: "On no device yet", also: "" };
  const where = tree.nearlyAlike ? "on each device" : `on device ${tree.devices[tree.fullest]?.id}, the most of any`;
  return { says: `${write(most)} ${where}, ${tree.spent > 0 ? "nothing to look at" : "nothing copied"}`, also: "" };
}

/** What the whole tree comes to; `write`: as the table writes bytes on a device. */
export function badgesOf(tree: TreeModel, write: Format): Badge[] {
  const most = tree.held[tree.fullest] ?? 0;
  const where = tree.nearlyAlike ? "on each device" : `on device ${tree.devices[tree.fullest]?.id}, the most of any`;
  const badges: Badge[] = [{ strong: bytes(tree.bytes), text: "in all", tone: "plain" }];
  if (most > 0) badges.push({ strong: write(most), text: where, tone: "plain" });
  if (tree.spent > 0) badges.push({ strong: bytes(tree.spent), text: "spent on copies", tone: "warn" });
  const looks = tree.findings.length;
  if (looks > 0) badges.push({ strong: String(looks), text: "to look at", tone: "warn", to: "finding" });
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
    const state = {
      deleted: ", deleted",
      shared: ", shared",
      host: ", on the host",
      unreadable: ", unreadable",
    } as const;
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

/** `12 leaves: copied on all 8 devices`. */
export function findingText({ leaves, reason }: Finding): string {
  return leaves > 1 ? `${leaves} leaves: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}` : reason;
}

/** What the first finding of a line costs, and how many more it has: `56 MiB too much`. */
export function costText({ said: [first, ...others] }: Row, write: Format): string {
  const more = others.length > 0 ? `${others.length} more` : "";
  return [first && first.cost > 0 ? `${write(first.cost)} too much` : "", more].filter(Boolean).join(", ");
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
  parts.push(...row.said.slice(0, 1).map(findingText));
  return parts.join(", ");
}

/** The leaves that take most, for screen readers. */
export function mapLabel(largest: readonly Row[]): string {
  return `Largest: ${largest.map((row) => `${row.name} ${bytes(row.sums.here)}`).join(", ")}`;
}

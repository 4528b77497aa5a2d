/** What a tree's card says in words: badges, types, labels of lines. */

import { bytes, bytesColumn, type Format } from "../../core/format";
import { type Badge, clauseOf, count } from "../../core/text";
import type { Row } from "./rows";
import { stackedIn } from "./stacked";
import { type Finding, ownBytes, type TreeModel } from "./tree";

/** What deserves a look first, and why; where nothing does, what each device holds. */
export function answerOf(tree: TreeModel, write: Format): { says: string; also: string } {
  const [first] = tree.findings;
  if (first) {
    const leaf = findingName(tree, first) || "the whole tree";
    const why = clauseOf(first.reason).replace(/\b(on all \d+) devices\b/, "$1");
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
  if (most === 0) return { says: `${bytes(tree.bytes)} in all, none of it in a device's memory`, also: "" };
  const where = tree.nearlyAlike ? "on each device" : `on device ${tree.devices[tree.fullest]?.id}, the most of any`;
  return { says: `${write(most)} ${where}, ${tree.spent > 0 ? "nothing to look at" : "nothing copied"}`, also: "" };
}

/** The path of the leaf that a finding is named by. */
export const findingName = (tree: TreeModel, finding: Finding) => tree.nameOf(tree.leafOf(finding));

/** What the whole tree comes to. */
export function badgesOf(tree: TreeModel, { all, here }: Figures): Badge[] {
  const most = tree.held[tree.fullest] ?? 0;
  const where = tree.nearlyAlike ? "on each device" : `on device ${tree.devices[tree.fullest]?.id}, the most of any`;
  const copies = most - (ownBytes(tree)[tree.fullest] ?? 0);
  const badges: Badge[] =
    most > 0
      ? [{ strong: here(most), text: where, tone: "plain", to: "bytes" }]
      : [{ strong: all(tree.bytes), text: "in all", tone: "plain" }];
  if (copies > 0) badges.push({ strong: here(copies), text: "of it copies", tone: "warn", to: "copies" });
  const looks = tree.findings.length;
  if (looks > 0) badges.push({ strong: String(looks), text: "to look at", tone: "warn", to: "finding" });
  return badges;
}

/** How bytes are written: of an array or of several in all, and on a device. */
export interface Figures {
  all: Format;
  here: Format;
}

/** From here on a number of bytes in all has a unit of its own. */
const LONG = 100_000;

/** One unit for all that the card shows; in all only where that has no more than five digits. */
export function figuresOf(tree: TreeModel, leaves: readonly Row[]): Figures {
  const here = grouped(bytesColumn([...tree.held, ...leaves.map(({ sums }) => sums.here)]));
  const short = Number.parseInt(numberOf(here(tree.bytes)).replaceAll(",", ""), 10) < LONG;
  const all = short ? here : grouped(bytesColumn([tree.bytes, ...leaves.map(({ sums }) => sums.bytes)]));
  return { all, here };
}

/** The same with a comma between thousands. */
const grouped =
  (write: Format): Format =>
  (n) =>
    write(n).replace(/(?<!\.\d*)\d(?=(\d{3})+\b)/g, "$&,");

/** A number without its unit, which the head of its column says, and the unit. */
export const numberOf = (text: string) => text.slice(0, text.lastIndexOf(" "));
export const unitOf = (write: Format) => write(0).replace(/^\S+ /, "");

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

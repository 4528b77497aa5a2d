/** What the Inspector says in words: its head, its lines, what changed. */
import type { Holder } from "../../core/document.gen";
import { bytes } from "../../core/format";
import { type Badge, clauseOf, count } from "../../core/text";
import type { NamespaceModel } from "./namespace";

export type Filter = "all" | "changed" | "flagged";

/** The lines that are listed: those that a filter keeps, and in which all words are found. */
export function listed(model: NamespaceModel, filter: Filter, search: string): readonly Holder[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return model.doc.holders.filter((holder) => {
    if (filter === "changed" && holder.change === "") return false;
    if (filter === "flagged" && holder.flags === 0) return false;
    const types = holder.parts.map((part) => part.type).join(" ");
    const text = `${nameOf(holder)} ${typeText(model, holder)} ${types}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function nameOf(holder: Holder): string {
  return holder.name || "without a name";
}

/** The type of an array; for a tree, what it holds. */
export function typeText(model: NamespaceModel, holder: Holder): string {
  const of = model.typeOf(holder);
  if (of) return of.type + (of.state === "deleted" ? ", deleted" : of.offloaded ? `, in ${of.memory_kind}` : "");
  if (holder.change === "gone" && holder.was) return holder.was;
  const gone = holder.deleted > 0 ? `, ${holder.deleted} deleted` : "";
  return `${count(holder.arrays, "array")}${gone}`;
}

/** `82 MiB`; for arrays that are counted at another name, `in params`. */
export function sizeText(model: NamespaceModel, holder: Holder): string {
  return holder.shared > 0 && holder.bytes === 0
    ? `in ${holder.shared_with || "an array without a name"}`
    : model.write(holder.bytes_per_device);
}

/** `+8 MiB`; empty for none. */
export function deltaText(model: NamespaceModel, holder: Holder): string {
  if (holder.delta === 0) return "";
  return `${holder.delta > 0 ? "+" : "−"}${model.write(Math.abs(holder.delta))}`;
}

/** What deserves a look first, and why; where nothing does, what is on each device. */
export function answerOf(model: NamespaceModel): { says: string; also: string } {
  const [first] = model.doc.holders.filter((holder) => holder.flags > 0).sort((a, b) => b.cost - a.cost);
  if (first) {
    const where = `${nameOf(first)}${first.flagged}${first.flags > 1 ? ` and ${first.flags - 1} more` : ""}`;
    const cost = first.cost > 0 ? `${model.write(first.cost)} too much on a device: ` : "";
    return { says: cost + where, also: clauseOf(first.reason) };
  }
  return { says: model.groups.length === 0 ? "No arrays yet" : `On each device ${deviceWords(model).held}`, also: "" };
}

export function badgesOf(model: NamespaceModel): Badge[] {
  const { spent, holders } = model.doc;
  const looks = holders.filter((holder) => holder.flags > 0).length;
  return [
    ...(spent > 0
      ? [{ strong: model.write(spent), text: "spent on copies", tone: "warn", to: "copies" } as const]
      : []),
    ...(looks > 0 ? [{ strong: String(looks), text: "to look at", tone: "warn", to: "flagged" } as const] : []),
  ];
}

/** More of the change than the badge: `['up'], was f32[8,16]`; empty where the badge says all. */
export function changeDetail(holder: Holder): string {
  const { change, was, path, moved, arrays } = holder;
  if (change === "updated") return arrays > 1 ? `${moved} of ${count(arrays, "array")} replaced` : "";
  if (change !== "resharded" && change !== "changed" && change !== "deleted") return "";
  const more = moved > 1 && path ? ` and ${moved - 1} more` : "";
  const before = was && change !== "deleted" ? `was ${was}` : "";
  return [path + more, before].filter(Boolean).join(", ");
}

/** A line in words, for screen readers. */
export function labelOf(model: NamespaceModel, holder: Holder): string {
  const parts = [nameOf(holder), typeText(model, holder)];
  const over = model.copiedOver(holder);
  if (over.length > 0) parts.push(`copied over ${over.join(", ")}`);
  parts.push(holder.bytes > 0 ? `${sizeText(model, holder)} on a device` : sizeText(model, holder));
  if (holder.change)
    parts.push([holder.change, deltaText(model, holder), changeDetail(holder)].filter(Boolean).join(" "));
  if (holder.reason) parts.push(`${holder.flagged ? `${holder.flagged}: ` : ""}${holder.reason}`);
  return parts.join(", ");
}

/** Index of the device that holds more than the others, as far as one sees; null for none. */
export function outstanding(model: NamespaceModel): number | null {
  const at = model.fullest;
  const most = model.write(model.held[at] ?? 0);
  return model.held.some((held, k) => k !== at && model.write(held) === most)
    ? null
    : model.held.length > 1
      ? at
      : null;
}

/** What is on each device, and how that compares with before. */
export function deviceWords(model: NamespaceModel): { held: string; change: string; limit: string } {
  const group = model.groups[model.fullest];
  if (!group) return { held: "no array is on any device", change: "", limit: "" };
  const net = group.added - group.freed;
  const change = net === 0 ? "" : `${model.write(Math.abs(net))} ${net < 0 ? "less" : "more"} than before`;
  return { held: heldWords(model, group.held), change, limit: limitWords(model) };
}

/** `82 MiB, and 90 MiB on device 0`. */
function heldWords(model: NamespaceModel, most: number): string {
  const at = outstanding(model);
  const others = new Set([...model.held].flatMap((held, k) => (k === at ? [] : [model.write(held)])));
  const [usual] = others;
  if (others.size > 1) return `up to ${model.write(most)}`;
  return at === null || usual === undefined
    ? model.write(most)
    : `${usual}, and ${model.write(most)} on device ${model.devices[at]?.id}`;
}

/** What the backend says of the fullest device: `0.4 of 80 GiB in use, 12 GiB at most`; empty where it says nothing. */
function limitWords(model: NamespaceModel): string {
  const group = [...model.groups].sort((a, b) => (b.in_use ?? 0) - (a.in_use ?? 0))[0];
  if (!group || group.in_use === null) return "";
  const of = group.limit === null ? "" : ` of ${bytes(group.limit)}`;
  const peak = group.peak === null ? "" : `, ${bytes(group.peak)} at the peak`;
  return `${bytes(group.in_use)}${of} in use by the backend${peak}`;
}

/** Announced once per cell, for screen readers. */
export function announcement(model: NamespaceModel): string {
  const { cell, holders } = model.doc;
  if (cell === 0) return "";
  const changed = holders.filter((holder) => holder.change !== "").length;
  return `After cell ${cell}: ${changed === 0 ? "no array changed" : `${count(changed, "name")} changed`}.`;
}

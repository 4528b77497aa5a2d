/** Why a value is split as it is: the chain of a comparison's reasons, and what is said of it. */
import type { Cause, Compared, Reason, Row } from "../../core/document.gen";
import { count } from "../../core/text";
import type { ComparisonModel } from "./comparison";

/** A value of the chain. */
export interface WhyLink {
  reason: Reason;
  row: Row;
  value: Compared;
  /** What passed it on to the value; empty for the first. */
  through: string;
}

export interface WhyAnswer {
  reason: Reason;
  value: Compared;
  answer: string;
  /** From what gave the axis to the value. */
  chain: readonly WhyLink[];
  lost: readonly WhyLink[];
  because: string;
  /** Names of other values that were given the same. */
  also: readonly string[];
  /** Indices of the collectives over the axis that follow. */
  collectives: readonly number[];
}

/** The reasons of a row, those first in which somebody lost; last of what is whole. */
export function reasonsOf({ doc }: ComparisonModel, row: number): readonly number[] {
  const found = doc.reasons.flatMap((r, k) => (r.row === row ? [k] : []));
  const weight = (k: number) => Number(doc.reasons[k]?.lost.length === 0) + Number(!doc.reasons[k]?.axis);
  return found.sort((a, b) => weight(a) - weight(b) || a - b);
}

/** The answer that is shown of an open row: of several, by a number that only grows. */
export function askedOf(model: ComparisonModel, row: number, asked: number) {
  const reasons = reasonsOf(model, row);
  const chosen = asked % Math.max(1, reasons.length);
  const reason = reasons[chosen];
  return { reasons, chosen, why: reason === undefined ? null : whyOf(model, reason) };
}

export function whyOf(model: ComparisonModel, index: number): WhyAnswer | null {
  const { doc } = model;
  const numbers = chainOf(doc.reasons, index);
  const links = (of: readonly number[]) => of.flatMap((k) => linkOf(model, k) ?? []);
  const chain = links(numbers);
  const [first, last] = [chain[0], chain.at(-1)];
  if (!first || !last) return null;
  const lost = links([...new Set(chain.flatMap((l) => l.reason.lost))].filter((k) => !numbers.includes(k)));
  const rows = new Set([last.reason.row, ...chain.flatMap((l) => l.reason.through)]);
  const { axis } = last.reason;
  const follows = ({ row, collective, reasons }: Cause) =>
    axis
      ? rows.has(row ?? -1) && model.collective(collective)?.axes.includes(axis)
      : reasons.includes(numbers[0] ?? -1);
  return {
    reason: last.reason,
    value: last.value,
    answer: answerOf(model, chain),
    chain,
    lost,
    because: lost.length > 0 ? (chain.find((l) => l.reason.because)?.reason.because ?? "") : "",
    also: links((doc.groups[last.reason.group]?.reasons ?? []).filter((k) => !numbers.includes(k))).map(placed),
    collectives: [...new Set(doc.causes.filter(follows).map((c) => c.collective))],
  };
}

function chainOf(reasons: readonly Reason[], index: number): readonly number[] {
  const found = [index];
  for (let at = reasons[index]?.giver ?? -1; at >= 0 && !found.includes(at); at = reasons[at]?.giver ?? -1)
    found.unshift(at);
  return found;
}

function linkOf(model: ComparisonModel, index: number): WhyLink | null {
  const reason = model.doc.reasons[index];
  const row = reason && model.row(reason.row);
  const value = reason && row?.values[reason.value];
  if (!reason || !row || !value) return null;
  const through = reason.giver < 0 ? [] : [...reason.through].reverse().map((k) => operation(model, k));
  return { reason, row, value, through: through.join(", ") };
}

function answerOf(model: ComparisonModel, chain: readonly WhyLink[]): string {
  const [first, last] = [chain[0], chain.at(-1)];
  if (!first || !last) return "";
  const { reason, value } = last;
  const own = first === last && reason.through.length === 0;
  const taken = first.reason.given === "shard_map" && first.reason.through.length > 0;
  const rows = chain.flatMap((l, i) => {
    const through = [...l.reason.through].reverse();
    return i === 0 && taken ? through.slice(1) : through;
  });
  const passed = [...new Set(rows)].filter((k) => k !== first.reason.row || chain.length === 1);
  const [one] = passed.slice(-1).map((k) => operation(model, k));
  const way =
    own || one === undefined
      ? ""
      : passed.length === 1
        ? `, ${reason.back ? "back " : ""}through ${one}`
        : `, through ${count(passed.length, "operation")}, the last ${one}`;
  const made = first.reason.given === "shard_map" && value.concrete?.dims?.[reason.dim]?.axes.length ? "made " : "";
  const is = reason.axis ? `is split over ${reason.axis}` : `is ${made}whole along dim ${reason.dim}`;
  return `${value.name} ${is} because ${origin(model, first, own)}${way}.`;
}

/** What gave the axis, in words. */
export function origin(model: ComparisonModel, first: WhyLink, own: boolean): string {
  const { reason, row, value } = first;
  const region = model.row(reason.through.at(-1) ?? reason.row) ?? row;
  switch (reason.given) {
    case "argument":
      return own
        ? `${argumentOf(row, reason.value)} was given so`
        : `${value.name} (${argumentOf(row, reason.value)}) is`;
    case "constraint":
      return `${row.decision || row.primitive}${at(row)} asks for it`;
    case "type":
      return own ? "its type says so" : `the type of ${value.name}${at(row)} says so`;
    case "jit":
      return `jit was given this sharding for ${own ? "it" : value.name}`;
    case "shard_map":
      return `the shard_map${at(region)} ${reason.through.length > 0 ? "takes" : "returns"} ${own ? "it" : value.name} so`;
    default:
      return `${value.name} is`;
  }
}

/** Which argument an array is in. */
export function argumentOf({ inputs, values }: Row, at: number): string {
  const name = values[at]?.name ?? "";
  const isIn = (of: string) => name.startsWith(of) && !/^\w/.test(name.slice(of.length));
  return `argument ${Math.max(0, inputs.findIndex(isIn))}`;
}

function operation(model: ComparisonModel, index: number): string {
  const row = model.row(index);
  if (!row) return "";
  return `${row.primitive === "outputs" ? "the return" : row.primitive}${row.source ? `, line ${row.source.line}` : ""}`;
}

function placed({ row, value, reason }: WhyLink): string {
  const name = reason.given === "jit" ? `the sharding given to jit for ${value.name || "a result"}` : value.name;
  return row.source ? `${name} (line ${row.source.line})` : name;
}

function at({ source, called_from: caller }: Row): string {
  if (!source || !caller) return source ? ` in line ${source.line}` : "";
  const file = source.file === caller.file ? "" : ` of ${source.file}`;
  return ` in line ${source.line}${file}, called from line ${caller.line},`;
}

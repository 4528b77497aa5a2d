/** What is said of a compiled program: heads, sentences, the arithmetic of an estimate. */

import type { HloCollective, Nest, Program } from "../../core/document.gen";
import { bytes, duration, secondsColumn } from "../../core/format";
import type { Badge } from "../../core/text";
import { count, some } from "../../core/text";
import type { ProgramModel, Total } from "./program";

/** Estimated time of all collectives in one call, in seconds. */
export function callSeconds(model: ProgramModel, interconnect: number): number {
  return model.collectives.reduce((sum, c) => sum + model.seconds(c, interconnect), 0);
}

/** A total of one call: at least so much where some loops run an unknown number of times. */
export function atLeast(model: ProgramModel, total: string): string {
  return model.readable ? (model.atLeast ? "≥ " : "") + total : "?";
}

/** What dominates on an interconnect, in a sentence; empty where that is not known. */
export function verdictOf({ doc }: ProgramModel, interconnect: number): string {
  return doc.verdicts[interconnect] ?? doc.verdicts[0] ?? "";
}

/** Which of several programs spends most in collectives, and which least, in a sentence; empty where that is not known. */
export function verdictOfAll(models: readonly ProgramModel[]): string {
  const spent = models.map((model) => ({ name: model.doc.name, s: callSeconds(model, model.doc.interconnect) }));
  const [first] = spent;
  const known = models.every((m) => m.readable && m.sized && m.doc.interconnects.length > 0);
  if (!first || spent.length < 2 || !known) return "";
  const silent = models.flatMap((m) => (m.collectives.length === 0 ? [m.doc.name] : []));
  if (silent.length === spent.length) return "None of them has a collective";
  const write = secondsColumn(spent.map(({ s }) => s));
  const [least, most] = [spent.reduce((a, b) => (b.s < a.s ? b : a)), spent.reduce((a, b) => (b.s > a.s ? b : a))];
  const longest = `${most.name} spends most in collectives: ${write(most.s)} a call`;
  if (silent.length > 0)
    return `${silent.length > 2 ? `${silent.length} of them` : silent.join(" and ")} ${silent.length > 1 ? "send" : "sends"} nothing; ${longest}`;
  return write(least.s) === write(most.s)
    ? `All spend ${write(most.s)} a call in collectives`
    : `${longest}, ${least.name} least: ${write(least.s)}`;
}

/** Where the badge of findings goes. */
export const LOOK = "look";
/** And that of the time of a call. */
const COSTLIEST = "costliest";

export function badgesOf(model: ProgramModel, interconnect: number): Badge[] {
  const n = model.collectives.length;
  if (!model.readable) return [{ strong: "?", text: "collectives, not known", tone: "warn" }];
  if (n === 0) return [{ strong: "0", text: "collectives", tone: "ok" }];
  const looks = model.doc.findings.length;
  // The devices' own interconnect is not named; any other one is.
  const own = model.mesh.mesh.platform !== "cpu" && interconnect === model.doc.interconnect;
  const on = own ? "" : ` on ${model.doc.interconnects[interconnect]}`;
  const estimated: Badge = {
    strong: atLeast(model, duration(callSeconds(model, interconnect))),
    text: `a call${on}, estimate`,
    tone: "plain",
    to: COSTLIEST,
  };
  return [
    { strong: String(n), text: n === 1 ? "collective" : "collectives", tone: "plain" },
    ...(model.doc.interconnects.length > 0 ? [estimated] : []),
    ...(looks > 0 ? [{ strong: String(looks), text: "to look at", tone: "warn", to: LOOK } as const] : []),
  ];
}

/** What it stands in: `in scan ×12, branch 1`. */
export function whereText(model: ProgramModel, c: HloCollective): string {
  const words = model.trail(c).map(nestText);
  if (c.calls > 1) words.push(`${c.calls} calls`);
  return words.length > 0 ? `in ${words.join(", ")}` : "";
}

/** A loop, branch or call: `scan ×12`, `branch 1`, `call f`. */
export function nestText({ kind, name, times }: Nest): string {
  if (kind === "branch" || kind === "call") return `${kind} ${name}`;
  const loop = kind === "condition" ? `${name} condition` : name;
  return times === null ? loop : `${loop} ×${times}`;
}

/** The user's code that it is for; JAX's path where no line is known. */
export function causeText(c: HloCollective): string {
  return c.source?.text || c.op || c.name;
}

/** Where that stands and whose it is: `line 21 · backward · by the compiler`. */
export function causeNotes(model: ProgramModel, c: HloCollective): string[] {
  const lines = c.source ? [...new Set([c.source, ...c.also].map((s) => s.line))] : [];
  const where = lines.length > 1 ? `lines ${some(lines, 4)}` : `line ${lines[0] ?? "not known"}`;
  return [
    model.severalFiles && c.source ? `${c.source.file}, ${where}` : where,
    ...(c.library ? [`in ${c.library.file}, line ${c.library.line}`] : []),
    ...(c.module ? [c.module] : []),
    ...(c.recomputed ? ["recomputed in the backward pass"] : c.backward ? ["backward"] : []),
    // For groups alone it is not known who asked for them.
    ...(c.shapes.length === 0 ? [] : [c.by_user ? "by you" : "by the compiler"]),
    ...(c.widened_from ? [`${c.widened_from} in your program, wider on CPUs`] : []),
  ];
}

/** `4 groups of 4 chips, at once`. */
export function groupsText(model: ProgramModel, c: HloCollective): string {
  const groups = model.groups(c);
  const sizes = new Set(groups.map((g) => g.length));
  const noun = nounOf(model.doc);
  const size = sizes.size === 1 ? count(c.group_size, noun) : `up to ${count(c.group_size, noun)}`;
  return groups.length === 1 ? `one group of ${size}` : `${groups.length} groups of ${size}, at once`;
}

function nounOf(doc: Program): string {
  return doc.mesh.platform === "tpu" ? "chip" : "device";
}

/** Why its groups are called irregular. */
export function irregularText(c: HloCollective): string {
  if (!c.irregular) return "";
  return c.within.length > 0
    ? `irregular: parts of groups of ${c.within.join(", ")}`
    : "irregular: not the groups of any mesh axis";
}

/** Device ids of the groups, `{0,4,8,12}`, those around the chosen one. */
export function groupTexts(model: ProgramModel, c: HloCollective, chosen: number): { text: string; chosen: boolean }[] {
  const groups = model.groups(c);
  const first = Math.max(0, Math.min(chosen - 1, groups.length - MOST));
  return groups.slice(first, first + MOST).map((group, k) => {
    const ids = group.map((p) => model.mesh.ids[p] ?? 0);
    const text = ids.length > LONGEST ? `${ids.slice(0, LONGEST).join(",")},…` : ids.join(",");
    return { text: `{${text}}`, chosen: first + k === chosen };
  });
}

const MOST = 4;
const LONGEST = 8;

/** How the links lie, and what that costs; empty where it is not known. */
export function linksText(model: ProgramModel, c: HloCollective): string {
  const noun = nounOf(model.doc);
  const lies = model.lies(c);
  switch (model.connection(c)) {
    case "line":
      if (lies && lies.along.length > 1) {
        const closed = lies.rings.filter(Boolean).length;
        const wrap =
          closed > 0
            ? `with links that wrap around along ${closed} of its ${lies.rings.length} sides`
            : "without links that wrap around";
        return `Each group is a box of ${lies.sizes.join("×")} ${noun}s, ${wrap}.`;
      }
      if (lies?.along.every((k) => model.doc.wraps[k]))
        return "Each group is a part of a ring: a line, which takes twice the time.";
      return `${model.doc.target || "This slice"} has no wraparound links along ${c.axes.join(", ") || "these groups"}: each group is a line, not a ring, which takes twice the time.`;
    case "ring":
      return `Links wrap around: each group of ${noun}s is a ring.`;
    default:
      return "";
  }
}

/** The arithmetic of the bytes, then of the time. */
export function estimateText(model: ProgramModel, c: HloCollective, interconnect: number): string {
  const [latency, bandwidth] = [c.latency[interconnect], c.bandwidth[interconnect]];
  if (c.shapes.length === 0 || c.group_size === 1) return `${c.arithmetic}.`;
  const sent = `${bytes(c.bytes_per_device)} sent by each ${nounOf(model.doc)} (${c.arithmetic})`;
  if (latency === undefined || bandwidth === undefined) return `${sent}.`;
  const bound = latency > bandwidth ? "latency" : "bandwidth";
  const runs = c.times === 1 ? "" : c.times === null ? ", run an unknown number of times" : `, run ${c.times} times`;
  const parts = `latency ${duration(latency)}, bandwidth ${duration(bandwidth)}`;
  return `${sent}. On ${model.doc.interconnects[interconnect]}: ${parts}, so ${bound} bound, ${duration(Math.max(latency, bandwidth))}${runs}.`;
}

/** `data, model`; `irregular`; `each device alone`. */
export function totalName({ axes, irregular }: Total): string {
  return irregular ? "irregular" : axes.join(", ") || "each device alone";
}

/** What the compiler says of memory and work, as pairs of a name and a figure. */
export function analysis({ memory, work, instructions }: Program): (readonly [string, string])[] {
  const facts: (readonly [string, string])[] = [];
  if (memory) {
    const donated = memory.aliased > 0 ? `, ${bytes(memory.aliased)} of it in place of arguments` : "";
    facts.push(["arguments", bytes(memory.arguments)], ["outputs", bytes(memory.outputs) + donated]);
    facts.push(["temporaries", bytes(memory.temporaries)]);
  }
  if (work && work.flops >= 0) facts.push(["floating-point operations", scaled(work.flops)]);
  if (work && work.bytes_accessed >= 0) facts.push(["bytes read and written", bytes(Math.round(work.bytes_accessed))]);
  if (work && work.seconds >= 0) facts.push(["compiler's own estimate", duration(work.seconds)]);
  if (instructions > 0) facts.push(["instructions", String(instructions)]);
  return facts;
}

/** A large number with a decimal prefix: `4.1 T`. */
function scaled(n: number): string {
  for (const [unit, size] of [
    [" P", 1e15],
    [" T", 1e12],
    [" G", 1e9],
    [" M", 1e6],
    [" k", 1e3],
  ] as const) {
    if (n >= size) return `${Number((n / size).toPrecision(3))}${unit}`;
  }
  return String(n);
}

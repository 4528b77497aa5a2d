/** A Pallas kernel on its devices: what follows from its operations and its orders. */
import type { Kernel, KernelFault, KernelOp, KernelOrder, KernelStretch } from "../../core/document.gen";
import { bytes } from "../../core/format";
import { items } from "../../core/table";
import { count } from "../../core/text";
import { decodeDocument } from "../../core/wire";

export function decodeKernel(wire: unknown): Kernel {
  const doc = decodeDocument(wire, "kernel", flawOf, true);
  const orders = doc.orders.map((o) => ({ ...o, stretches: items(o.stretches) as KernelStretch[] }));
  return { ...doc, ops: items(doc.ops) as KernelOp[], orders };
}

const MOST_DEVICES = 2 ** 12;
const MOST_CORES = 64;
/** An operation begins and ends; a copy is also sent and arrives. */
const MOMENTS = 4;

function flawOf({ axes, ops, orders, cores }: Kernel): string | null {
  if (!(Array.isArray(orders) && orders.length > 0 && ops)) return "it has no order";
  const devices = axes.reduce((n, { size }) => n * size, 1);
  if (!(devices > 0 && devices <= MOST_DEVICES)) return `it runs on ${devices} devices`;
  if (!(cores > 0 && cores <= MOST_CORES)) return `its devices have ${cores} cores`;
  const most = MOMENTS * (items(ops) as KernelOp[]).length + 1;
  const long = orders.find(({ length }) => length > most);
  return long ? `an order has ${long.length} moments, its operations at most ${most}` : null;
}

/** From one moment to another. */
export interface Time {
  readonly from: number;
  readonly to: number;
}

/** How much a semaphore holds from a moment on. */
export interface Level {
  readonly at: number;
  readonly value: number;
}

/** The barrier's counts at the beginning say little; waits for it are seen in the program. */
const BARRIER = "barrier semaphore";

export class KernelModel {
  readonly devices: number;
  /** Operations of each device, by their indices. */
  readonly of: readonly (readonly number[])[];
  /**
   * Slots that copies between devices or faults are about; the others are shown where there is room. Each is a place:
   * where cores have a slot each, those of core 1 are numbered after all of core 0.
   */
  readonly slots: readonly number[];
  /** Semaphores that other cores signal or that copies between devices do, as places: every core has its own. */
  readonly semaphores: readonly number[];
  /** Lines of the listing with faults. */
  readonly faulty: ReadonlySet<number>;
  /** The mesh axis that copies from one device to another go along; 0 where there are several. */
  readonly axis: (from: number, to: number) => number;

  constructor(readonly doc: Kernel) {
    this.devices = doc.axes.reduce((n, a) => n * a.size, 1);
    this.of = Array.from({ length: this.devices }, (_, d) => doc.ops.flatMap((op, k) => (op.device === d ? [k] : [])));
    const sent = doc.ops.filter((op) => op.kind === "copy" && op.target !== op.device);
    const wanted = new Set([
      ...sent.flatMap((op) => [
        ...op.slots.map((k) => this.place(k, op.core)),
        ...op.to.map((k) => this.place(k, op.target_core)),
      ]),
      ...doc.faults.map((f) => this.place(f.slot, f.core)),
    ]);
    const each = Array.from({ length: doc.cores }, (_, core) => core);
    const all = [...new Set(each.flatMap((core) => [...doc.slots.keys()].map((k) => this.place(k, core))))];
    this.slots = wanted.size > 1 || all.length === 0 ? all.filter((k) => wanted.has(k)) : all;
    const counted = new Set<number>();
    const counts = (k: number, core: number) => {
      if (k >= 0 && doc.semaphores[k]?.name !== BARRIER) counted.add(k + core * doc.semaphores.length);
    };
    for (const op of doc.faults.flatMap((f) => f.ops.flatMap((k) => doc.ops[k] ?? [])))
      counts(op.semaphore, op.kind === "wait" ? op.core : op.target_core);
    for (const op of sent) {
      counts(op.sent, op.core);
      counts(op.semaphore, op.target_core);
    }
    for (const op of doc.ops)
      if (op.kind === "signal" && (op.target !== op.device || op.target_core !== op.core))
        counts(op.semaphore, op.target_core);
    this.semaphores = [...counted].sort((a, b) => a - b);
    this.faulty = new Set(doc.faults.flatMap((f) => f.ops.map((k) => this.line(doc.ops[k]))).filter((n) => n > 0));
    const digits = (p: number) => {
      const found: number[] = [];
      for (const { size } of [...doc.axes].reverse()) {
        found.unshift(p % size);
        p = Math.floor(p / size);
      }
      return found;
    };
    this.axis = (from, to) => {
      const [a, b] = [digits(from), digits(to)];
      const differ = doc.axes.flatMap((_, k) => (a[k] === b[k] ? [] : [k]));
      return differ.length === 1 ? (differ[0] ?? 0) : 0;
    };
  }

  /** A slot as a core sees it: its own, or that of all cores. */
  place(slot: number, core: number): number {
    const { slots, cores } = this.doc;
    const shared = ["hbm", "any"].includes(slots[slot]?.space ?? "");
    return slot < 0 || shared || cores === 1 ? slot : slot + core * slots.length;
  }

  /** The slot at a place, and what it is called. */
  nameAt(place: number): string {
    const { slots } = this.doc;
    const name = slots[place % slots.length]?.name ?? "?";
    const core = Math.floor(place / slots.length);
    return core > 0 ? name.replace(/^[^[]*/, (buffer) => `${buffer} ·${core}`) : name;
  }

  semaphoreAt(place: number): string {
    const { semaphores } = this.doc;
    const core = Math.floor(place / semaphores.length);
    return `${semaphores[place % semaphores.length]?.name ?? ""}${core > 0 ? ` ·${core}` : ""}`;
  }

  line(op: KernelOp | undefined): number {
    return op ? (this.doc.sources[op.source]?.line ?? 0) : 0;
  }

  fault(k: number): KernelFault | null {
    return this.doc.faults[k] ?? null;
  }

  /** The order that shows a fault, or the one without delays. */
  order(fault: KernelFault | null, plain: boolean): KernelOrder {
    const [usual] = this.doc.orders;
    return (plain ? undefined : this.doc.orders[fault?.order ?? 0]) ?? (usual as KernelOrder);
  }

  /** When an operation runs; one that never ends lasts until the end. */
  time(order: KernelOrder, k: number): Time | null {
    const from = order.begins[k] ?? -1;
    const to = order.ends[k] ?? -1;
    return from < 0 ? null : { from, to: to < 0 ? order.length : to };
  }

  /** While an access of a fault lasts: a copy reads until its source is read, and writes until it has arrived. */
  access(order: KernelOrder, fault: KernelFault, side: 0 | 1): Time | null {
    const k = fault.ops[side] ?? -1;
    const op = this.doc.ops[k];
    const time = this.time(order, k);
    if (!op || !time) return null;
    if (op.kind !== "copy") return { from: time.from, to: Math.max(time.to, time.from + 1) };
    const end = (fault.events[side] === "write" ? order.arrived : order.sent)[k] ?? -1;
    return { from: time.to, to: end < 0 ? order.length : end };
  }

  /** When both accesses of a race last; null for other faults. */
  overlap(order: KernelOrder, fault: KernelFault | null): Time | null {
    if (fault?.kind !== "race") return null;
    const [a, b] = [this.access(order, fault, 0), this.access(order, fault, 1)];
    if (!a || !b) return null;
    const [from, to] = [Math.max(a.from, b.from), Math.min(a.to, b.to)];
    return to > from ? { from, to } : null;
  }

  /** What a semaphore of a device holds, from moment to moment. */
  levels(order: KernelOrder, device: number, place: number): Level[] {
    const changes: Level[] = [];
    const [semaphore, core] = [place % this.doc.semaphores.length, Math.floor(place / this.doc.semaphores.length)];
    const own = (op: KernelOp) => op.device === device && op.core === core;
    const there = (op: KernelOp) => op.target === device && op.target_core === core && op.semaphore === semaphore;
    this.doc.ops.forEach((op, k) => {
      const add = (at: number | undefined, value: number) => {
        if (at !== undefined && at >= 0) changes.push({ at, value });
      };
      if (op.kind === "wait" && own(op) && op.semaphore === semaphore) add(order.ends[k], -op.amount);
      if (op.kind === "signal" && there(op)) add(order.ends[k], op.amount);
      if (op.kind !== "copy") return;
      if (own(op) && op.sent === semaphore) add(order.sent[k], op.amount);
      if (there(op)) add(order.arrived[k], op.amount);
    });
    changes.sort((a, b) => a.at - b.at || b.value - a.value);
    let value = 0;
    return changes.map((change) => {
      value += change.value;
      return { at: change.at, value };
    });
  }

  /** The operation of a device at a moment, by its index; the last that began. */
  at(order: KernelOrder, device: number, moment: number): number | null {
    const begun = (this.of[device] ?? []).filter((k) => {
      const at = order.begins[k] ?? -1;
      return at >= 0 && at <= moment;
    });
    return begun.at(-1) ?? null;
  }

  /** What is held at a place of a device at a moment. */
  held(order: KernelOrder, device: number, place: number, moment: number): KernelStretch | null {
    const here = (s: KernelStretch) => s.device === device && this.place(s.slot, s.core) === place;
    return order.stretches.find((s) => here(s) && s.begin <= moment && moment < s.end) ?? null;
  }

  /** An operation in words: `copies slots[1] to slots[0] of device 2, 4 KiB (line 31)`. */
  words(k: number): string {
    const op = this.doc.ops[k];
    if (!op) return "";
    const names = (of: readonly number[]) => {
      const first = this.doc.slots[of[0] ?? -1]?.name ?? "?";
      return of.length > 1 ? `${first} and ${of.length - 1} more` : first;
    };
    const semaphore = this.doc.semaphores[op.semaphore];
    const amount = semaphore?.counts_bytes ? bytes(op.amount) : String(op.amount);
    const where =
      op.target !== op.device && op.target >= 0
        ? ` of device ${op.target}`
        : op.target >= 0 && op.target_core !== op.core
          ? ` of core ${op.target_core}`
          : "";
    const who = this.doc.cores > 1 ? `core ${op.core} of device ${op.device}` : `device ${op.device}`;
    const line = this.line(op);
    const said = {
      enter: "enters the kernel",
      leave: "leaves the kernel",
      read: `reads ${names(op.slots)}: ${op.values}`,
      write: `writes ${names(op.slots)}: ${op.values}`,
      copy: `starts a copy of ${names(op.slots)} to ${names(op.to)}${where}, ${bytes(op.amount)}`,
      wait: `waits until ${semaphore?.name ?? "?"} is ${amount}`,
      signal: `adds ${amount} to ${semaphore?.name ?? "?"}${where}`,
    }[op.kind];
    return `${who} ${said}${line > 0 ? ` (line ${line})` : ""}`;
  }
}

/** The answer: the fault that is shown, or that there is none. */
export function answerOf({ doc }: KernelModel, fault: KernelFault | null): string {
  if (fault) return fault.headline;
  return doc.checked
    ? "No race and no wait that never ends, in any order that the semaphores allow"
    : "No race found, but not every pair of accesses was compared";
}

export function factsOf({ doc }: KernelModel): string {
  const sent = doc.ops.filter((op) => op.kind === "copy" && op.target !== op.device);
  const total = sent.reduce((sum, op) => sum + op.amount, 0);
  const of = doc.cores > 1 ? ` of ${doc.cores} cores` : "";
  return `devices${of}, ${count(sent.length, "remote copy", "remote copies")}, ${bytes(total)} in all`;
}

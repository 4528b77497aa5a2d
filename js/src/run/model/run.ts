/** Measured runs as the picture reads them: events by lane and call, who waited for whom. */
import type { Lane, MeasuredCollective, Operation, Run } from "../../core/document.gen";
import { unpack } from "../../core/ints";
import { MeshModel, product } from "../../core/mesh";
import { items } from "../../core/table";
import { decodeDocument } from "../../core/wire";
import { spentOf, type TicksSpent, type Took } from "./calls";
import { type Loop, loopsOf, type Step } from "./loops";

/** One run, or several side by side, as they came over the wire. */
export interface DecodedRuns {
  runs: readonly Run[];
  sideBySide: boolean;
}

export function decodeRuns(wire: unknown): DecodedRuns {
  if ((wire as { kind?: unknown } | null)?.kind !== "runs")
    return { runs: [tabled(decodeDocument(wire, "run", flaw))], sideBySide: false };
  const { runs } = decodeDocument(wire, "runs", (doc) =>
    Array.isArray(doc.runs) && doc.runs.length > 0 ? null : "it has no runs",
  );
  return { runs: runs.map((run) => tabled(decodeDocument(run, "run", flaw))), sideBySide: true };
}

function tabled(run: Run): Run {
  return { ...run, operations: items(run.operations) as readonly Operation[] };
}

function flaw(run: Run): string | null {
  if (!Array.isArray(run.lanes) || !Array.isArray(run.collectives) || !Array.isArray(run.seconds))
    return "it has no lanes";
  const counted = run.lanes.every(({ counts, operation }) => {
    const calls = unpack(counts);
    return calls.every((n) => n >= 0) && calls.reduce((a, b) => a + b, 0) === product(operation.shape);
  });
  if (!counted) return "its lanes have other events than their calls";
  const names = new Set(run.mesh.axes.map((a) => a.name));
  const odd = run.collectives.find((c: MeasuredCollective) => c.axes.some((a) => !names.has(a)));
  return odd ? `its ${odd.kind} ${odd.name} names an axis that does not exist` : null;
}

/** The events of a device; times in ticks from the beginning of their call. */
export interface LaneEvents {
  /** Mesh position of the device. */
  position: number;
  /** First event of each call, and the end behind the last. */
  bounds: readonly number[];
  operation: Int32Array;
  start: Int32Array;
  end: Float64Array;
  /** Ticks from the own arrival to that of the last member; 0 for compute. */
  waited: Int32Array;
  /** The latest end of any event so far, by which events that are under way are found. */
  reach: Float64Array;
}

/** What a device does at a moment. */
export interface Doing {
  lane: LaneEvents;
  /** Index of the event in its lane; -1 where there is none. */
  event: number;
  what: "compute" | "collective" | "wait" | "nothing";
  /** For a wait: mesh position of the device that is waited for, and ticks since and until. */
  waitsFor: number | null;
  since: number;
  left: number;
}

export class RunModel {
  readonly mesh: MeshModel;
  readonly lanes: readonly LaneEvents[];
  readonly collectives: readonly MeasuredCollective[];
  readonly #members = new Map<MeasuredCollective, readonly (readonly number[])[]>();
  readonly #byPosition: ReadonlyMap<number, LaneEvents>;
  readonly #occurrences = new Map<LaneEvents, Int32Array>();
  readonly #loops = new Map<number, readonly Loop[]>();

  constructor(readonly doc: Run) {
    this.mesh = new MeshModel(doc.mesh);
    this.collectives = doc.collectives;
    this.lanes = doc.lanes.map((lane) => laneOf(lane, doc.operations));
    this.#byPosition = new Map(this.lanes.map((lane) => [lane.position, lane]));
  }

  get calls(): number {
    return this.doc.seconds.length;
  }

  /** Length of a call in ticks. */
  ticks(call: number): number {
    return (this.doc.seconds[call] ?? 0) / this.doc.tick_s;
  }

  seconds(ticks: number): number {
    return ticks * this.doc.tick_s;
  }

  /** The call whose time is the median. */
  get typical(): number {
    const order = [...this.doc.seconds.keys()].sort((a, b) => (this.doc.seconds[a] ?? 0) - (this.doc.seconds[b] ?? 0));
    return order[(order.length - 1) >> 1] ?? 0;
  }

  operation(lane: LaneEvents, event: number): Operation | null {
    return this.doc.operations[lane.operation[event] ?? -1] ?? null;
  }

  collective(lane: LaneEvents, event: number): MeasuredCollective | null {
    return this.collectives[this.operation(lane, event)?.collective ?? -1] ?? null;
  }

  /** Index of the mesh axis whose ink a collective has; -1 for irregular groups. */
  inkOf(c: MeasuredCollective): number {
    return c.axes.length > 0 ? this.mesh.axisOf(c.axes[0] ?? "") : -1;
  }

  /** For each mesh position, how often it was the last to arrive while others waited. */
  get late(): Int32Array {
    const late = new Int32Array(this.mesh.size);
    for (const c of this.collectives) for (const [p, n] of unpack(c.last).entries()) late[p] = (late[p] ?? 0) + n;
    return late;
  }

  /** Whether anything runs in a loop. */
  get looped(): boolean {
    return this.doc.operations.some((o) => o.trips.length > 0);
  }

  /** The loops of a call, on the first device. */
  loops(call: number): readonly Loop[] {
    const [lane] = this.lanes;
    let found = this.#loops.get(call);
    if (!found) {
      found = lane ? loopsOf(this.#steps(lane, call)) : [];
      this.#loops.set(call, found);
    }
    return found;
  }

  *#steps(lane: LaneEvents, call: number): Iterable<Step> {
    for (let e = lane.bounds[call] ?? 0; e < (lane.bounds[call + 1] ?? 0); e++)
      yield [lane.start[e] ?? 0, lane.end[e] ?? 0, this.iterations(lane, e)[0] ?? -1];
  }

  /** What the time of a call went into, in ticks: mean over devices. */
  spent(call: number): TicksSpent {
    const whole = { compute: 0, moving: 0, waiting: 0 };
    for (const lane of this.lanes) {
      const events: Took[] = [];
      for (let e = lane.bounds[call] ?? 0; e < (lane.bounds[call + 1] ?? 0); e++) {
        const start = lane.start[e] ?? 0;
        const came = this.collective(lane, e) ? start + (lane.waited[e] ?? 0) : null;
        events.push([start, lane.end[e] ?? 0, came]);
      }
      const own = spentOf(events);
      whole.compute += own.compute / this.lanes.length;
      whole.moving += own.moving / this.lanes.length;
      whole.waiting += own.waiting / this.lanes.length;
    }
    return whole;
  }

  /** The event of a call that is under way at a moment, the last to begin; -1 for none. */
  eventAt(lane: LaneEvents, call: number, tick: number): number {
    const first = lane.bounds[call] ?? 0;
    for (let e = firstAfter(lane.start, tick, first, lane.bounds[call + 1] ?? first) - 1; e >= first; e--) {
      if ((lane.end[e] ?? 0) > tick) return e;
      if ((lane.reach[e] ?? 0) <= tick) return -1;
    }
    return -1;
  }

  /** What a device does at a moment of a call. */
  doing(lane: LaneEvents, call: number, tick: number): Doing {
    const event = this.eventAt(lane, call, tick);
    const nothing = { lane, event, what: "nothing", waitsFor: null, since: 0, left: 0 } as const;
    if (event < 0) return nothing;
    const c = this.collective(lane, event);
    if (!c) return { ...nothing, what: "compute" };
    const [start, waited] = [lane.start[event] ?? 0, lane.waited[event] ?? 0];
    if (tick >= start + waited) return { ...nothing, what: "collective" };
    return {
      ...nothing,
      what: "wait",
      waitsFor: this.waitedFor(lane, call, event),
      since: tick - start,
      left: start + waited - tick,
    };
  }

  /** Mesh position of the member that an event waits for; null where it waits for none. */
  waitedFor(lane: LaneEvents, call: number, event: number): number | null {
    const c = this.collective(lane, event);
    if (!c || (lane.waited[event] ?? 0) === 0) return null;
    let [latest, last] = [lane.start[event] ?? 0, null as number | null];
    const nth = this.occurrences(lane)[event] ?? 0;
    for (const position of this.#membersOf(c)[lane.position] ?? []) {
      const other = this.#byPosition.get(position);
      const same = other ? this.#nth(other, call, c, nth) : -1;
      const start = other?.start[same] ?? Number.NEGATIVE_INFINITY;
      if (start > latest) [latest, last] = [start, position];
    }
    return last;
  }

  /** For each event, how many events of its operation came before it in its call. */
  occurrences(lane: LaneEvents): Int32Array {
    let found = this.#occurrences.get(lane);
    if (!found) {
      found = new Int32Array(lane.start.length);
      for (let call = 0; call + 1 < lane.bounds.length; call++) {
        const seen = new Int32Array(this.doc.operations.length);
        for (let e = lane.bounds[call] ?? 0; e < (lane.bounds[call + 1] ?? 0); e++) {
          const o = lane.operation[e] ?? 0;
          found[e] = seen[o] ?? 0;
          seen[o] = (seen[o] ?? 0) + 1;
        }
      }
      this.#occurrences.set(lane, found);
    }
    return found;
  }

  /** Iterations of the loops that an event stands in, outermost first. */
  iterations(lane: LaneEvents, event: number): number[] {
    const trips = this.operation(lane, event)?.trips ?? [];
    let nth = this.occurrences(lane)[event] ?? 0;
    const out: number[] = [];
    for (let k = trips.length - 1; k >= 0; k--) {
      const n = trips[k] || Number.POSITIVE_INFINITY;
      out.unshift(k === 0 ? nth : nth % n);
      nth = Math.floor(nth / n);
    }
    return out;
  }

  /** The next wait on a lane behind a moment; -1 for none. */
  nextWait(lane: LaneEvents, call: number, tick: number): number {
    const [first, end] = [lane.bounds[call] ?? 0, lane.bounds[call + 1] ?? 0];
    for (let e = firstAfter(lane.start, tick, first, end); e < end; e++) if ((lane.waited[e] ?? 0) > 0) return e;
    return -1;
  }

  #nth(lane: LaneEvents, call: number, c: MeasuredCollective, nth: number): number {
    const occurrences = this.occurrences(lane);
    for (let e = lane.bounds[call] ?? 0; e < (lane.bounds[call + 1] ?? 0); e++) {
      if (occurrences[e] === nth && this.collective(lane, e) === c) return e;
    }
    return -1;
  }

  /** For each mesh position the others that it waits for: its group, or who sends to it. */
  #membersOf(c: MeasuredCollective): readonly (readonly number[])[] {
    let members = this.#members.get(c);
    if (!members) {
      const out: number[][] = Array.from({ length: this.mesh.size }, () => []);
      if (c.pairs.length > 0) for (const [source, destination] of c.pairs) out[destination]?.push(source);
      else {
        const flat = unpack(c.positions);
        for (let g = 0; g < flat.length; g += c.group_size) {
          const group = [...flat.subarray(g, g + c.group_size).filter((p) => p >= 0)];
          for (const p of group) out[p]?.push(...group.filter((other) => other !== p));
        }
      }
      members = out;
      this.#members.set(c, members);
    }
    return members;
  }
}

function laneOf(lane: Lane, operations: readonly Operation[]): LaneEvents {
  const [operation, start, duration, waits] = [lane.operation, lane.start, lane.duration, lane.waited].map(unpack) as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  const bounds = [0];
  for (const count of unpack(lane.counts)) bounds.push((bounds.at(-1) ?? 0) + count);
  const end = Float64Array.from(start, (s, e) => s + (duration[e] ?? 0));
  const waited = new Int32Array(start.length);
  const reach = new Float64Array(start.length);
  let next = 0;
  for (let call = 0; call + 1 < bounds.length; call++) {
    let most = 0;
    for (let e = bounds[call] ?? 0; e < (bounds[call + 1] ?? 0); e++) {
      if ((operations[operation[e] ?? 0]?.collective ?? -1) >= 0) waited[e] = waits[next++] ?? 0;
      most = Math.max(most, end[e] ?? 0);
      reach[e] = most;
    }
  }
  return { position: lane.position, bounds, operation, start, end, waited, reach };
}

/** The first index from `low` to `high` whose value is greater. */
export function firstAfter(sorted: ArrayLike<number>, value: number, low: number, high: number): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** What the table can be sorted by. */
export const SORTS = ["time", "wait", "order", "sent"] as const;
export type Sort = (typeof SORTS)[number];

/** Indices of the collectives, by the time that they take in a call, or by another column. */
export function rowsOf(model: RunModel, sort: Sort): number[] {
  const key = (c: MeasuredCollective): number =>
    ({ time: -c.call_s, wait: -c.call_wait_s, sent: -c.bytes_per_device, order: 0 })[sort];
  const of = model.collectives.map(key);
  return [...of.keys()].sort((a, b) => (of[a] ?? 0) - (of[b] ?? 0) || a - b);
}

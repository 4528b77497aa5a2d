/** Compiled programs as the picture reads them: collectives with their groups, plans and times. */

import { type Played, play, playable } from "../../collective/model/plan";
import type { HloCollective, Listing, Nest, Plan, Program, Source } from "../../core/document.gen";
import { unpack } from "../../core/ints";
import { MeshModel } from "../../core/mesh";
import { decodeDocument } from "../../core/wire";

/** One program, or several side by side, as they came over the wire. */
export interface Decoded {
  programs: readonly Program[];
  sideBySide: boolean;
}

export function decodePrograms(wire: unknown): Decoded {
  if ((wire as { kind?: unknown } | null)?.kind !== "programs")
    return { programs: [decodeDocument(wire, "program", flaw)], sideBySide: false };
  const { programs } = decodeDocument(wire, "programs", (doc) =>
    Array.isArray(doc.programs) && doc.programs.length > 0 ? null : "it has no programs",
  );
  return { programs: programs.map((p) => decodeDocument(p, "program", flaw)), sideBySide: true };
}

function flaw(doc: Program): string | null {
  if (!Array.isArray(doc.collectives) || !Array.isArray(doc.plans)) return "it has no collectives";
  const names = new Set(doc.mesh.axes.map((a) => a.name));
  const odd = doc.collectives.find(
    (c: HloCollective) => c.axes.some((a) => !names.has(a)) || c.plans.some((p) => !doc.plans[p]),
  );
  return odd ? `its ${odd.kind} ${odd.name} names an axis or a plan that does not exist` : null;
}

/** Size of the largest group that is played: in a larger one nobody can see who sends what. */
export const LARGEST = 128;

/** How the devices of a group are connected, where that is known: by their physical coordinates. */
export type Connection = "ring" | "line" | "unknown";

/** How groups lie on the physical links: each fills a box of chips. */
export interface Lies {
  /** Coordinates along which the devices of a group differ, and chips along each. */
  along: readonly number[];
  sizes: readonly number[];
  /** Whether all links along them wrap around: a part of a ring does not. */
  rings: readonly boolean[];
}

/** What the collectives over one set of mesh axes come to. */
export interface Total {
  /** Empty for irregular groups, and where each device is alone. */
  axes: readonly string[];
  irregular: boolean;
  count: number;
  /** Bytes that a device sends in a call. */
  bytes: number;
  /** Estimated seconds of a call. */
  seconds: number;
}

export class ProgramModel {
  readonly mesh: MeshModel;
  readonly collectives: readonly HloCollective[];
  readonly #groups = new Map<HloCollective, readonly (readonly number[])[]>();
  readonly #lies = new Map<HloCollective, Lies | null>();
  readonly #played = new Map<Plan, Played>();
  #box: PhysicalBox | null | undefined;

  constructor(readonly doc: Program) {
    this.mesh = new MeshModel(doc.mesh);
    this.collectives = doc.collectives;
  }

  /** Mesh positions of each group, in rank order. */
  groups(c: HloCollective): readonly (readonly number[])[] {
    let groups = this.#groups.get(c);
    if (!groups) {
      const flat = unpack(c.positions);
      groups = Array.from({ length: Math.ceil(flat.length / c.group_size) }, (_, g) => [
        ...flat.subarray(g * c.group_size, (g + 1) * c.group_size).filter((p) => p >= 0),
      ]);
      this.#groups.set(c, groups);
    }
    return groups;
  }

  /** The loops, branches and calls that a collective stands in, outermost first. */
  trail(c: HloCollective): Nest[] {
    const found: Nest[] = [];
    for (let nest = this.doc.nests[c.nest]; nest; nest = this.doc.nests[nest.parent]) found.unshift(nest);
    return found;
  }

  /** The algorithms of a collective that can be played, the meaning first. */
  plans(c: HloCollective): readonly Plan[] {
    const plans = c.plans.flatMap((i) => this.doc.plans[i] ?? []);
    return plans.filter((p) => p.rounds.length > 0 && p.n <= LARGEST && playable(p));
  }

  /** The plan of a collective for a chosen algorithm; the meaning where that algorithm does not apply. */
  plan(c: HloCollective, algorithm: Plan["algorithm"]): Plan | null {
    const plans = this.plans(c);
    return plans.find((p) => p.algorithm === algorithm) ?? plans[0] ?? null;
  }

  played(plan: Plan): Played {
    let played = this.#played.get(plan);
    if (!played) {
      played = play(plan);
      this.#played.set(plan, played);
    }
    return played;
  }

  /** Estimated seconds of a collective, each time, on an interconnect. */
  once(c: HloCollective, interconnect: number): number {
    return Math.max(c.latency[interconnect] ?? 0, c.bandwidth[interconnect] ?? 0);
  }

  /** Estimated seconds of a collective in one call; one of unknown runs counts once. */
  seconds(c: HloCollective, interconnect: number): number {
    return this.once(c, interconnect) * (c.times ?? 1);
  }

  /** The user's function that a line is in; null where its text is not known. */
  listing({ file, line }: Source): Listing | null {
    const holds = (l: Listing) => l.file === file && line >= l.first_line && line < l.first_line + l.lines.length;
    return this.doc.listings.find(holds) ?? null;
  }

  /** The collectives that each line of a listing causes, by line. */
  causedIn({ file }: Listing): ReadonlyMap<number, readonly number[]> {
    const caused = new Map<number, number[]>();
    for (const [at, c] of this.collectives.entries()) {
      const lines = new Set((c.source ? [c.source, ...c.also] : []).flatMap((s) => (s.file === file ? [s.line] : [])));
      for (const line of lines) caused.set(line, [...(caused.get(line) ?? []), at]);
    }
    return caused;
  }

  /** Whether the compiled program has a text to find collectives in. */
  get readable(): boolean {
    return this.doc.instructions > 0;
  }

  /** Whether something that its note speaks of is not known. */
  get doubtful(): boolean {
    const { unread } = this.doc;
    return !this.readable || unread.length > 0 || (this.mesh.axes.length === 0 && this.mesh.size > 1);
  }

  /** Whether the collectives' lines are in several files, or cells. */
  get severalFiles(): boolean {
    return new Set(this.collectives.map((c) => c.source?.file ?? "")).size > 1;
  }

  /** Whether it is known what is sent: not of groups alone. */
  get sized(): boolean {
    return this.doc.interconnects.length > 0;
  }

  /** Whether some runs are unknown, so that totals are at least what they say. */
  get atLeast(): boolean {
    return this.collectives.some((c) => c.times === null);
  }

  /** What a call comes to by mesh axes, the longest first. */
  totals(interconnect: number): Total[] {
    const totals = new Map<string, Total>();
    for (const c of this.collectives) {
      const key = c.irregular ? "irregular" : c.axes.join("\n");
      const { count, bytes, seconds } = totals.get(key) ?? { count: 0, bytes: 0, seconds: 0 };
      totals.set(key, {
        axes: c.axes,
        irregular: c.irregular,
        count: count + 1,
        bytes: bytes + c.bytes_per_device * (c.times ?? 1),
        seconds: seconds + this.seconds(c, interconnect),
      });
    }
    return [...totals.values()].sort((a, b) => b.seconds - a.seconds || b.bytes - a.bytes);
  }

  /** The groups of one mesh axis: devices that differ in its coordinate alone. */
  groupsOfAxis(axis: number): readonly (readonly number[])[] {
    const groups = new Map<string, number[]>();
    for (let p = 0; p < this.mesh.size; p++) {
      const key = this.mesh.digits(p).with(axis, 0).join();
      const group = groups.get(key);
      if (group) group.push(p);
      else groups.set(key, [p]);
    }
    return [...groups.values()];
  }

  /** How the groups of a collective are connected. */
  connection(c: HloCollective): Connection {
    const lies = this.lies(c);
    return lies ? (lies.rings.every(Boolean) ? "ring" : "line") : "unknown";
  }

  /** How the groups of a collective lie on the physical links; null where they fill no boxes, or it is not known. */
  lies(c: HloCollective): Lies | null {
    let lies = this.#lies.get(c);
    if (lies === undefined) {
      lies = this.#readLies(c);
      this.#lies.set(c, lies);
    }
    return lies;
  }

  #readLies(c: HloCollective): Lies | null {
    const { coords } = this.mesh;
    if (coords.length === 0 || this.doc.wraps.length === 0) return null;
    const boxes = this.groups(c).map((group) => {
      const sizes = coords.map((at) => extent(group.map((p) => at[p] ?? 0)));
      const places = new Set(group.map((p) => coords.map((at) => at[p]).join()));
      return sizes.reduce((a, b) => a * b, 1) === group.length && places.size === group.length ? sizes : null;
    });
    const [box] = boxes;
    if (!box || boxes.some((other) => other?.join() !== box.join())) return null;
    const along = box.flatMap((size, k) => (size > 1 ? [k] : []));
    const rings = along.map((k) => this.doc.wraps[k] === true && box[k] === this.#extent(k));
    return { along, sizes: along.map((k) => box[k] ?? 1), rings };
  }

  /** Whether two devices have a physical link: neighbours in one coordinate, or its two ends where that wraps. */
  linked(a: number, b: number): boolean {
    let links = 0;
    for (const [k, at] of this.mesh.coords.entries()) {
      const apart = Math.abs((at[a] ?? 0) - (at[b] ?? 0));
      if (apart === 0) continue;
      const size = this.#extent(k);
      if (apart !== 1 && !(this.doc.wraps[k] && apart === size - 1)) return false;
      links++;
    }
    return links === 1;
  }

  #extent(coordinate: number): number {
    return extent(this.mesh.coords[coordinate] ?? []);
  }

  /** The physical box, where the devices fill one and each has a place of its own; else null. */
  box(): PhysicalBox | null {
    if (this.#box === undefined) this.#box = this.#readBox();
    return this.#box;
  }

  #readBox(): PhysicalBox | null {
    const { coords, size } = this.mesh;
    if (coords.length === 0) return null;
    const sizes = coords.map((_, k) => this.#extent(k));
    if (sizes.reduce((a, b) => a * b, 1) !== size) return null;
    const least = coords.map((at) => at.reduce((a, b) => Math.min(a, b), at[0] ?? 0));
    const places = new Set(Array.from({ length: size }, (_, p) => coords.map((at) => at[p]).join()));
    return places.size === size ? { sizes, least } : null;
  }
}

/** From the least of some numbers to the greatest, both counted. */
function extent(of: Iterable<number>): number {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of of) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return high < low ? 1 : high - low + 1;
}

/** Sizes and least coordinates of the box that devices fill, by coordinate. */
export interface PhysicalBox {
  sizes: readonly number[];
  least: readonly number[];
}

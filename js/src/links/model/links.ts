/** A mesh on the links of its chips: how many hops cross each link, of which mesh axes. */
import type { Crossing, DeviceOrder, Links } from "../../core/document.gen";
import { bytes, duration, percent } from "../../core/format";
import { unpack } from "../../core/ints";
import { MeshModel, product } from "../../core/mesh";
import { count } from "../../core/text";
import { DocumentError, decodeDocument } from "../../core/wire";

/** The most chips that are drawn. */
const MOST = 4096;
/** The most transfers of a link, or collectives of a row, that a sentence names. */
const NAMED = 4;
/** Names of physical axes: no mesh axes, so they have no ink. */
export const LETTERS = "xyz";

export function decodeLinks(wire: unknown): Links {
  return decodeDocument(
    wire,
    "links",
    ({ orders }) => (Array.isArray(orders) && orders.length > 0 ? null : "it has no order of devices"),
    true,
  );
}

/** A link: the chip that it leads from, along a physical axis. */
export interface Link {
  readonly axis: number;
  readonly chip: number;
}

/** One order of devices. */
export class OrderModel {
  readonly mesh: MeshModel;
  /** Always three, so that what is drawn is a plane of them. */
  readonly chips: readonly [number, number, number];
  readonly axes: number;
  /** By crossing, the hops on each link: for each physical axis, each chip. */
  readonly loads: readonly Int32Array[];
  /** The mesh positions of the devices of each chip. */
  readonly devices: readonly (readonly number[])[];
  readonly host: readonly number[];

  constructor(readonly order: DeviceOrder) {
    this.mesh = new MeshModel(order.mesh);
    const [x = 1, y = 1, z = 1] = order.chips;
    this.chips = [x, y, z];
    this.axes = order.chips.length;
    if (product(this.chips) > MOST)
      throw new DocumentError(`At most ${MOST} chips are drawn; these are ${product(this.chips)}.`);
    this.loads = order.crossings.map(({ load }) => unpack(load));
    if (this.loads.some((load) => load.length !== this.axes * product(this.chips)))
      throw new DocumentError("This document is damaged: its loads are not of its links. Make the view again.");
    const devices: number[][] = Array.from({ length: product(this.chips) }, () => []);
    // An axis with one chip may be left out of the box.
    const columns = this.mesh.coords.map((c) => ({ c, least: Math.min(...c), size: new Set(c).size }));
    const wide = columns.length > this.axes ? columns.filter(({ size }) => size > 1) : columns;
    for (let p = 0; p < this.mesh.size; p++)
      devices[this.chip(wide.map(({ c, least }) => (c[p] ?? 0) - least))]?.push(p);
    this.devices = devices;
    this.host = devices.map(([first = 0]) => this.mesh.process[first] ?? 0);
  }

  chip([x = 0, y = 0, z = 0]: readonly number[]): number {
    return (x * this.chips[1] + y) * this.chips[2] + z;
  }

  at(chip: number): [number, number, number] {
    const [, y, z] = this.chips;
    return [Math.floor(chip / (y * z)), Math.floor(chip / z) % y, chip % z];
  }

  /** Hops of a crossing on a link. */
  load(crossing: number, { axis, chip }: Link): number {
    return this.loads[crossing]?.[axis * product(this.chips) + chip] ?? 0;
  }

  /** The mesh axis whose ink a crossing has; -1 where it has none of one. */
  ink({ axes }: Crossing): number {
    return axes.length > 0 ? this.mesh.axisOf(axes[0] ?? "") : -1;
  }

  /** The link that carries most; null where all are idle. */
  get most(): Link | null {
    const [axis, chip] = this.order.most;
    return axis < 0 ? null : { axis, chip };
  }

  /** Whether there is a link from a chip to the next along an axis, and whether it goes round. */
  there({ axis, chip }: Link): "inside" | "around" | null {
    const size = this.chips[axis] ?? 1;
    if (size < 2) return null;
    if ((this.at(chip)[axis] ?? 0) < size - 1) return "inside";
    return this.order.wraps[axis] && size > 2 ? "around" : null;
  }
}

/** The plane of the link that carries most. */
export function planeOf(model: OrderModel | undefined): number {
  return model?.most ? model.at(model.most.chip)[2] : 0;
}

/** What is under the answer: which chips, and how hops go. */
export function factsOf({ target, program, orders }: Links): string {
  const whose = program ? `the collectives of ${program}` : "all mesh axes at once";
  return `${target}, ${count(orders[0]?.links ?? 0, "link")}: ${whose}, each group in a ring, used both ways`;
}

/** Links that a hop crosses; where there is room, how many hops cross none. */
export function hopText(c: Crossing, width: number): string {
  if (c.within_chips === 1) return width < 520 ? "within a chip" : "none: within a chip";
  const within = c.within_chips > 0 && width > 600 ? `, ${percent(c.within_chips)} within a chip` : "";
  return `${c.links_a_hop.toFixed(2)}, at most ${c.most_links}${within}`;
}

export function wrapsText({ wraparound }: Crossing): string {
  return wraparound.map((axis) => LETTERS[axis]).join(" ") || "none";
}

/** All transfers of an order together. */
export function totalOf({ busiest, idle, links, bytes: sent, seconds }: DeviceOrder): string {
  const time = sent > 0 ? `, ${bytes(sent)} in ${duration(seconds)} (estimate)` : "";
  return `together, of ${count(links, "link")}: ${count(busiest, "hop")} on the busiest${time}, ${idle} idle`;
}

/** A row of the table in a sentence: the collectives of a program that make these hops. */
export function crossingText(c: Crossing): string {
  const made =
    c.of.length > 0
      ? `: ${c.of.slice(0, NAMED).join("; ")}${c.of.length > NAMED ? ` … ${c.of.length - NAMED} more` : ""}`
      : "";
  const each = c.bytes > 0 ? `, ${bytes(c.bytes)} a hop` : "";
  return `${c.name}${made}${each}, ${count(c.busiest, "hop")} on its busiest link`;
}

/** A link and what crosses it, in a sentence. */
export function sentenceOf(model: OrderModel, link: Link, most = false): string {
  const from = model.at(link.chip);
  const size = model.chips[link.axis] ?? 1;
  const to = from.map((c, axis) => (axis === link.axis ? (c + 1) % size : c));
  const place = (c: readonly number[]) => `(${c.slice(0, model.axes).join(", ")})`;
  const round = model.there(link) === "around" ? ", the wraparound" : "";
  const every = model.order.crossings.flatMap((crossing, k) => {
    const hops = model.load(k, link);
    const sent = crossing.bytes > 0 ? `, ${bytes(hops * crossing.bytes)}` : "";
    return hops > 0 ? [`${crossing.name}: ${count(hops, "hop")}${sent}`] : [];
  });
  const across = every.slice(0, NAMED).join("; ") + (every.length > NAMED ? `; … ${every.length - NAMED} more` : "");
  const which = most ? "Most crosses the link" : "The link";
  return `${which} along ${LETTERS[link.axis]} from chip ${place(from)} to ${place(to)}${round}: ${across || "idle"}`;
}

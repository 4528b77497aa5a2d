/** The mesh with the bytes that each device holds; with many devices, the groups that hold the same amount. */

import { bytes, type Format } from "../core/format";
import type { Device, MeshModel } from "../core/mesh";
import { type DeviceGrid, deviceAtPoint, deviceBox, frameGrid, placeGrid } from "./grid";
import { BOLD, type Box, label, type Mark, MONO, outline } from "./marks";
import { fit, textWidth } from "./measure";
import { rails } from "./rails";

/** What bytes on devices are drawn from: a tree of arrays, or the names of a session. */
export interface Holding {
  readonly mesh: MeshModel;
  readonly devices: readonly Device[];
  /** Bytes on each of the devices. */
  readonly held: Float64Array;
  /** Bytes that were freed on each. */
  readonly freed?: Float64Array;
  /** Bytes that a device can hold, where that is known. */
  readonly limit?: number | null;
}

export interface Devices {
  /** Null if there are too many devices to tell apart. */
  grid: DeviceGrid | null;
  groups: readonly Group[];
  width: number;
  height: number;
}

/** Devices that hold the same amount: the first stands for all. */
export interface Group {
  first: number;
  count: number;
  held: number;
}

/** More devices than these are drawn as groups. */
const MOST = 32;
const ROW = 24;
const GAP = 6;
/** Inside a device, left and right together. */
const PADDING = 14;
const LINE = 26;
/** Groups that are drawn. */
const GROUPS = 6;

/** `write`: as the bytes beside it are written. */
export function layoutDevices(tree: Holding, width: number, write: Format = bytes): Devices {
  const alone = tree.devices.flatMap((d, index) => (d.position < 0 ? [index] : []));
  const size = tree.mesh.size;
  if (size <= MOST && tree.mesh.meshShape.length <= 3) {
    // Bytes are never cut: where they have no room, groups of devices stand in lines.
    const ids = Array.from({ length: size }, (_, p) => String(tree.devices[p]?.id ?? p));
    const least =
      PADDING + Math.max(...ids.map((id, p) => nameRoom(id) + textWidth(write(tree.held[p] ?? 0), 11.5, true)));
    const frame = frameGrid(tree.mesh, width, least);
    const room = frame.room(GAP);
    if (room >= least) {
      const device = { density: "compact", w: Math.min(room, 190), h: ROW, gap: GAP, rowGap: 6 } as const;
      const grid = placeGrid(frame, { x: 0, y: 0 }, device);
      // What is beside the mesh stands in lines below it.
      const groups = groupsOf(tree, alone);
      return { grid, groups, width, height: grid.box.h + groups.length * LINE };
    }
  }
  const groups = groupsOf(tree, [...tree.devices.keys()]);
  return { grid: null, groups, width, height: groups.length * LINE + 4 };
}

function nameRoom(name: string): number {
  return textWidth(name, 12.5, true) + 8;
}

/** The devices by what they hold, most first; what is over joins the last. */
function groupsOf(tree: Holding, devices: readonly number[]): Group[] {
  const found = new Map<number, Group>();
  for (const device of devices) {
    const held = tree.held[device] ?? 0;
    const group = found.get(held) ?? { first: device, count: 0, held };
    group.count++;
    found.set(held, group);
  }
  return [...found.values()].sort((a, b) => b.held - a.held).slice(0, GROUPS);
}

export function deviceMarks(
  tree: Holding,
  panel: Devices,
  own: Float64Array,
  device: number | null,
  write: Format = bytes,
): Mark[] {
  const line = (box: Box, device: number, name: string) =>
    content(tree, box, { device, name, text: write(tree.held[device] ?? 0) }, own, most);
  const most = tree.limit ?? Math.max(1, ...tree.held.map((held, at) => held + (tree.freed?.[at] ?? 0)));
  const marks: Mark[] = panel.grid ? rails(tree.mesh, panel.grid) : [];
  if (panel.grid) {
    for (let p = 0; p < tree.mesh.size; p++) {
      const box = deviceBox(tree.mesh, panel.grid, p);
      marks.push({ kind: "rect", ...box, r: 5, fill: "bg", stroke: { color: "line", width: 1 } });
      marks.push(...line({ ...box, x: box.x + 8, w: box.w - PADDING }, p, String(tree.devices[p]?.id ?? p)));
      if (p === device) marks.push(...outline(box, 5, 2));
    }
  }
  const top = panel.grid ? panel.grid.box.h : 0;
  panel.groups.forEach((group, i) => {
    const id = tree.devices[group.first]?.id ?? group.first;
    const name = group.count === 1 ? `device ${id}` : `${group.count} devices`;
    const box = { x: 0, y: top + i * LINE, w: panel.width, h: LINE - 2 };
    marks.push(...line(box, group.first, name));
  });
  return marks;
}

/** `3 ▇▇▇▒▒ 318 MiB`. */
function content(
  tree: Holding,
  box: Box,
  { device, name, text }: { device: number; name: string; text: string },
  own: Float64Array,
  most: number,
): Mark[] {
  const held = tree.held[device] ?? 0;
  const middle = box.y + box.h / 2;
  const left = nameRoom(name);
  const right = textWidth(text, 11.5, true) + 6;
  const room = box.w - left - right;
  const marks: Mark[] = [label(box.x, middle + 4.5, name, 12.5, "ink", BOLD)];
  marks.push(
    label(box.x + box.w, middle + 4.5, fit(text, box.w - left, 11.5, true), 11.5, "ink", { ...MONO, anchor: "end" }),
  );
  if (room < 12) return marks;
  const solid = (room * (own[device] ?? 0)) / most;
  const drawn = { x: box.x + left, y: middle - 6, w: (room * held) / most, h: 12 };
  if (tree.limit) marks.push({ kind: "rect", ...drawn, w: room, fill: "gap" });
  const freed = (room * (tree.freed?.[device] ?? 0)) / most;
  if (freed > 2) {
    const stroke = { color: "muted", width: 1, dash: [2.5, 2] } as const;
    marks.push({ kind: "rect", ...drawn, x: drawn.x + drawn.w, w: freed, stroke });
  }
  return [...marks, ...bar(drawn, solid)];
}

/** A bar of bytes: `solid` of its width is there but once, the rest are copies. */
export function bar(box: Box, solid: number): Mark[] {
  if (box.w < 0.5) return [];
  const edge = { color: "kedge", width: 0.8 } as const;
  const marks: Mark[] = [{ kind: "rect", ...box, w: Math.max(0.6, solid), fill: "tick" }];
  if (box.w - solid > 0.6) marks.push({ kind: "rect", ...box, x: box.x + solid, w: box.w - solid, copies: true });
  return box.w > 3 ? [...marks, { kind: "rect", ...box, stroke: edge }] : marks;
}

/** The device at a point of the picture; null beside them. */
export function deviceAt(tree: Holding, panel: Devices, x: number, y: number): number | null {
  if (panel.grid) {
    const found = deviceAtPoint(tree.mesh, panel.grid, x, y);
    if (found !== null) return found;
  }
  const line = Math.floor((y - (panel.grid ? panel.grid.box.h : 0)) / LINE);
  return panel.groups[line]?.first ?? null;
}

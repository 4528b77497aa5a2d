/** Copies of chunks on their way from tile to tile, as in the stepper: in the colour of their data, with a halo. */

import { partsAt } from "../../../collective/model/chunks";
import type { Transfer } from "../../../collective/model/plan";
import { easeInOut } from "../../../draw/ease";
import { axisStroke, axisToken, type Box, type Color, type Mark, type Stroke } from "../../../draw/marks";
import { along, between, type Path, pathBetween } from "./path";
import { LANE } from "./stage";
import { chunkBox, chunkColor, stripOf } from "./tiles";
import type { CollectiveView } from "./view";

/** More copies than this in a group would hide each other: then only those to one device are shown. */
const CROWD = 24;
/** Minimum size of a copy half way. */
const SEEN = 12;

export function flightMarks(view: CollectiveView): Mark[] {
  if (!view.moving) return [];
  const marks = view.shown.flatMap((group) => shownOf(view, group).flatMap((t) => oneFlight(view, group, t)));
  // A line that is drawn after another's copy would cross it.
  return [...marks.filter((m) => m.kind === "line"), ...marks.filter((m) => m.kind !== "line")];
}

/** Whether copies are left out of the picture. */
export function crowded(view: CollectiveView): boolean {
  return view.moving && seated(view, view.group).length > CROWD;
}

function shownOf(view: CollectiveView, group: readonly number[]): readonly Transfer[] {
  const all = seated(view, group);
  if (all.length <= CROWD) return all;
  const to = Math.max(0, group.indexOf(view.options.device ?? group[0] ?? 0));
  return all.filter((t) => t.destination === to);
}

/** Transfers of the round between tiles that stand in full. */
function seated(view: CollectiveView, group: readonly number[]): readonly Transfer[] {
  if (group.length !== view.plan?.n) return [];
  return (view.played?.rounds[view.round] ?? []).filter((t) => {
    const [from, to] = [group[t.source] ?? -1, group[t.destination] ?? -1];
    return from !== to && view.seats.has(from) && view.seats.has(to);
  });
}

function oneFlight(view: CollectiveView, group: readonly number[], t: Transfer): Mark[] {
  const [a, b] = [group[t.source] ?? 0, group[t.destination] ?? 0];
  const [leaves, reaches] = [view.seats.get(a), view.seats.get(b)];
  if (!leaves || !reaches) return [];
  const from = placeOf(view, leaves, t, true);
  const to = placeOf(view, reaches, t, false);
  const others = [...view.seats].flatMap(([p, box]) => (p === a || p === b ? [] : [box]));
  const round = view.played?.rounds[view.round] ?? [];
  const meets = round.some((o) => o.source === t.destination && o.destination === t.source);
  const side = meets ? (a < b ? -1 : 1) : 0;
  const path = pathBetween({ from, to, leaves, reaches, others, side, lane: LANE });
  const line = between(path, leaves, reaches);
  const stroke = (width: number): Stroke => (axis === null ? { color: "muted", width } : axisStroke(axis, width));
  const axis = axisBetween(view, a, b);
  const arrow: Mark[] =
    line.length > 1
      ? [{ kind: "line", points: line, r: 8, stroke: stroke(view.options.still ? 1.6 : 1.1), arrow: true }]
      : [];
  if (view.options.still) return [...arrow, { kind: "rect", ...from, r: 3, stroke: stroke(2) }];
  const now = boxAt(from, to, path, view.progress);
  const grown = (by: number, r: number) => ({ x: now.x - by, y: now.y - by, w: now.w + 2 * by, h: now.h + 2 * by, r });
  const halo: Color = axis === null ? "muted" : axisToken(axis);
  return [
    ...arrow,
    { kind: "rect", ...grown(4, 6), fill: halo, alpha: 0.16 },
    { kind: "rect", ...now, r: 2, fill: "bg" },
    ...pieces(view, t, now),
    { kind: "rect", ...grown(1, 3), stroke: stroke(1.8) },
  ];
}

/** The chunks of a copy, in their colours. */
function pieces(view: CollectiveView, t: Transfer, b: Box): Mark[] {
  const { played, round } = view;
  const cut = (played?.states[0]?.[0]?.length ?? 1) > 1;
  const chunks = cut && !exchanges(view) ? t.chunks : [0];
  const w = b.w / chunks.length;
  return chunks.map((chunk, i): Mark => {
    const parts = exchanges(view) ? [t.origin] : partsAt(played?.states[round], t.source, chunk);
    const at = exchanges(view) ? t.origin : cut ? chunk : null;
    const hatch = view.reduces && parts.length < (view.plan?.n ?? 1);
    const fill = chunkColor(view, at, view.plan?.semantics.starts === "nothing" ? [t.source] : parts);
    return { kind: "rect", x: b.x + i * w, y: b.y, w, h: b.h, fill, ...(hatch ? { hatch: true } : {}) };
  });
}

/** Where a copy leaves, and where it arrives: the places of its chunks. */
function placeOf(view: CollectiveView, tile: Box, t: Transfer, leaves: boolean): Box {
  const cut = (view.played?.states[0]?.[0]?.length ?? 1) > 1;
  if (!cut) return stripOf(tile);
  const chunks = exchanges(view) ? [leaves ? (t.chunks[0] ?? 0) : t.origin] : t.chunks;
  const boxes = chunks.map((chunk) => chunkBox(view, tile, chunk));
  const x = Math.min(...boxes.map((b) => b.x));
  const first = boxes[0] ?? stripOf(tile);
  return { ...first, x, w: Math.max(...boxes.map((b) => b.x + b.w)) - x };
}

/** Whether chunks are told apart by the rank that they started on. */
function exchanges({ plan }: CollectiveView): boolean {
  return plan?.semantics.by_origin ?? false;
}

/** The copy on its way: between tiles no wider than the gap that it passes, so that it hides no device. */
function boxAt(from: Box, to: Box, path: Path, t: number): Box {
  const [x, y] = along(path, easeInOut(t));
  const half = Math.min(1, 1.5 * (1 - Math.abs(2 * t - 1)));
  const size = (a: number, b: number, room: number) => {
    const plain = a + (b - a) * t;
    const between = Number.isFinite(room) ? Math.min(plain, room, LANE - 6) : plain;
    return plain + (Math.max(SEEN, between) - plain) * half;
  };
  const [w, h] = [size(from.w, to.w, path.room[0]), size(from.h, to.h, path.room[1])];
  return { x: x - w / 2, y: y - h / 2, w, h };
}

/** The mesh axis that a copy moves along; null where groups are irregular. */
function axisBetween({ model, c }: CollectiveView, a: number, b: number): number | null {
  const [from, to] = [model.mesh.digits(a), model.mesh.digits(b)];
  const axes = (c?.axes ?? []).map((name) => model.mesh.axisOf(name));
  return axes.find((axis) => from[axis] !== to[axis]) ?? axes[0] ?? null;
}

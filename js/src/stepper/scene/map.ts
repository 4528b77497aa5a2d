/** A small map of the whole mesh, beside the group that is drawn in full; above it in narrow pictures. */

import { clauses } from "../../core/text";
import { type DeviceGrid, frameGrid, placeGrid } from "../../draw/grid";
import { axisToken, type Span } from "../../draw/marks";
import { fitName, textWidth } from "../../draw/measure";
import type { TraceModel } from "../model/trace";
import type { Ask } from "./ask";

export interface MapRoom {
  width: number;
  grid: DeviceGrid;
}

/** Height of a map over its group, where it has no rails. */
export const OVER = 48;
/** Room that it takes from the rows. */
export const OVER_ROOM = OVER + 8;

/** The room that a map takes at most, by the width and the height that there are: with ids and names where they fit. */
export function roomOfMap({ trace, width }: Pick<Ask, "trace" | "width">, high: number, over = false): MapRoom | null {
  const { mesh } = trace;
  const most = Math.min(230, width * (over ? 0.5 : 0.33));
  if (most < 84) return null;
  const of = (density: "compact" | "cell" | "field", readable: number): MapRoom => {
    const compact = density === "compact";
    const bare = over || !compact ? { left: 0, top: 0, again: 0, below: 4 } : {};
    const frame = { ...frameGrid(mesh, most, readable), ...bare };
    const gap = compact ? 4 : density === "cell" ? 1 : 0;
    const down = frame.rows * frame.boxesDown;
    const w = Math.max(0.5, Math.min(compact ? 30 : 14, frame.room(gap)));
    const least = (high - frame.boxesDown * (frame.top + frame.below)) / down - gap;
    const h = Math.max(0.5, Math.min(compact ? 20 : w, least));
    const grid = placeGrid(frame, { x: 0, y: 0 }, { w, h, gap, rowGap: gap, density });
    return { width: grid.box.w, grid };
  };
  const readable = mesh.size > 64 ? [] : [of("compact", 20), of("compact", 4)];
  return (
    readable.find(({ width: w, grid }) => w <= most && grid.w >= 16 && grid.h >= 12 && grid.box.h <= high) ??
    of(mesh.size > 1024 ? "field" : "cell", 4)
  );
}

export function placeMap({ grid }: MapRoom, top: number): DeviceGrid {
  const dy = top - 8;
  return { ...grid, box: { ...grid.box, y: grid.box.y + dy }, y: grid.y + dy };
}

/** Which group of how many is drawn: `group 3 of 8, data=0`. */
export function titleOf({ trace, c, group }: Pick<Ask, "trace" | "c" | "group">, width: number): string {
  const groups = trace.groups(c);
  const text = groups.length > 1 ? `group ${groups.indexOf(group) + 1} of ${groups.length}` : "";
  const place = sameOf(trace, group, Number.POSITIVE_INFINITY).map((span) => span.text);
  const long = clauses([text, place.join("").trim()], ", ");
  return textWidth(long, 11) <= width - 44 ? long : text;
}

/** What all devices of a group have in common, in the ink of each axis: `data=0 pipe=1`, in a width at most. */
export function sameOf({ mesh }: TraceModel, group: readonly number[], width: number): readonly Span[] {
  const [first = [], ...others] = group.map((p) => mesh.digits(p));
  const same = mesh.axes.flatMap(({ name }, axis) =>
    others.every((d) => d[axis] === first[axis]) ? [{ name, color: axisToken(axis), at: `=${first[axis]} ` }] : [],
  );
  return same.map(({ name, color, at }) => {
    const room = width / same.length - textWidth(at, 11, true);
    // Without room for names, indices in their inks.
    return { text: room < 20 ? at.slice(1) : fitName(name, room, 11, true) + at, color };
  });
}

/** A small map of the whole mesh, beside the group that is drawn in full; above it in narrow pictures. */

import type { MeshModel } from "../../model/mesh";
import type { TraceModel } from "../../model/trace";
import { type DeviceGrid, frameGrid, placeGrid, rails } from "../grid";
import { textWidth } from "../measure";
import type { Mark } from "../scene";
import type { Ask } from "./ask";

export interface MapRoom {
  width: number;
  grid: DeviceGrid;
}

/** Height of a map over its group, where it has no rails. */
const OVER = 48;
/** Room that it takes from the rows. */
export const OVER_ROOM = OVER + 8;

/** The room that a map takes at most, by the width that there is. */
export function roomOfMap({ trace, width, room }: Pick<Ask, "trace" | "width" | "room">, over = false): MapRoom | null {
  const { mesh } = trace;
  const most = Math.min(230, width * (over ? 0.5 : 0.33));
  if (most < 84) return null;
  const frame = { ...frameGrid(mesh, most, 4), ...(over ? { left: 0, top: 0, again: 0, below: 4 } : {}) };
  const across = frame.columns * frame.boxesAcross;
  const density =
    mesh.size > 1024
      ? "field"
      : across * 20 + frame.left + (frame.boxesAcross - 1) * 22 <= most && mesh.size <= 64
        ? "compact"
        : "cell";
  const gap = density === "compact" ? 4 : density === "cell" ? 1 : 0;
  const w = Math.max(0.5, Math.min(density === "compact" ? 30 : 14, frame.room(gap)));
  const down = frame.rows * frame.boxesDown;
  const high = (over ? OVER + 4 : room - 120) / down - (frame.boxesDown * (frame.top + frame.below)) / down - gap;
  const h = Math.max(0.5, Math.min(density === "compact" ? 20 : w, high));
  const grid = placeGrid(frame, { x: 0, y: 0 }, { w, h, gap, rowGap: gap, density });
  return { width: grid.box.w, grid };
}

export function placeMap({ grid }: MapRoom, top: number): DeviceGrid {
  const dy = top - 8;
  return { ...grid, box: { ...grid.box, y: grid.box.y + dy }, y: grid.y + dy };
}

/** Rails of a small map, where its devices are told apart. */
export function mapRails(mesh: MeshModel, map: DeviceGrid): Mark[] {
  return map.density === "cell" || map.density === "field" ? [] : rails(mesh, map);
}

/** Which group of how many is drawn: `group 3 of 8, data=0`. */
export function titleOf({ trace, c, group }: Pick<Ask, "trace" | "c" | "group">, width: number): string {
  const groups = trace.groups(c);
  const text = groups.length > 1 ? `group ${groups.indexOf(group) + 1} of ${groups.length}` : "";
  const place = sameOf(trace, group);
  const long = `${text}${place && `, ${place}`}`;
  return textWidth(long, 11) <= width - 44 ? long : text;
}

/** What all devices of a group have in common: `data=0`. */
export function sameOf({ mesh }: TraceModel, group: readonly number[]): string {
  const digits = group.map((p) => mesh.digits(p));
  return mesh.axes
    .flatMap((a, i) => (digits.every((d) => d[i] === digits[0]?.[i]) ? [`${a.name}=${digits[0]?.[i] ?? 0}`] : []))
    .join(" ");
}

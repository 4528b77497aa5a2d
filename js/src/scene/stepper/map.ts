/** The whole mesh in small, beside the group that is drawn in full. */

import type { TraceModel } from "../../model/trace";
import { type DeviceGrid, frameGrid, placeGrid } from "../grid";
import { textWidth } from "../measure";
import { label, type Mark } from "../scene";
import type { Ask } from "./ask";

export interface MapRoom {
  width: number;
  grid: DeviceGrid;
}

/** The room that a map takes at most, by the width that there is. */
export function roomOfMap({ trace, width, room }: Pick<Ask, "trace" | "width" | "room">): MapRoom | null {
  const { mesh } = trace;
  const most = Math.min(230, width * 0.33);
  if (most < 84) return null;
  const frame = frameGrid(mesh, most, 4);
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
  const high = (room - 120 - frame.boxesDown * (frame.top + 6)) / down - gap;
  const h = Math.max(0.5, Math.min(density === "compact" ? 20 : w, high));
  const grid = placeGrid(frame, { x: 0, y: 0 }, { w, h, gap, rowGap: gap, density });
  return { width: grid.box.w, grid };
}

export function placeMap(_: Pick<Ask, "trace">, { grid }: MapRoom, top: number): DeviceGrid {
  const dy = top - 8;
  return { ...grid, box: { ...grid.box, y: grid.box.y + dy }, y: grid.y + dy };
}

/** Which group of how many is drawn: `group 3 of 8, data=0`. */
export function titleOf({ trace, c, group }: Pick<Ask, "trace" | "c" | "group">, width: number): string {
  const groups = trace.groups(c);
  const text = groups.length > 1 ? `group ${groups.indexOf(group) + 1} of ${groups.length}` : "";
  const place = sameOf(trace, group);
  const long = `${text}${place && `, ${place}`}`;
  return textWidth(long, 11) <= width - 44 ? long : text;
}

export function mapTitle(ask: Pick<Ask, "trace" | "c" | "group">, map: MapRoom): Mark[] {
  return [label(0, 12, titleOf(ask, map.width), 11, "muted")];
}

/** Where the title ends: buttons stand there that go to other groups. */
export function titleEnd(ask: Pick<Ask, "trace" | "c" | "group">, map: MapRoom): number {
  return textWidth(titleOf(ask, map.width), 11) + 6;
}

/** What all devices of a group have in common: `data=0`. */
export function sameOf({ mesh }: TraceModel, group: readonly number[]): string {
  const digits = group.map((p) => mesh.digits(p));
  return mesh.axes
    .flatMap((a, i) => (digits.every((d) => d[i] === digits[0]?.[i]) ? [`${a.name}=${digits[0]?.[i] ?? 0}`] : []))
    .join(" ");
}

/** Where a tooltip stands: beside what it explains, over nothing that is to be read. */
import type { Box } from "./marks";

/** Between a tooltip and its target: room for the arrow. */
const GAP = 10;

/**
 * The corner of a tooltip of a size within a room: right, left, above or below its target, else below all of `keep` that are over or under it; the
 * first place that fits and covers none of them, or the one that covers least. One that fits nowhere stands over the
 * target's lower edge.
 */
export function placeBeside(
  target: Box,
  { w, h }: Pick<Box, "w" | "h">,
  room: Box,
  keep: readonly Box[],
): Pick<Box, "x" | "y"> {
  const all = [target, ...keep];
  const clampX = (x: number) => Math.max(room.x, Math.min(room.x + room.w - w, x));
  const clampY = (y: number) => Math.max(room.y, Math.min(room.y + room.h - h, y));
  const column = clampX(target.x + (target.w - w) / 2);
  const level = clampY(target.y + (target.h - h) / 2);
  const past = Math.max(...all.map((b) => (b.x < column + w && b.x + b.w > column ? b.y + b.h : 0)));
  const places = [
    { x: target.x + target.w + GAP, y: level },
    { x: target.x - GAP - w, y: level },
    ...[target.y - GAP - h, target.y + target.h + GAP, past + GAP].map((y) => ({
      x: column,
      y,
    })),
  ].filter(({ x, y }) => x === clampX(x) && y === clampY(y));
  const covered = (at: Pick<Box, "x" | "y">) => all.reduce((sum, b) => sum + overlap({ ...at, w, h }, b), 0);
  const [best] = places.sort((a, b) => covered(a) - covered(b));
  return best ?? { x: column, y: clampY(target.y + target.h) };
}

/** The area that two boxes share. */
export function overlap(a: Box, b: Box): number {
  const across = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
  const down = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  return Math.max(0, across) * Math.max(0, down);
}

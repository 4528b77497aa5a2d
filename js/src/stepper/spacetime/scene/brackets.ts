/** Loops of space-time: brackets at the left of their rows, with how often they run. */

import { textWidth } from "../../../draw/measure";
import type { Loop, SpaceRow, SpaceTime } from "../model/spacetime";

export interface Bracket {
  loop: number;
  x: number;
  y: number;
  h: number;
  text: string;
  open: boolean;
}

/** A row where it stands. */
interface Placed {
  row: SpaceRow;
  y: number;
  h: number;
  /** What is said in place of lines from the row above. */
  leftOut: string | null;
}

/** Width of the brackets of one depth. */
export const BRACKET = 22;
/** Least height, and what its triangle needs of it. */
const LEAST = 60;
const TRIANGLE = 18;

/** The brackets of rows that are drawn, with lines of a height above those that receive. */
export function bracketsOf(
  { loops, rows: all }: SpaceTime,
  rows: readonly Placed[],
  links: number,
  open: ReadonlySet<number>,
): readonly Bracket[] {
  return loops.flatMap((loop, i) => {
    const own = rows.filter(({ row }) => isIn(row, i));
    const [first, last] = [own[0], own.at(-1)];
    // Of a loop inside a folded one there may be no more than the last row.
    if (!first || !last || first.row !== all.find((row) => isIn(row, i))) return [];
    const above = first.row.collective && first.leftOut === null ? links - 6 : 0;
    const y = first.y - above;
    const h = Math.max(last.y + last.h - y, LEAST);
    return [{ loop: i, x: loop.depth * BRACKET, y, h, text: textOf(loop, h - TRIANGLE), open: open.has(i) }];
  });
}

function isIn({ path }: SpaceRow, loop: number): boolean {
  return path.some((at) => at.loop === loop);
}

/** `scan, 8 times`, or what of it fits. */
function textOf({ name, total, iterations: { length } }: Loop, height: number): string {
  if (total === null) return name;
  const times = `${name}, ${total} times`;
  const cut = length < total ? `, ${length} shown` : "";
  return [`${times}${cut}`, times, `×${total}`].find((text) => textWidth(text, 11) <= height) ?? "";
}

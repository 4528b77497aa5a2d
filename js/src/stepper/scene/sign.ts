/** The sign of what combines blocks: a disc with `+` for a sum, the operation's name on a pill for another one. */

import { type Color, label, type Mark } from "../../draw/marks";
import { textWidth } from "../../draw/measure";

/** A sign at a point; hollow where it has not combined anything yet. */
export function combinesMarks(combines: string, x: number, y: number, r: number, color: Color, hollow = false): Mark[] {
  if (combines === "sum") return [{ kind: "disc", x, y, r, color, hollow, sign: "+" }];
  const size = 1.4 * r;
  const w = textWidth(combines, size) + 8;
  const pill = { kind: "rect", x: x - w / 2, y: y - r, w, h: 2 * r, r } as const;
  return [
    { ...pill, fill: hollow ? "bg" : color, stroke: { color, width: 1.4 } },
    label(x, y + 0.36 * size, combines, size, hollow ? color : "bg", { anchor: "middle", weight: 700 }),
  ];
}

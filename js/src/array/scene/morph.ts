/** A change of placement, shown: every device's block moves from its old place in the array to its new one. */
import { hex, type Rgb } from "../../core/color";
import type { PlacementModel } from "../../core/placement";
import { type Box, type Mark, placed } from "../../draw/marks";
import { tileBoxes } from "./faces";
import type { Layout } from "./layout";
import { ghostBoxes } from "./mesh";
import type { Paints } from "./paints";

export interface Shown {
  model: PlacementModel;
  layout: Layout;
  paints: Paints;
}

/** With more devices than this the change is not animated. */
const MOST_MOVING = 64;

/** Whether a change between two placements can be shown: the same devices, in pictures of the same kind. */
export function canMorph(before: Shown, after: Shown): boolean {
  return (
    before.model.size === after.model.size &&
    after.model.size <= MOST_MOVING &&
    before.model.doc.shape !== null &&
    after.model.doc.shape !== null &&
    before.model.ids.every((id, i) => id === after.model.ids[i])
  );
}

/** What moves over the body of the picture after it, at time t, 0 … 1, of the change. */
export function morphMarks(before: Shown, after: Shown, t: number): Mark[] {
  const marks: Mark[] = [];
  const [oldColor, newColor] = [before.paints.fill, after.paints.fill];
  for (let p = 0; p < after.model.size; p++) {
    const [from, to] = [before.model.tileAt[p] ?? 0, after.model.tileAt[p] ?? 0];
    const fill = mix(oldColor(from) ?? GREY, newColor(to) ?? GREY, t);
    const move = (a: readonly Box[], b: readonly Box[]) => {
      for (let i = 0; i < Math.max(a.length, b.length); i++) {
        const start = a[i % a.length];
        const end = b[i % b.length];
        if (start && end) marks.push(block(between(start, end, t), fill));
      }
    };
    if (before.layout.array && after.layout.array) {
      const [a, b] = [before.layout.array, after.layout.array];
      move(
        tileBoxes(before.model, a.faces, from).map((box) => placed(box, a)),
        tileBoxes(after.model, b.faces, to).map((box) => placed(box, b)),
      );
    }
    move(ghostBoxes(before.model, before.layout.mesh, p, from), ghostBoxes(after.model, after.layout.mesh, p, to));
  }
  return marks;
}

const GREY: Rgb = [160, 166, 174];

function block(box: Box, fill: Rgb): Mark {
  return { kind: "rect", ...box, r: 2, fill: hex(fill), stroke: { color: "edge", width: 1 }, alpha: 0.9 };
}

function between(a: Box, b: Box, t: number): Box {
  const at = (x: number, y: number) => x + (y - x) * t;
  return { x: at(a.x, b.x), y: at(a.y, b.y), w: at(a.w, b.w), h: at(a.h, b.h) };
}

function mix(a: Rgb, b: Rgb, t: number): Rgb {
  const at = (i: 0 | 1 | 2) => Math.round(a[i] + (b[i] - a[i]) * t);
  return [at(0), at(1), at(2)];
}

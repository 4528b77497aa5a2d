/** What a point of the picture is on, and how it is lit together with its equals. */

import { deviceAtPoint } from "../../draw/grid";
import { type Box, inside, type Mark } from "../../draw/marks";
import { sharers } from "../model/sharers";
import { cellBox, drawnOf } from "./drawn";
import { sourceMarks } from "./explain";
import type { Stage } from "./stage";
import type { Drawn, Hit, StepView } from "./view";

/** The device at a point, with the block and its element where there are such; null beside all devices. */
export function hitAt(view: StepView, x: number, y: number): Hit | null {
  const { stage, trace } = view;
  const tile = [...stage.tiles, ...stage.holds].find(({ box }) => inside(box, x, y));
  const own = tile?.members[0];
  const at = drawnOf(view).find((d) => inside(d.box, x, y) && (!tile || d.device === own));
  if (at) return { device: at.device, slot: slotOf(view, at), cell: elementAt(at, x, y), box: at.box };
  const device = own ?? smallAt(stage, x, y) ?? (stage.map && deviceAtPoint(trace.mesh, stage.map, x, y));
  return device === null ? null : { device, slot: null, cell: null };
}

/** The device of a small group at a point; of one that has no tile there, the first. */
function smallAt({ small }: Stage, x: number, y: number): number | null {
  const group = small.find(({ box }) => inside(box, x, y));
  return group ? (group.tiles.find(([, box]) => inside(box, x, y))?.[0] ?? group.group[0] ?? null) : null;
}

function slotOf(view: StepView, { v }: Drawn): number | null {
  const slot = view.slots.findIndex((other) => other.id === v.id);
  return slot < 0 ? null : slot;
}

function elementAt({ box, face }: Drawn, x: number, y: number): number | null {
  const [row, column] = [
    Math.floor(((y - box.y) / box.h) * face.rows),
    Math.floor(((x - box.x) / box.w) * face.columns),
  ];
  const cell = Math.min(face.rows - 1, row) * face.columns + Math.min(face.columns - 1, column);
  const element = face.elements[cell] ?? -1;
  return element < 0 ? null : element;
}

/** Outlines of a block on every device that holds the same, of the element, and of the cells that it came from. */
export function litMarks(view: StepView, { device, slot, cell }: Hit): Mark[] {
  const v = slot === null ? undefined : view.slots[slot];
  if (!v || (view.active && !view.active.has(device))) return [];
  const drawn = drawnOf(view);
  const known = drawn.filter((d) => d.v.id === v.id);
  const same = sharers(view.trace, v, device);
  const marks: Mark[] = known.flatMap((d) =>
    d.device === device || same?.includes(d.device) ? [outline(d.box, d.device === device ? 2.2 : 1.4)] : [],
  );
  const own = known.find((d) => d.device === device);
  const box = own && cell !== null ? cellBox(own, cell) : null;
  if (box) marks.push({ kind: "rect", ...box, r: 1, stroke: { color: "tile-ink", width: 1.6 } });
  return [...marks, ...sourceMarks(view, drawn)];
}

function outline({ x, y, w, h }: Box, width: number): Mark {
  return { kind: "rect", x: x - 2, y: y - 2, w: w + 4, h: h + 4, r: 4, stroke: { color: "ink", width } };
}

/** What a point of the picture is on, and how it is lit together with its equals. */
import { sharers } from "../../model/blocktip";
import { deviceAtPoint } from "../grid";
import { type Box, inside, type Mark } from "../scene";
import { type Hit, type StepView, slotFace } from "./view";

/** The device at a point, with the block and its element where there are such; null beside all devices. */
export function hitAt(view: StepView, x: number, y: number): Hit | null {
  for (const [device, tile] of view.seats) {
    if (!inside(tile, x, y)) continue;
    const slot = view.slots.findIndex((_, i) => {
      const box = view.box(device, i);
      return box !== null && inside(box, x, y);
    });
    const [box, at] = [view.box(device, slot), view.slots[slot]];
    if (!box || !at) return { device, slot: null, cell: null };
    const { rows, columns } = slotFace(view, at);
    const [row, column] = [Math.floor(((y - box.y) / box.h) * rows), Math.floor(((x - box.x) / box.w) * columns)];
    return { device, slot, cell: Math.min(rows - 1, row) * columns + Math.min(columns - 1, column) };
  }
  const device = deviceAtPoint(view.trace.mesh, view.layout.grid, x, y);
  return device === null ? null : { device, slot: null, cell: null };
}

/** Outlines of a block on every device that holds the same, and of the element. */
export function litMarks(view: StepView, { device, slot, cell }: Hit): Mark[] {
  const at = slot === null ? undefined : view.slots[slot];
  if (slot === null || !at || (view.active && !view.active.has(device))) return [];
  // A result that is still coming about is nobody's copy yet.
  const same = view.finished || at.input ? sharers(view.trace, at.v, device) : null;
  const marks: Mark[] = (same ?? [device]).flatMap((p) => {
    const box = view.box(p, slot);
    return box ? [outline(box, p === device ? 2.2 : 1.4)] : [];
  });
  const box = view.box(device, slot);
  const { rows, columns } = slotFace(view, at);
  if (box && cell !== null && rows * columns > 1) {
    const [w, h] = [box.w / columns, box.h / rows];
    const [x, y] = [box.x + (cell % columns) * w, box.y + Math.floor(cell / columns) * h];
    marks.push({ kind: "rect", x, y, w, h, r: 1, stroke: { color: "tile-ink", width: 1.6 } });
  }
  return marks;
}

function outline({ x, y, w, h }: Box, width: number): Mark {
  return { kind: "rect", x: x - 2, y: y - 2, w: w + 4, h: h + 4, r: 4, stroke: { color: "ink", width } };
}

/** All of a kernel's order: columns, copies between devices, what is wrong. */
import type { KernelFault } from "../../core/document.gen";
import { axisToken, label, type Mark } from "../../draw/marks";
import {
  blockColor,
  headMarks,
  PALE,
  programMarks,
  type Shown,
  scaleMarks,
  semaphoreMarks,
  slotMarks,
} from "./columns";
import { slotX, yOf } from "./layout";

export function kernelMarks(shown: Shown, fault: KernelFault | null): Mark[] {
  const { devices } = shown.layout;
  return [
    ...headMarks(shown),
    ...scaleMarks(shown),
    ...devices.flatMap((d) => [...programMarks(shown, d), ...slotMarks(shown, d), ...semaphoreMarks(shown, d)]),
    ...copyMarks(shown),
    ...faultMarks(shown, fault),
  ];
}

type Point = readonly [x: number, y: number];

/** Copies on their way from a device to another: the core has the colour of the block, the outline the axis's ink. */
function copyMarks(shown: Shown): Mark[] {
  const { model, order, layout, block } = shown;
  const marks: Mark[] = [];
  const ends = [0, layout.width];
  model.doc.ops.forEach((op, k) => {
    const from = order.ends[k] ?? -1;
    if (op.kind !== "copy" || op.target === op.device || from < 0) return;
    const sent = order.sent[k] ?? -1;
    const arrived = order.arrived[k] ?? -1;
    const to = arrived < 0 ? order.length : arrived;
    op.slots.forEach((slot, i) => {
      const source = model.place(slot, op.core);
      const x0 = slotX(layout, op.device, source);
      const x1 = slotX(layout, op.target, model.place(op.to[i] ?? op.to[0] ?? -1, op.target_core));
      if (x0 === null && x1 === null) return;
      const held = model.held(order, op.device, source, Math.max(0, sent < 0 ? from : sent - 1));
      const color = held ? blockColor(shown, held.block) : "#a0a8b0";
      const pale = block !== null && held?.block !== block;
      const start: Point | null = x0 === null ? null : [x0 + layout.slot - 3, yOf(layout, from) + 3];
      const end: Point | null = x1 === null ? null : [x1 + 2, yOf(layout, to)];
      const wraps = Math.abs(op.target - op.device) > model.devices / 2;
      const ink = axisToken(model.axis(op.device, op.target));
      if (start && end && !wraps) {
        marks.push(...ribbon(curve(start, end), color, ink, pale));
        return;
      }
      // Round the ends of the mesh, or from a device that is not drawn: out at one edge, in at the other.
      const right = wraps ? op.target < op.device : op.target > op.device;
      const [out, back] = right ? [ends[1] ?? 0, ends[0] ?? 0] : [ends[0] ?? 0, ends[1] ?? 0];
      if (start) {
        const exit: Point = [out + (right ? -26 : 26), start[1] + 8];
        marks.push(...ribbon(curve(start, exit), color, ink, pale));
        marks.push(
          label(exit[0], exit[1] + 14, `to ${op.target}`, 10.5, ink, { mono: true, weight: 700, anchor: "middle" }),
        );
      }
      if (end) {
        const entry: Point = [back + (right ? 8 : -8), end[1] - 8];
        marks.push(...ribbon(curve(entry, end), color, ink, pale));
        marks.push(
          label(entry[0], entry[1] - 5, `from ${op.device}`, 10.5, ink, {
            mono: true,
            weight: 700,
            anchor: right ? "start" : "end",
          }),
        );
      }
    });
  });
  return marks;
}

function curve([x0, y0]: Point, [x1, y1]: Point): Point[] {
  return Array.from({ length: 13 }, (_, k) => {
    const t = k / 12;
    const ease = t * t * (3 - 2 * t);
    return [x0 + (x1 - x0) * t, y0 + (y1 - y0) * ease] as const;
  });
}

function ribbon(
  points: readonly Point[],
  color: `#${string}`,
  ink: ReturnType<typeof axisToken>,
  pale: boolean,
): Mark[] {
  if (pale) return [{ kind: "line", points, stroke: { color: "faint", width: 1.5 * (1 + PALE) } }];
  return [
    { kind: "line", points, stroke: { color: ink, width: 6 } },
    { kind: "line", points, stroke: { color, width: 3.4 } },
  ];
}

/** The slot of a race, over the time that both accesses have in common; a wait that never ends, to the lower edge. */
function faultMarks({ model, order, layout }: Shown, fault: KernelFault | null): Mark[] {
  if (!fault) return [];
  const marks: Mark[] = [];
  const time = model.overlap(order, fault);
  const x = slotX(layout, fault.device, model.place(fault.slot, fault.core));
  if (time && x !== null) {
    const [y, h] = [yOf(layout, time.from), Math.max(14, (time.to - time.from) * layout.scale)];
    const box = { kind: "rect", x: x - 1, y: y - 1, w: layout.slot + 2, h: h + 2, r: 3 } as const;
    marks.push({ ...box, stroke: { color: "bg", width: 5 } }, { ...box, stroke: { color: "error", width: 2.4 } });
    const [cx, cy] = [x + layout.slot / 2, y + h / 2];
    marks.push({
      kind: "rect",
      x: cx - 7,
      y: cy - 8,
      w: 14,
      h: 16,
      r: 8,
      fill: "error",
      stroke: { color: "bg", width: 1.2 },
    });
    marks.push(label(cx, cy + 4.5, "!", 12, "bg", { mono: true, weight: 700, anchor: "middle" }));
  }
  return marks;
}

/** The moment that is shown: what comes later is pale. */
export function momentMarks({ layout, order }: Shown, moment: number, device: number | null): Mark[] {
  const y = yOf(layout, moment + 1);
  const marks: Mark[] = [];
  const bottom = yOf(layout, order.length) + 2;
  if (y < bottom) marks.push({ kind: "rect", x: 0, y, w: layout.width, h: bottom - y, fill: "bg", alpha: 0.62 });
  const points = [
    [layout.left - 8, y],
    [layout.width - 6, y],
  ] as const;
  marks.push({ kind: "line", points, stroke: { color: "ink", width: 1.4 } });
  const k = device === null ? -1 : layout.devices.indexOf(device);
  if (k >= 0)
    marks.push({ kind: "rect", x: layout.left + k * layout.pitch - 3, y: y - 3, w: 16, h: 6, r: 3, fill: "ink" });
  return marks;
}

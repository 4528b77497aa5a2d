/** Columns of a device: its program, its slots with what they hold, its semaphores. */
import { hex, positionColor, type Scheme } from "../../core/color";
import type { KernelOrder } from "../../core/document.gen";
import {
  axisStroke,
  axisToken,
  BOLD,
  CENTER,
  type Color,
  EMPTY,
  label,
  type Mark,
  PARTIAL_DASH,
} from "../../draw/marks";
import { fit } from "../../draw/measure";
import type { KernelModel } from "../model/kernel";
import { BAR, CORE, deviceX, type KernelLayout, semaphoreX, slotX, yOf } from "./layout";

/** What is drawn. */
export interface Shown {
  readonly model: KernelModel;
  readonly order: KernelOrder;
  readonly layout: KernelLayout;
  readonly scheme: Scheme;
  /** A block that is followed: the others are pale. */
  readonly block: number | null;
}

export const PALE = 0.3;

export function blockColor({ model, scheme }: Shown, block: number): `#${string}` {
  const device = model.doc.blocks[block]?.device ?? 0;
  return hex(positionColor(device, model.devices, 0, 1, scheme));
}

/** Devices over their columns, the axis of a mesh of one, names of slots and semaphores. */
export function headMarks({ model, layout }: Shown): Mark[] {
  const { axes } = model.doc;
  const marks: Mark[] = [];
  const [first, last] = [layout.devices[0] ?? 0, layout.devices.at(-1) ?? 0];
  const [x0, x1] = [deviceX(layout, first) ?? 0, (deviceX(layout, last) ?? 0) + layout.pitch - 40];
  if (axes.length === 1) {
    const points = [
      [x0, 8],
      [Math.max(x0 + 30, x1), 8],
    ] as const;
    marks.push({ kind: "line", points, stroke: axisStroke(0, 1.8), arrow: true });
  }
  for (const device of layout.devices) {
    const x = deviceX(layout, device) ?? 0;
    const place = coordinatesOf(model, device);
    marks.push(label(x, 28, String(device), 15, "ink", BOLD));
    const room = layout.pitch - 30;
    if (axes.length > 0)
      marks.push(label(x + 16, 28, fit(place, room, 11, true), 11, axisToken(0), { mono: true, weight: 700 }));
    for (let core = 0; core < model.doc.cores && model.doc.cores > 1; core++)
      marks.push(label(x + core * CORE + BAR / 2, 57, String(core), 10, "muted", CENTER));
    layout.slots.forEach((k, i) => {
      const at = slotX(layout, device, k) ?? 0;
      const [buffer, index] = splitName(model.nameAt(k));
      const same = layout.slots.filter((other) => splitName(model.nameAt(other))[0] === buffer);
      if (same[0] === k || i === 0) {
        const width = same.length * layout.slot - 2;
        marks.push(label(at, 44, fit(buffer, Math.max(width, 16), 10), 10, "muted"));
      }
      marks.push(label(at + layout.slot / 2, 57, fit(index, layout.slot + 2, 10, true), 10, "muted", CENTER));
    });
    layout.semaphores.forEach((k, i) => {
      const at = semaphoreX(layout, device, i);
      const name = model.semaphoreAt(k);
      marks.push(
        label(at, i % 2 === 0 ? 44 : 57, fit(name.replace("_sem", ""), layout.semaphore * 1.8, 9.5), 9.5, "muted"),
      );
    });
  }
  return marks;
}

function splitName(name: string): [buffer: string, index: string] {
  const at = name.indexOf("[");
  return at < 0 ? [name, ""] : [name.slice(0, at), name.slice(at + 1, -1)];
}

function coordinatesOf({ doc }: KernelModel, device: number): string {
  const parts: string[] = [];
  let rest = device;
  for (const { name, size } of [...doc.axes].reverse()) {
    parts.unshift(`${name}=${rest % size}`);
    rest = Math.floor(rest / size);
  }
  return parts.join(" ");
}

/** Moments at the left. */
export function scaleMarks({ order, layout }: Shown): Mark[] {
  const every = Math.max(1, Math.round(34 / layout.scale));
  const marks: Mark[] = [label(layout.left - 12, 57, "order", 10, "muted", { anchor: "end" })];
  for (let m = 0; m <= order.length; m += every) {
    const y = yOf(layout, m);
    marks.push({ kind: "rect", x: layout.left - 10, y, w: 5, h: 1, fill: "faint" });
    marks.push(label(layout.left - 14, y + 4, String(m), 10.5, "muted", { mono: true, anchor: "end" }));
  }
  return marks;
}

/** What a device's cores do, side by side: they run, or they wait. */
export function programMarks({ model, order, layout }: Shown, device: number): Mark[] {
  const x = deviceX(layout, device);
  if (x === null) return [];
  const marks: Mark[] = [];
  for (const k of model.of[device] ?? []) {
    const time = model.time(order, k);
    const op = model.doc.ops[k];
    if (!time || !op || time.to <= time.from) continue;
    const [y, h] = [yOf(layout, time.from), (time.to - time.from) * layout.scale];
    const box = { kind: "rect", x: x + op.core * CORE, y, w: BAR, h: Math.max(1.5, h) } as const;
    if (op.kind === "wait") {
      const ever = (order.ends[k] ?? -1) < 0;
      const ink = ever ? "error" : axisToken(0);
      marks.push({ ...box, fill: ink, hatch: true, stroke: { color: ink, width: ever ? 2 : 1 } });
    } else marks.push({ ...box, fill: "k0" });
  }
  return marks;
}

/** What a device's slots hold, and how long copies still read them. */
export function slotMarks(shown: Shown, device: number): Mark[] {
  const { model, order, layout, block } = shown;
  const marks: Mark[] = [];
  const [top, bottom] = [yOf(layout, 0), yOf(layout, order.length)];
  for (const k of layout.slots) {
    const x = slotX(layout, device, k);
    if (x === null) continue;
    const w = layout.slot - 4;
    marks.push({ kind: "rect", x: x + 1, y: top, w: w + 2, h: bottom - top, stroke: EMPTY });
  }
  for (const s of order.stretches) {
    const x = s.device === device ? slotX(layout, device, model.place(s.slot, s.core)) : null;
    if (x === null) continue;
    const of = model.doc.blocks[s.block];
    const [y, h] = [yOf(layout, s.begin), (s.end - s.begin) * layout.scale];
    const w = layout.slot - 4;
    const pale = block !== null && block !== s.block ? { alpha: PALE } : {};
    const box = { kind: "rect", x: x + 2, y, w, h } as const;
    const edge = { color: "edge", width: 1 } as const;
    marks.push({
      ...box,
      fill: blockColor(shown, s.block),
      hatch: of?.computed ?? false,
      stroke: of?.computed ? { ...edge, dash: PARTIAL_DASH } : edge,
      ...pale,
    });
    if (h >= 12)
      marks.push(label(x + 2 + w / 2, y + 12, of?.text ?? "", 11, "tile-ink", { ...CENTER, weight: 700, ...pale }));
    if (s.instead_of >= 0) {
      const at = Math.max(y, y + h - 26);
      marks.push({ ...box, y: at, h: y + h - at, stroke: { color: "error", width: 1.6 } });
      const meant = `≠ ${model.doc.blocks[s.instead_of]?.text ?? ""}`;
      if (h >= 26) marks.push(label(x + 2 + w / 2, y + h - 6, meant, 10, "tile-ink", { ...CENTER, weight: 700 }));
    }
  }
  for (const k of model.of[device] ?? []) {
    const op = model.doc.ops[k];
    const [from, to] = [order.ends[k] ?? -1, order.sent[k] ?? -1];
    if (op?.kind !== "copy" || from < 0) continue;
    for (const slot of op.slots) {
      const x = slotX(layout, device, model.place(slot, op.core));
      if (x === null) continue;
      const right = x + layout.slot - 5;
      const [y0, y1] = [yOf(layout, from) + 2, yOf(layout, to < 0 ? order.length : to) - 1];
      const points = [
        [right - 4, y0],
        [right, y0],
        [right, y1],
        [right - 4, y1],
      ] as const;
      marks.push({ kind: "line", points, stroke: { color: axisToken(model.axis(device, op.target)), width: 2 } });
    }
  }
  return marks;
}

/** What a device's semaphores hold, as staircases. */
export function semaphoreMarks({ model, order, layout }: Shown, device: number): Mark[] {
  const marks: Mark[] = [];
  layout.semaphores.forEach((semaphore, i) => {
    const x = semaphoreX(layout, device, i);
    const levels = model.levels(order, device, semaphore);
    const [top, bottom] = [yOf(layout, 0), yOf(layout, order.length)];
    marks.push({ kind: "rect", x: x - 0.5, y: top, w: 1, h: bottom - top, fill: "faint" });
    const unit = Math.min(...levels.filter((l) => l.value > 0).map((l) => l.value), Number.POSITIVE_INFINITY);
    const reach = (value: number) => (Number.isFinite(unit) ? Math.min(layout.semaphore - 6, 6 * (value / unit)) : 0);
    const points: [number, number][] = [[x, top]];
    let before = 0;
    levels.forEach((level, n) => {
      const y = yOf(layout, level.at);
      const next = yOf(layout, levels[n + 1]?.at ?? order.length);
      if (level.value > 0 && next > y)
        marks.push({ kind: "rect", x, y, w: reach(level.value), h: next - y, fill: "area" as Color });
      points.push([x + reach(before), y], [x + reach(level.value), y]);
      if (level.value > unit && next - y > 10)
        marks.push(label(x + reach(level.value) + 2, y + 10, String(Math.round(level.value / unit)), 10, "ink"));
      before = level.value;
    });
    points.push([x + reach(before), bottom]);
    marks.push({ kind: "line", points, stroke: { color: "ink", width: 1.2 } });
  });
  return marks;
}

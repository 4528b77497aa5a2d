/**
 * Where devices, slots and semaphores stand: a group of columns for each device, time downwards.
 *
 *        0 x=0                 1 x=1
 *        ▮ slot slot  sem sem  ▮ slot slot  sem sem
 *   0 -  ▮ ┌──┐                ▮
 */
import type { KernelFault, KernelOrder } from "../../core/document.gen";
import type { KernelModel } from "../model/kernel";

export interface KernelLayout {
  readonly width: number;
  readonly height: number;
  /** Devices that are drawn, in order. */
  readonly devices: readonly number[];
  readonly slots: readonly number[];
  readonly semaphores: readonly number[];
  readonly left: number;
  readonly top: number;
  /** From device to device, and the widths of a slot and of a semaphore. */
  readonly pitch: number;
  readonly slot: number;
  readonly semaphore: number;
  /** The width of the programs of a device's cores. */
  readonly bars: number;
  /** Pixels of a moment. */
  readonly scale: number;
}

const LEFT = 76;
const RIGHT = 40;
export const BAR = 10;
/** From core to core. */
export const CORE = BAR + 2;
const GAP = 22;
const TOP = 64;
const LEAST_SLOT = 17;
const MOST_SLOT = 42;
const SEMAPHORE = 20;
/** Height of time, and of a moment. */
const HEIGHT = 300;
const LEAST = 6;
const MOST = 22;

export function layoutKernel(
  model: KernelModel,
  order: KernelOrder,
  fault: KernelFault | null,
  width: number,
): KernelLayout {
  const room = width - LEFT - RIGHT;
  const own = model.slots.length > 0 ? model.slots : [0];
  const bars = (model.doc.cores - 1) * CORE + BAR;
  const least = bars + 6 + own.length * LEAST_SLOT + GAP;
  const fits = Math.max(1, Math.floor((room + GAP) / least));
  const devices = shownDevices(model, fault, fits);
  const pitch = (room + GAP) / devices.length;
  const slots = own.slice(0, Math.max(1, Math.floor((pitch - bars - 6 - GAP) / LEAST_SLOT)));
  const left = pitch - GAP - bars - 6 - slots.length * LEAST_SLOT;
  const semaphores = model.semaphores.slice(0, Math.max(0, Math.floor(left / SEMAPHORE)));
  const rest = pitch - GAP - bars - 6 - semaphores.length * SEMAPHORE;
  const slot = Math.min(MOST_SLOT, rest / slots.length);
  const scale = Math.max(LEAST, Math.min(MOST, HEIGHT / order.length));
  return {
    width,
    height: Math.ceil(TOP + order.length * scale + 10),
    devices,
    slots,
    semaphores,
    left: LEFT,
    top: TOP,
    pitch: Math.min(pitch, bars + 6 + slots.length * slot + semaphores.length * SEMAPHORE + GAP + 26),
    slot,
    semaphore: SEMAPHORE,
    bars,
    scale,
  };
}

/** All devices, or as many as fit, with those of the fault among them. */
function shownDevices(model: KernelModel, fault: KernelFault | null, fits: number): number[] {
  const all = Array.from({ length: model.devices }, (_, d) => d);
  if (fits >= model.devices) return all;
  const about = [fault?.device ?? -1, ...(fault?.ops ?? []).map((k) => model.doc.ops[k]?.device ?? -1)];
  const wanted = [...new Set(about.filter((d) => d >= 0))].slice(0, fits);
  for (const d of all) if (wanted.length < fits && !wanted.includes(d)) wanted.push(d);
  return wanted.sort((a, b) => a - b);
}

/** The left edge of a device's columns; null for one that is not drawn. */
export function deviceX({ devices, left, pitch }: KernelLayout, device: number): number | null {
  const k = devices.indexOf(device);
  return k < 0 ? null : left + k * pitch;
}

export function slotX(layout: KernelLayout, device: number, slot: number): number | null {
  const [x, k] = [deviceX(layout, device), layout.slots.indexOf(slot)];
  return x === null || k < 0 ? null : x + layout.bars + 6 + k * layout.slot;
}

export function semaphoreX(layout: KernelLayout, device: number, k: number): number {
  return (
    (deviceX(layout, device) ?? 0) + layout.bars + 6 + layout.slots.length * layout.slot + 8 + k * layout.semaphore
  );
}

export function yOf({ top, scale }: KernelLayout, moment: number): number {
  return top + moment * scale;
}

/** What is at a point: a device, a slot of it where one is, and a moment. */
export function pointAt(
  layout: KernelLayout,
  order: KernelOrder,
  x: number,
  y: number,
): { device: number; slot: number | null; moment: number } | null {
  const device = layout.devices[Math.floor((x - layout.left) / layout.pitch)];
  if (device === undefined) return null;
  const slot = layout.slots.find((k) => {
    const at = slotX(layout, device, k);
    return at !== null && x >= at && x < at + layout.slot;
  });
  const moment = Math.max(0, Math.min(order.length - 1, Math.floor((y - layout.top) / layout.scale)));
  return { device, slot: slot ?? null, moment };
}

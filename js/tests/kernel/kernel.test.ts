/** Kernels: what follows from an order, where things stand, golden pictures. */
import { expect, test } from "vitest";
import { decodeKernel } from "../../src/kernel/model/kernel";
import { kernelScene } from "../../src/kernel/scene/card";
import { layoutKernel, pointAt, slotX, yOf } from "../../src/kernel/scene/layout";
import { kernelMarks } from "../../src/kernel/scene/picture";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../golden";
import { KERNELS, type KernelName, kernel, wire } from "./kernels";

const GOLDEN: Readonly<Record<string, { of: KernelName; width: number }>> = {
  race: { of: "race", width: 934 },
  deadlock: { of: "deadlock", width: 934 },
  right: { of: "right", width: 934 },
  cores: { of: "cores", width: 934 },
  narrow: { of: "race", width: 480 },
};

for (const [name, { of, width }] of Object.entries(GOLDEN)) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    await expectSceneInGallery(kernelScene(kernel(of), 0, width, scheme), of, `kernel-${name}`, scheme);
  });
}

test.each(KERNELS)("%s: nothing stands outside of its picture, at any width", (name) => {
  const model = kernel(name);
  expectInsideAtAnyWidth((width) => kernelScene(model, 0, width, "light"));
});

test("the order that shows a race has a moment at which both accesses last", () => {
  const model = kernel("race");
  const fault = model.fault(0);
  if (!fault) throw new Error("no fault");
  expect(model.overlap(model.order(fault, true), fault)).toBeNull();
  const order = model.order(fault, false);
  const time = model.overlap(order, fault);
  if (!time) throw new Error("no overlap");
  expect(model.held(order, fault.device, fault.slot, time.from)).not.toBeNull();
  // Another block than without delays is left somewhere.
  expect(order.stretches.some((s) => s.instead_of >= 0)).toBe(true);
});

test("a semaphore never holds less than nothing, and a right kernel leaves none", () => {
  for (const name of KERNELS) {
    const model = kernel(name);
    const order = model.order(null, true);
    for (let device = 0; device < model.devices; device++)
      for (const semaphore of model.semaphores) {
        const levels = model.levels(order, device, semaphore);
        expect(Math.min(0, ...levels.map((l) => l.value))).toBe(0);
        if (name === "right") expect(levels.at(-1)?.value ?? 0).toBe(0);
      }
  }
});

test("cores of a device stand side by side, each with its semaphores", () => {
  const model = kernel("cores");
  expect(model.doc.cores).toBe(2);
  const order = model.order(null, true);
  const shown = layoutKernel(model, order, null, 900);
  expect(shown.bars).toBeGreaterThan(layoutKernel(kernel("race"), kernel("race").order(null, true), null, 900).bars);
  expect(model.semaphores.map((k) => model.semaphoreAt(k))).toEqual(
    expect.arrayContaining(["send_sem", "send_sem ·1", "ready ·1"]),
  );
  // A slot in HBM is one of all cores.
  expect(model.slots.map((k) => model.nameAt(k))).toEqual(["x_ref[0:8]", "x_ref[8:16]", "o_ref[0:8]", "o_ref[8:16]"]);
  const signal = model.doc.ops.findIndex((op) => op.kind === "signal" && op.target_core === 1);
  expect(model.words(signal)).toMatch(/^core 0 of device 0 adds 1 to ready of core 1 \(line \d+\)$/);
});

test("a wait that never ends lasts until the end", () => {
  const model = kernel("deadlock");
  const [k = -1] = model.fault(0)?.ops ?? [];
  const order = model.order(null, true);
  expect(model.time(order, k)?.to).toBe(order.length);
  expect(model.words(k)).toMatch(/^device 0 waits until send_sem is 4 KiB \(line \d+\)$/);
});

test("a point of the picture is a device, a slot and a moment", () => {
  const model = kernel("race");
  const order = model.order(null, true);
  const layout = layoutKernel(model, order, null, 640);
  const slot = layout.slots[1] ?? -1;
  const x = (slotX(layout, 2, slot) ?? 0) + 4;
  expect(pointAt(layout, order, x, yOf(layout, 9) + 1)).toEqual({ device: 2, slot, moment: 9 });
  expect(pointAt(layout, order, 2, 100)).toBeNull();
});

test("where not all devices fit, those of the fault are drawn", () => {
  const model = kernel("race");
  const fault = model.fault(0);
  const layout = layoutKernel(model, model.order(fault, false), fault, 260);
  expect(layout.devices.length).toBeLessThan(4);
  expect(layout.devices).toContain(fault?.device);
});

test("a picture is made of few marks", () => {
  const model = kernel("race");
  const fault = model.fault(0);
  const order = model.order(fault, false);
  const layout = layoutKernel(model, order, fault, 640);
  const marks = kernelMarks({ model, order, layout, scheme: "light", block: 0 }, fault);
  expect(marks.length).toBeLessThan(1200);
});

test("a document without an order is damaged", () => {
  expect(() => decodeKernel({ ...wire("race"), orders: [] })).toThrow("it has no order");
});

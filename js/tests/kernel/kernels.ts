/** Kernels as Python wrote them: `python -m tests.fixtures`. */
import type { Kernel } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import { decodeKernel, KernelModel } from "../../src/kernel/model/kernel";
import kernels from "./kernels.json";

export type KernelName = keyof typeof kernels;
export const KERNELS = Object.keys(kernels) as KernelName[];

/** A wire document of its own. */
export function wire(name: KernelName): Kernel {
  return reviveBytes(kernels[name]) as unknown as Kernel;
}

export function kernel(name: KernelName): KernelModel {
  return new KernelModel(decodeKernel(wire(name)));
}

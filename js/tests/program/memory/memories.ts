/** Memory as Python wrote it: `python -m tests.fixtures`. */
import type { Buffer, Memory } from "../../../src/core/document.gen";
import { reviveBytes } from "../../../src/core/saved";
import { decodeMemory, MemoryModel } from "../../../src/program/memory/model/memory";
import memories from "./memories.json";

export type MemoryName = keyof typeof memories;
export const MEMORIES = Object.keys(memories) as MemoryName[];

/** A wire document of its own. */
export function wire(name: MemoryName): Memory {
  return reviveBytes(memories[name].wire) as unknown as Memory;
}

export function said(name: MemoryName) {
  return memories[name].said;
}

/** Over which axes the collectives of the training step are. */
export const AXES = new Map([
  ["all-reduce.1", ["model"]],
  ["reduce-scatter.6", ["data"]],
]);

export function model(name: MemoryName): MemoryModel {
  return new MemoryModel(decodeMemory(wire(name)), AXES);
}

/** A program of so many instructions, each of which makes a buffer. */
export function large(steps: number): MemoryModel {
  const base = decodeMemory(wire("training"));
  const buffers = Array.from({ length: steps }, (_, k): Buffer => {
    const dies = Math.min(steps - 1, k + 5 + (k % 211));
    return { ...(base.buffers[7] as Buffer), name: `v${k % 31}`, bytes: 1024 * (1 + (k % 97)), born: k, dies };
  });
  const work = { start: 0, shape: [steps], strides: [0], raw: new Uint8Array(steps).fill(3), raw_bytes: 1 as const };
  return new MemoryModel({ ...base, buffers, steps, loops: [], work: work as unknown as Memory["work"] });
}

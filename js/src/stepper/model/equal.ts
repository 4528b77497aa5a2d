/** Which devices hold equal blocks of a variable: by values where all of them are known, else by types. */
import type { Corner } from "../../collective/model/chunks";
import type { Variable } from "../../core/document.gen";
import { type MeshModel, product } from "../../core/mesh";

/** What is needed of a trace. */
interface Blocks {
  mesh: MeshModel;
  corner(v: Variable): Corner | null;
}

/** For each mesh position, the first one with an equal block; null where the values of whole blocks are not known. */
export function firstEqual(trace: Blocks, v: Variable): readonly number[] | null {
  const corner = trace.corner(v);
  const { size } = trace.mesh;
  const many = product(corner?.shape ?? []);
  if (!corner?.whole || many > MOST) return null;
  const found = new Map<string, number>();
  return Array.from({ length: size }, (_, p) => {
    const start = corner.start(p);
    const values = Array.from({ length: many }, (_, i) => corner.elements.value(start + i)).join();
    const first = found.get(values) ?? p;
    found.set(values, first);
    return first;
  });
}

/** Blocks of more elements are not compared. */
const MOST = 4096;

/** Mesh axes along which blocks differ, the largest first. */
export function differingAxes(mesh: MeshModel, first: readonly number[]): number[] {
  const { meshShape } = mesh;
  const digits = first.map((p) => mesh.digits(p));
  return bySize(
    meshShape,
    [...meshShape.keys()].filter((axis) => digits.some((d) => d[axis] !== 0)),
  );
}

export function bySize(shape: readonly number[], axes: readonly number[]): number[] {
  return [...axes].sort((a, b) => (shape[b] ?? 1) - (shape[a] ?? 1) || a - b);
}

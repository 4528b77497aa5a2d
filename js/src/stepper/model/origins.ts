/** Where a variable's blocks come from: for a value that was only moved, the value that it was at first. */
import type { Origin, Trace as TraceDocument, Variable } from "../../core/document.gen";
import type { unpack } from "../../core/ints";
import type { MeshModel } from "../../core/mesh";

/** The origin of a block of which it is not known whose it is. */
export const NOT_KNOWN = -2;

/** What of a trace tells whose blocks are whose. */
interface Trace {
  mesh: MeshModel;
  doc: Pick<TraceDocument, "regions">;
  variable(id: number): Variable | null;
  origins(origin: Origin): ReturnType<typeof unpack>;
  replicas(v: Variable): readonly string[];
}

/** Mesh positions whose blocks a device holds, piece by piece: its own where nobody else's are known; -1 for zeros, NOT_KNOWN. */
export function originsOf(trace: Trace, v: Variable, position: number): readonly number[] {
  if (!v.origin) return [position];
  const all = trace.origins(v.origin);
  const pieces = Math.max(1, Math.round(all.length / trace.mesh.size));
  return [...all.subarray(position * pieces, (position + 1) * pieces)];
}

/** Whether every device holds its own block of what a variable was at first. */
export function ownBlocks(trace: Trace, v: Variable): boolean {
  return v.origin === null || trace.origins(v.origin).every((from, p) => from === p);
}

/** Whether the blocks of two devices are known to be equal: none of the axes between them makes blocks vary. */
export function sameBlocks(trace: Trace, v: Variable, a: number, b: number): boolean {
  const { mesh, doc } = trace;
  const manual = new Set<string>();
  for (let r = doc.regions[v.region]; r; r = doc.regions[r.parent]) for (const axis of r.manual) manual.add(axis);
  const equal = trace.replicas(v);
  return differing(mesh, a, b).every((axis) => {
    const name = mesh.axes[axis]?.name ?? "";
    return manual.has(name) && (!v.varying.includes(name) || equal.includes(name));
  });
}

/** Mesh axes along which two positions differ. */
export function differing(mesh: MeshModel, a: number, b: number): readonly number[] {
  const [from, to] = [mesh.digits(a), mesh.digits(b)];
  return [...from.keys()].filter((axis) => from[axis] !== to[axis]);
}

/** The variable that a variable's blocks come from. */
export function originVariable(trace: Trace, v: Variable): Variable {
  return (v.origin && trace.variable(v.origin.variable)) ?? v;
}

/**
 * What a device's block of a variable is called: one that came from a device says so, `k of device 6`, and one that has a
 * name of its own since says both, `b = k of device 6`. `name` is what it would be called without.
 */
export function originName(trace: Trace, v: Variable, position: number, name: string): string {
  const [from, ...more] = v.origin ? originsOf(trace, v, position) : [];
  if (from === undefined || from < 0 || more.length > 0) return name;
  const first = originVariable(trace, v).name;
  // Names of expressions that the user did not name say nothing.
  const again = /^(?!tmp\d)\w+$/.test(v.name) && v.name !== first ? `${name} = ` : "";
  return `${again}${again === "" && first === v.name ? name : first} of device ${trace.mesh.ids[from] ?? from}`;
}

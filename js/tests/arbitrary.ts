/** Random placements, and what they must be by counting: an oracle that shares no code with the model. */
import * as fc from "fast-check";
import type { Placement } from "../src/core/document.gen";
import { array, cut, mesh } from "./documents";

const NAMES = ["x", "y", "z", "data", "expert"];

/** Meshes of 1 … 5 axes. */
function meshSizes(most: number): fc.Arbitrary<number[]> {
  const sizes: fc.Arbitrary<number> = fc.constantFrom(1, 2, 3, 4, 8, 16, 64);
  return fc.array(sizes, { minLength: 1, maxLength: 5 }).filter((all) => all.reduce((a, b) => a * b, 1) <= most);
}

/** Placements by mesh axes: each axis splits a dimension, is unreduced or reduced, or replicates. */
function byAxes(most: number): fc.Arbitrary<Placement> {
  return fc
    .record({
      sizes: meshSizes(most),
      blocks: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 6 }),
      // Ranks as sort keys: the order of the axes in a tuple is not that of the mesh.
      order: fc.array(fc.integer(), { minLength: 5, maxLength: 5 }),
      roles: fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 5, maxLength: 5 }),
      bits: fc.constantFrom(4, 8, 16, 32, 64),
    })
    .map(({ sizes, blocks, order, roles, bits }) => {
      const names = NAMES.slice(0, sizes.length);
      const axes = names.map((name, i) => ({ name, size: sizes[i] ?? 1, role: roles[i] ?? 0, at: order[i] ?? 0 }));
      const having = (role: number) =>
        axes
          .filter((a) => a.role === role)
          .sort((a, b) => a.at - b.at)
          .map((a) => a.name);
      const sizeOf = (name: string) => axes.find((a) => a.name === name)?.size ?? 1;
      const splits = blocks.map((_, d) => having(d));
      const shape = blocks.map((block, d) => (splits[d] ?? []).reduce((n, a) => n * sizeOf(a), block));
      return array(mesh(Object.fromEntries(axes.map((a) => [a.name, a.size]))), shape, splits, {
        unreduced: having(6),
        reduced: having(7),
        bits,
      });
    });
}

/** Placements by an index map: each dimension in parts of any lengths, which devices hold in any way. */
function byCuts(): fc.Arbitrary<Placement> {
  const dim = fc.record({
    lengths: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }),
    held: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
  });
  return fc.array(dim, { minLength: 1, maxLength: 3 }).map((dims) => {
    const stops = dims.map((d) => d.lengths.map((_, i) => d.lengths.slice(0, i + 1).reduce((a, b) => a + b, 0)));
    const document = array(
      mesh({ x: 6 }),
      stops.map((s) => s.at(-1) ?? 0),
      [],
      { spec: null, sharding: "IndexMap" },
    );
    return {
      ...document,
      dims: document.dims.map((d, i) => ({
        ...d,
        cut: cut(
          (stops[i] ?? []).map((stop, k) => [stops[i]?.[k - 1] ?? 0, stop] as const),
          (dims[i]?.held ?? []).map((h) => h % (stops[i]?.length ?? 1)),
        ),
      })),
    };
  });
}

export function placements(most = 512): fc.Arbitrary<Placement> {
  return fc.oneof({ weight: 4, arbitrary: byAxes(most) }, { weight: 1, arbitrary: byCuts() });
}

export interface Holding {
  /** Part of each dimension and its `[start, stop]`. */
  parts: number[];
  slice: (readonly [number, number])[];
  /** Coordinates along the unreduced axes: devices that differ here hold different summands. */
  summand: string;
}

/** What each device holds, by walking the mesh one coordinate after the other. */
export function holdings(document: Placement): Holding[] {
  const { axes } = document.mesh;
  const walk = (names: readonly string[]): Record<string, number>[] => {
    const [name, ...rest] = names;
    if (name === undefined) return [{}];
    const size = axes.find((a) => a.name === name)?.size ?? 1;
    return Array.from({ length: size }, (_, i) => walk(rest).map((at) => ({ ...at, [name]: i }))).flat();
  };
  const spots = document.dims.map((d) => walk(d.axes).map((at) => d.axes.map((a) => at[a]).join()));
  return walk(axes.map((a) => a.name)).map((at, position) => {
    const parts = document.dims.map((d, i) =>
      d.cut ? d.cut.part.raw.getInt32(4 * position, true) : (spots[i]?.indexOf(d.axes.map((a) => at[a]).join()) ?? 0),
    );
    const slice = document.dims.map((d, i) => {
      const part = parts[i] ?? 0;
      if (d.cut) return [d.cut.starts.raw.getInt32(4 * part, true), d.cut.stops.raw.getInt32(4 * part, true)] as const;
      const length = d.size / (spots[i]?.length ?? 1);
      return [part * length, (part + 1) * length] as const;
    });
    return { parts, slice, summand: document.unreduced.map((a) => at[a]).join() };
  });
}

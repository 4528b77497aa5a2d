/** Programs of one collective on any mesh, made without Python: for pictures and tests over many of them. */
import type { Collective, Move, Plan, Semantics, Step, Trace, Variable } from "../../src/core/document.gen";
import { TraceModel } from "../../src/stepper/model/trace";
import { mesh, raw } from "../documents";

export interface Program {
  /** Mesh axes by name and size. */
  axes: Readonly<Record<string, number>>;
  kind: string;
  over: readonly string[];
  /** Shape of a device's block. */
  shape: readonly number[];
  /** Of a permutation: (source rank, destination rank). */
  pairs?: readonly (readonly [number, number])[];
  value?: (position: number, element: number) => number;
  dtype?: "float32" | "int32";
}

const product = (values: readonly number[]) => values.reduce((a, b) => a * b, 1);

/** Those of the tests' programs, of the list in `_jax/primitives.py`. */
export const ELEMENTWISE: ReadonlySet<string> = new Set(["add", "mul", "sub", "exp", "select_n", "max"]);

/** The program as a model: in_specs, a local step, the collective. */
export function programOf(program: Program): TraceModel {
  const { axes, kind, over, shape, dtype = "int32" } = program;
  const value = program.value ?? ((p: number, i: number) => p * product(shape) + i);
  const names = Object.keys(axes);
  const sizes = Object.values(axes);
  const size = product(sizes);
  const groups = groupsOf(names, sizes, over);
  const n = groups[0]?.length ?? 1;
  const input = Array.from({ length: size }, (_, p) => Array.from({ length: product(shape) }, (_, i) => value(p, i)));
  const at =
    kind === "all_gather"
      ? 0
      : Math.max(
          0,
          shape.findIndex((d) => d % n === 0),
        );
  const cut = shape.some((d) => d % n === 0) ? at : -1;
  const made = apply(kind, groups, input, shape, at, program.pairs ?? []);
  const gone = ["psum", "pmax", "pmin"].includes(kind) ? over : [];
  // Rank r sends (r + k) % 2 rows to rank k.
  const sent = groups[0]?.map((_, r) => groups[0]?.map((_, k) => (r + k) % 2) ?? []) ?? [];
  const ragged = kind === "ragged_all_to_all";
  const variables = [
    variable(0, "r", shape, input, names, dtype),
    variable(1, "r", shape, input, names, dtype),
    variable(
      2,
      "a",
      made.shape,
      made.blocks,
      names.filter((a) => !gone.includes(a)),
      dtype,
    ),
  ];
  if (ragged) {
    const ranks = input.map((_, p) => groups.find((g) => g.includes(p))?.indexOf(p) ?? 0);
    const start = (r: number, k: number) => (sent[r] ?? []).slice(0, k).reduce((a, b) => a + b, 0);
    const of = (id: number, name: string, row: (r: number) => number[]) =>
      variables.push(variable(id, name, [n], ranks.map(row), names, "int32"));
    of(3, "offsets", (r) => Array.from({ length: n }, (_, k) => start(r, k)));
    of(4, "sizes", (r) => sent[r] ?? []);
  }
  const plans = plansOf(kind, n, program.pairs ?? []);
  const collective: Collective = {
    kind,
    axes: over,
    positions: raw(groups.flat()),
    group_size: n,
    bytes_per_device: 4 * product(shape),
    arithmetic: "",
    hops: n - 1,
    plan_bytes: [],
    plans: plans.map((_, i) => i),
    semantics: semanticsOf(kind),
    split_axis: ["ppermute", "all_gather", "pbroadcast"].includes(kind) ? -1 : cut,
    concat_axis: kind === "all_gather" ? 0 : ["ppermute", "reduce_scatter", "pbroadcast"].includes(kind) ? -1 : cut,
    latency: [],
    bandwidth: [],
  };
  const step = (primitive: string, inputs: number[], outputs: number[], rest: Partial<Step> = {}): Step => ({
    primitive,
    begins: "statement",
    expression: "",
    inputs,
    outputs,
    sentence: "",
    source: null,
    params: [],
    literals: [],
    region: 0,
    scope: -1,
    collective: null,
    implicit: false,
    shape_only: false,
    elementwise: ELEMENTWISE.has(primitive),
    active: null,
    printed: "",
    ...rest,
  });
  const doc: Trace = {
    mesh: mesh(axes),
    steps: [
      step("in_specs", [], [0]),
      step("add", [0], [1]),
      step(kind, ragged ? [1, 1, 3, 4] : [1], [2], { collective }),
    ],
    variables,
    regions: [{ name: "f", mesh: mesh(axes), manual: names, in_specs: [], out_specs: [], check_vma: true, parent: -1 }],
    scopes: [],
    listings: [],
    plans,
    interconnects: [],
    name: "f",
    engine: "host",
    note: "",
    error: null,
    jax_version: "0.10.2",
    changed: null,
    kind: "trace",
    version: 1,
  };
  return new TraceModel(doc);
}

function variable(
  id: number,
  name: string,
  shape: readonly number[],
  blocks: readonly (readonly number[])[],
  varying: readonly string[],
  dtype: "float32" | "int32",
): Variable {
  const data = dtype === "int32" ? Int32Array.from(blocks.flat()) : Float32Array.from(blocks.flat());
  return {
    id,
    name,
    type: `${dtype === "int32" ? "i32" : "f32"}[${shape}]{V:(${varying})}`,
    shape,
    dtype,
    bits: 32,
    region: 0,
    varying,
    unreduced: [],
    reduced: [],
    dims: [],
    window: {
      shape,
      format: dtype === "int32" ? "i4" : "f4",
      data: new DataView(data.buffer),
      block: raw(blocks.map((_, p) => p)),
    },
    drawn: true,
    origin: null,
  };
}

/** Mesh positions of each group, in rank order. */
function groupsOf(names: readonly string[], sizes: readonly number[], over: readonly string[]): number[][] {
  const strides = sizes.map((_, a) => product(sizes.slice(a + 1)));
  const walk = (axes: readonly string[]): number[] =>
    axes.reduce<number[]>(
      (starts, name) => {
        const a = names.indexOf(name);
        return starts.flatMap((s) => Array.from({ length: sizes[a] ?? 1 }, (_, i) => s + i * (strides[a] ?? 1)));
      },
      [0],
    );
  const inner = walk(over);
  return walk(names.filter((a) => !over.includes(a))).map((start) => inner.map((p) => p + start));
}

/** What JAX would give, by counting. */
function apply(
  kind: string,
  groups: readonly (readonly number[])[],
  input: readonly (readonly number[])[],
  shape: readonly number[],
  at: number,
  pairs: readonly (readonly [number, number])[],
): { shape: readonly number[]; blocks: number[][] } {
  const n = groups[0]?.length ?? 1;
  const blocks: number[][] = input.map(() => []);
  const of = (p: number) => input[p] ?? [];
  const inner = product(shape.slice(at + 1));
  const length = shape[at] ?? 1;
  const chunkOf = (i: number) => Math.floor(((Math.floor(i / inner) % length) * n) / length);
  const add = (group: readonly number[], i: number) => group.reduce((sum, p) => sum + (of(p)[i] ?? 0), 0);
  for (const group of groups) {
    group.forEach((p, rank) => {
      const own = of(p);
      blocks[p] =
        kind === "psum"
          ? own.map((_, i) => add(group, i))
          : kind === "pmax"
            ? own.map((_, i) => Math.max(...group.map((q) => of(q)[i] ?? 0)))
            : kind === "reduce_scatter"
              ? own.flatMap((_, i) => (chunkOf(i) === rank ? [add(group, i)] : []))
              : kind === "all_gather"
                ? group.flatMap((q) => of(q))
                : kind === "all_to_all"
                  ? own.map((_, i) => {
                      const [row, column, rest] = [
                        Math.floor(i / (inner * length)),
                        Math.floor(i / inner) % length,
                        i % inner,
                      ];
                      const part = length / n;
                      const from = group[Math.floor(column / part)] ?? 0;
                      return of(from)[(row * length + rank * part + (column % part)) * inner + rest] ?? 0;
                    })
                  : kind === "ragged_all_to_all"
                    ? raggedTo(rank, group, of, own)
                    : kind === "pbroadcast"
                      ? [...of(group[0] ?? 0)]
                      : own.map((_, i) => {
                          const from = pairs.find(([, d]) => d === rank)?.[0];
                          return from === undefined ? 0 : (of(group[from] ?? 0)[i] ?? 0);
                        });
    });
  }
  const made =
    kind === "all_gather"
      ? [n * (shape[0] ?? 1), ...shape.slice(1)]
      : kind === "reduce_scatter"
        ? shape.map((d, i) => (i === at ? d / n : d))
        : shape;
  return { shape: made, blocks };
}

/** What a rank has after a ragged exchange: the rows that others send to it, one after another. */
function raggedTo(
  rank: number,
  group: readonly number[],
  of: (p: number) => readonly number[],
  own: readonly number[],
): number[] {
  const rows = group.flatMap((p, r) => {
    const before = group.slice(0, rank).reduce((sum, _, k) => sum + ((r + k) % 2), 0);
    return (r + rank) % 2 === 1 ? [of(p)[before] ?? 0] : [];
  });
  return own.map((v, i) => rows[i] ?? v);
}

/** What happens, as `shardwidget/collectives` states it. */
export function semanticsOf(kind: string): Semantics {
  const base: Semantics = { sign: "", combines: "", starts: "own", cuts: "none", by_origin: false, replicates: false };
  const all = { ...base, starts: "whole", cuts: "both", replicates: true } as const;
  const known: Readonly<Record<string, Semantics>> = {
    psum: { ...all, combines: "sum" },
    pmax: { ...all, combines: "max" },
    pmin: { ...all, combines: "min" },
    reduce_scatter: { ...base, combines: "sum", starts: "whole", cuts: "sent" },
    all_gather: { ...base, cuts: "received", replicates: true },
    all_to_all: { ...base, cuts: "both", by_origin: true },
    ppermute: { ...base, starts: "nothing" },
    pbroadcast: { ...base, starts: "source", replicates: true },
    ragged_all_to_all: { ...base, by_origin: true },
  };
  return known[kind] ?? base;
}

/** The algorithms of a kind, as `shardwidget/collectives/plan.py` states them. */
export function plansOf(kind: string, n: number, pairs: readonly (readonly [number, number])[] = []): Plan[] {
  const move = (m: Partial<Move>): Move => ({
    peer: "shift",
    op: "copy",
    by: 0,
    first: 0,
    count: 1,
    origin: 0,
    pairs: [],
    ...m,
  });
  const plan = (algorithm: Plan["algorithm"], rounds: Move[][]): Plan => ({
    algorithm,
    semantics: semanticsOf(kind),
    n,
    rounds,
  });
  const peers = Array.from({ length: n - 1 }, (_, i) => i + 1);
  const reduces = ["psum", "pmax", "pmin"].includes(kind);
  const others = peers.map((r) => [0, r] as const);
  const meaning: Move[] =
    kind === "ppermute"
      ? [move({ peer: "pairs", pairs })]
      : kind === "pbroadcast"
        ? [move({ peer: "pairs", pairs: others })]
        : peers.map((by) =>
            move({
              by,
              op: reduces || kind === "reduce_scatter" ? "add" : "copy",
              first: reduces || kind === "all_gather" ? 0 : by,
              count: reduces ? n : 1,
            }),
          );
  const out = [plan("meaning", [meaning])];
  if (kind === "ppermute" || kind === "ragged_all_to_all" || n === 1) return out;
  const rounds = (forward: number, backward: number): Move[][] => {
    const hop = (of: (step: number, hop: number, hops: number) => Move) =>
      Array.from({ length: forward }, (_, k) => [of(1, k, forward), ...(k < backward ? [of(-1, k, backward)] : [])]);
    const reduce = hop((step, k, hops) => move({ op: "add", by: step, first: step * (hops - k) }));
    const gather = hop((step, k) => move({ by: step, first: -step * k }));
    if (kind === "reduce_scatter") return reduce;
    if (kind === "all_gather") return gather;
    if (kind === "pbroadcast")
      return hop((step, k) => {
        const r = (by: number) => (((step * by) % n) + n) % n;
        return move({ peer: "pairs", pairs: [[r(k), r(k + 1)]] });
      });
    if (reduces) return [...reduce, ...gather];
    return hop((step, k, hops) =>
      move({ by: step, first: step > 0 ? 1 : -(hops - k), count: hops - k, origin: -step * k }),
    );
  };
  out.push(plan("ring", rounds(n - 1, 0)));
  if (n > 2) out.push(plan("bidirectional ring", rounds(Math.floor(n / 2), Math.floor((n - 1) / 2))));
  if ((n & (n - 1)) === 0 && kind !== "pbroadcast") {
    const up = Array.from({ length: Math.log2(n) }, (_, k) => 1 << k);
    const down = [...up].reverse();
    const halving = down.map((bit) => [move({ peer: "exchange", op: "add", by: bit, first: bit, count: bit })]);
    const doubling = up.map((bit) => [move({ peer: "exchange", by: bit, first: 0, count: bit })]);
    const swaps = down.map((bit) =>
      Array.from({ length: n / (2 * bit) }, (_, o) =>
        move({ peer: "exchange", by: bit, first: bit, count: bit, origin: 2 * bit * o }),
      ),
    );
    const chosen =
      kind === "reduce_scatter"
        ? halving
        : kind === "all_gather"
          ? doubling
          : reduces
            ? [...halving, ...doubling]
            : swaps;
    out.push(plan("halving-doubling", chosen));
  }
  return out;
}

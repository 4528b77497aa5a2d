/** One geometry for a whole program: no step and no algorithm moves a tile, over many meshes, collectives and blocks. */
import { expect, test } from "vitest";
import { TraceModel } from "../../src/stepper/model/trace";
import { layoutOf } from "../../src/stepper/sizes";
import { type Program, programOf } from "./programs";
import { RULES } from "./rules";
import { model, TRACES } from "./traces";

const MESHES: readonly Program["axes"][] = [
  { x: 2 },
  { x: 4 },
  { x: 8 },
  { x: 16 },
  { x: 2, y: 2 },
  { x: 2, y: 4 },
  { x: 4, y: 2 },
  { x: 4, y: 4 },
  { x: 2, y: 2, z: 2 },
  { x: 2, y: 4, z: 2 },
];
const KINDS = ["psum", "reduce_scatter", "all_gather", "all_to_all", "ppermute", "pbroadcast"];
const real = (p: number, i: number) => -69.8 + 7.3 * p - 3.1 * (i % 97);
const BLOCKS: readonly Pick<Program, "shape" | "dtype" | "value">[] = [
  { shape: [1, 4] },
  { shape: [4, 4] },
  { shape: [8, 8], dtype: "float32", value: real },
  { shape: [16, 64], dtype: "float32", value: real },
];
const WIDTHS = [360, 480, 700, 934, 1100];

/** Programs of one collective over each axis, and over both of two. */
function programs(axes: Program["axes"]): Program[] {
  const names = Object.keys(axes);
  const overs = [...names.map((name) => [name]), ...(names.length === 2 ? [names] : [])];
  return overs.flatMap((over) => {
    const n = over.reduce((size, name) => size * (axes[name] ?? 1), 1);
    const pairs = Array.from({ length: n }, (_, r) => [r, (r + 1) % n] as const);
    // Two of the four blocks come to each collective, so that every block comes to every mesh.
    return KINDS.flatMap((kind, k) =>
      BLOCKS.filter(({ shape }, b) => b % 2 === k % 2 && (!cuts(kind) || shape.some((d) => d % n === 0))).map(
        (block) => ({
          ...block,
          axes,
          kind,
          over,
          ...(kind === "ppermute" ? { pairs } : {}),
        }),
      ),
    );
  });
}

const cuts = (kind: string) => kind === "reduce_scatter" || kind === "all_to_all";

/** Whether the tiles of any two steps or algorithms differ in place or size, or other devices have one. */
function moves(trace: TraceModel, width: number): boolean {
  const layout = layoutOf(trace, width, []);
  const places = trace.steps.flatMap((step, at) => {
    const plans = trace.communicates(step) ? trace.plans(step).map((plan) => plan.algorithm) : [];
    return ["meaning" as const, ...plans].map((algorithm) => {
      const { tiles } = layout.setting(at, algorithm, null, RULES).stage;
      return JSON.stringify(tiles.map(({ members, box }) => [members, box]));
    });
  });
  return new Set(places).size > 1;
}

test.each(MESHES)("%j: tiles stand at one place, as large, in every step and algorithm", (axes) => {
  // Every width comes to every mesh, not to each of its programs.
  const all = programs(axes).map((program, i) => [program, WIDTHS[i % WIDTHS.length] ?? 0] as const);
  const moved = all.filter(([program, width]) => moves(programOf(program), width));
  expect(moved.map(([{ kind, over, shape }, width]) => `${kind} ${over} ${shape} ${width}`)).toEqual([]);
});

test("in programs that JAX traced, too", () => {
  const all = TRACES.flatMap((name) => WIDTHS.map((width) => [name, width] as const));
  const moved = all.filter(([name, width]) => moves(model(name), width));
  expect(moved.map((one) => one.join(" "))).toEqual([]);
});

test.each(["psum", "all_gather", "all_to_all"])(
  "a second %s over the same axis, of longer numbers, moves no tile",
  (kind) => {
    for (const axes of [
      { x: 4, y: 4 },
      { x: 2, y: 4, z: 2 },
    ]) {
      const program = { axes, kind, over: ["y"], shape: [4, 4] };
      const { doc } = programOf(program);
      const later = programOf({ ...program, dtype: "float32", value: real }).doc;
      const n = doc.variables.length;
      const variables = [...doc.variables, ...later.variables.map((v) => ({ ...v, id: v.id + n }))];
      const own = (ids: readonly number[]) => ids.map((id) => id + n);
      const steps = [
        ...doc.steps,
        ...later.steps.slice(1).map((s) => ({ ...s, inputs: own(s.inputs), outputs: own(s.outputs) })),
      ];
      const trace = new TraceModel({ ...doc, variables, steps });
      const moved = WIDTHS.filter((width) => moves(trace, width));
      expect(moved, Object.keys(axes).join()).toEqual([]);
    }
  },
);

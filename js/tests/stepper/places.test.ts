/** One geometry for a whole program: no step and no algorithm moves a tile, over many meshes, collectives and blocks. */
import { expect, test } from "vitest";
import type { Box } from "../../src/draw/marks";
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
      const byDevice = [...tiles].sort((a, b) => (a.members[0] ?? 0) - (b.members[0] ?? 0));
      return JSON.stringify(byDevice.map(({ members, box }) => [members, box]));
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
  // Where not all devices have tiles with numbers, a group over another axis has its own.
  const own = (name: string, width: number) => name === "both axes" && width < 700;
  const all = TRACES.flatMap((name) => WIDTHS.flatMap((width) => (own(name, width) ? [] : [[name, width] as const])));
  const moved = all.filter(([name, width]) => moves(model(name), width));
  expect(moved.map((one) => one.join(" "))).toEqual([]);
});

/** A program, and after it the collective of another, of values of its own. */
function followed(first: Program, second: Program): TraceModel {
  const [{ doc }, { doc: later }] = [programOf(first), programOf(second)];
  const [values, plans] = [doc.variables.length, doc.plans.length];
  const own = (ids: readonly number[]) => ids.map((id) => id + values);
  const steps = later.steps.slice(1).map((step) => {
    const { collective: c, inputs, outputs } = step;
    const collective = c && { ...c, plans: c.plans.map((k) => k + plans) };
    return { ...step, inputs: own(inputs), outputs: own(outputs), collective };
  });
  return new TraceModel({
    ...doc,
    variables: [...doc.variables, ...later.variables.map((v) => ({ ...v, id: v.id + values }))],
    steps: [...doc.steps, ...steps],
    plans: [...doc.plans, ...later.plans],
  });
}

test.each(["psum", "all_gather", "all_to_all"])(
  "a second %s over the same axis, of longer numbers, moves no tile",
  (kind) => {
    for (const axes of [
      { x: 4, y: 4 },
      { x: 2, y: 4, z: 2 },
    ]) {
      const program = { axes, kind, over: ["y"], shape: [4, 4] };
      const trace = followed(program, { ...program, dtype: "float32", value: real });
      const moved = WIDTHS.filter((width) => moves(trace, width));
      expect(moved, Object.keys(axes).join()).toEqual([]);
    }
  },
);

const PAIRS = [
  ["psum", "psum"],
  ["all_gather", "psum"],
  ["psum", "all_gather"],
  ["all_gather", "all_gather"],
] as const;

test.each([
  { x: 2, y: 2 },
  { x: 2, y: 4 },
  { x: 4, y: 2 },
  { x: 4, y: 4 },
])("collectives over both axes of %j, all its devices in the same tiles", (sizes) => {
  const moved: string[] = [];
  let programs = 0;
  for (const kinds of PAIRS)
    for (const overs of [
      ["x", "y"],
      ["y", "x"],
    ] as const)
      for (const block of BLOCKS.slice(0, 3)) {
        // Every width comes to every mesh, not to each of its programs.
        const width = WIDTHS[programs++ % WIDTHS.length] ?? 0;
        const [kind, later] = kinds;
        const [over, other] = overs;
        // Four chunks of long numbers in each of four columns have no room: there a group stands alone.
        const chunks = Math.max(kind === "psum" ? 1 : sizes[over], later === "psum" ? 1 : sizes[other]);
        if (chunks * sizes.y >= 16 && block.dtype === "float32") continue;
        const program = { ...block, axes: sizes, kind, over: [over] };
        const trace = followed(program, { ...program, kind: later, over: [other] });
        const { tiles } = layoutOf(trace, width, []).setting(0, "meaning", null, RULES).stage;
        const moving = moves(trace, width);
        // In narrow cards not all devices have tiles with numbers: every step is drawn, and may have tiles of its own.
        if (width >= 700 && (tiles.length < sizes.x * sizes.y || moving))
          moved.push(`${kinds} over ${overs}, ${block.shape} ${block.dtype} at ${width}`);
      }
  expect(moved).toEqual([]);
});

test.each([
  { x: 2, y: 4 },
  { x: 4, y: 2 },
  { x: 4, y: 4 },
])("additions over both axes of %j stand behind no tile, whichever device is picked", (sizes) => {
  const meet = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
  for (const [over, other] of [
    ["x", "y"],
    ["y", "x"],
  ] as const) {
    const program: Program = { axes: sizes, kind: "psum", over: [over], shape: [4, 4] };
    const trace = followed(program, { ...program, over: [other] });
    const layout = layoutOf(trace, 934, []);
    const sums = trace.steps.flatMap((step, at) => (trace.communicates(step) ? [at] : []));
    for (let device = 0; device < trace.mesh.size; device++)
      for (const at of sums) {
        const { tiles, covered, lanes, result } = layout.setting(at, "meaning", device, RULES).stage;
        const seen = tiles.filter(({ members: [p = 0] }) => !covered.has(p));
        const boxes = [...lanes.map(({ slot }) => slot), ...(result ? [result.box] : [])];
        expect(boxes.length).toBeGreaterThan(2);
        expect(seen.filter(({ box }) => boxes.some((one) => meet(one, box))).flatMap((t) => t.members)).toEqual([]);
      }
  }
});

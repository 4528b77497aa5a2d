/** One geometry for a whole program: over programs of many meshes, collectives and blocks, no step moves a tile. */
import { expect, test } from "vitest";
import type { TraceModel } from "../../src/stepper/model/trace";
import { StepperLayout } from "../../src/stepper/scene/stepper";
import { type Program, programOf } from "./programs";
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

/** Programs of one collective over each axis, and over both of two. */
function programs(axes: Program["axes"]): Program[] {
  const names = Object.keys(axes);
  const overs = [...names.map((name) => [name]), ...(names.length === 2 ? [names] : [])];
  return overs.flatMap((over) => {
    const n = over.reduce((size, name) => size * (axes[name] ?? 1), 1);
    const pairs = Array.from({ length: n }, (_, r) => [r, (r + 1) % n] as const);
    return KINDS.flatMap((kind) =>
      BLOCKS.filter(({ shape }) => !cuts(kind) || shape.some((d) => d % n === 0)).map((block) => ({
        ...block,
        axes,
        kind,
        over,
        ...(kind === "ppermute" ? { pairs } : {}),
      })),
    );
  });
}

const cuts = (kind: string) => kind === "reduce_scatter" || kind === "all_to_all";

/** A group of some of the devices alone, and rows folded in one step: there others have tiles. */
const MOVED = ["oddities 456", "oddities 683", "oddities 900", "oddities 1100", "256 devices 456"];

/** Whether the tiles of any two steps differ in place or size, or other devices have one. */
function moves(trace: TraceModel, width: number): boolean {
  const layout = new StepperLayout(trace, width);
  const places = trace.steps.map((_, at) =>
    JSON.stringify(layout.setting(at, "meaning", null).stage.tiles.map(({ members, box }) => [members, box])),
  );
  return new Set(places).size > 1;
}

test.each(MESHES)("%j: tiles stand at one place, as large, in every step", (axes) => {
  for (const width of [683, 900]) {
    const moved = programs(axes).filter((program) => moves(programOf(program), width));
    expect(moved.map(({ kind, over, shape }) => `${kind} ${over} ${shape}`)).toEqual([]);
  }
});

test("in programs that JAX traced, too", () => {
  const all = TRACES.flatMap((name) => [456, 683, 900, 1100].map((width) => [name, width] as const));
  const moved = all.filter(([name, width]) => moves(model(name), width));
  expect(moved.map((one) => one.join(" "))).toEqual(MOVED);
});

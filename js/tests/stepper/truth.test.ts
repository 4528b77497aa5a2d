/** Colour and place never lie: equal blocks have equal colours, and tiles stand where they stood. */
import { expect, test } from "vitest";
import { ALGORITHMS } from "../../src/collective/model/algorithm";
import type { Collective, Plan, Step, Variable } from "../../src/core/document.gen";
import { product } from "../../src/core/mesh";
import type { Box, Color, Mark } from "../../src/draw/marks";
import { TraceModel } from "../../src/stepper/model/trace";
import { blockColors } from "../../src/stepper/scene/colors";
import { partsOf } from "../../src/stepper/scene/look";
import { frameMarks, frameOf, StepperLayout } from "../../src/stepper/scene/stepper";
import { barMarks } from "../../src/stepper/scene/strips";
import { tileMarks } from "../../src/stepper/scene/tiles";
import { moves, stepView } from "../../src/stepper/scene/view";
import { programOf } from "./programs";
import { RULES } from "./rules";
import { model, TRACES } from "./traces";

/** All values of a device's block. */
function blockOf(t: TraceModel, v: Variable, p: number): string {
  const corner = t.corner(v);
  const many = product(corner?.shape ?? []);
  return Array.from({ length: many }, (_, i) => corner?.elements.value((corner?.start(p) ?? 0) + i)).join();
}

/** Fails where one thing has two looks, or two things have one. */
function checkOneToOne(pairs: Iterable<readonly [thing: string, look: string]>, where: string): void {
  const [looks, things] = [new Map<string, string>(), new Map<string, string>()];
  for (const [thing, look] of pairs) {
    const [same, other] = [looks.get(thing) ?? look, things.get(look) ?? thing];
    if (same !== look) expect.fail(`${where}: ${thing} is seen as ${same} and as ${look}`);
    if (other !== thing) expect.fail(`${where}: ${thing} and ${other} are both seen as ${look}`);
    looks.set(thing, look);
    things.set(look, thing);
  }
}

test.each(TRACES)("%s: different blocks differ in colour, equal ones do not, but for parts of arguments", (name) => {
  const t = model(name);
  const color = blockColors(t);
  const given = new Set(t.steps.flatMap((s) => (s.primitive === "in_specs" ? [...s.inputs, ...s.outputs] : [])));
  for (const v of t.doc.variables) {
    if (!t.corner(v)?.whole) continue;
    // What was moved keeps the colour of where it came from, an argument's part that of its place.
    if (v.origin || given.has(v.id)) continue;
    const all = Array.from({ length: t.mesh.size }, (_, p) => [blockOf(t, v, p), color(v, p, "light").join()] as const);
    checkOneToOne(all, v.name);
  }
});

test("the algorithm recolours nothing: each tile begins with the colours that it has in the meaning", () => {
  for (const kind of ["psum", "reduce_scatter", "all_gather", "all_to_all"]) {
    for (const [axes, over] of [
      [{ x: 4 }, "x"],
      [{ x: 8 }, "x"],
      [{ x: 16 }, "x"],
      [{ x: 2, y: 4 }, "y"],
    ] as const) {
      const t = programOf({ axes, kind, over: [over], shape: [1, 16] });
      const layout = new StepperLayout(t, 860);
      const fills = (algorithm: Plan["algorithm"]) => {
        const options = { scheme: "light", algorithm, device: 0, rules: RULES, still: false } as const;
        const view = stepView(layout, { step: 2, phase: 0 }, options);
        const tiles = view.stage.tiles.filter(({ members: [p = 0] }) => view.stage.group.includes(p));
        return tiles.map((tile) => {
          const marks = tileMarks(view, tile).flatMap((m) => (m.kind === "rect" && m.fill ? [m.fill] : []));
          return [...new Set(marks)].filter((fill) => fill.startsWith("#")).sort();
        });
      };
      for (const algorithm of ALGORITHMS) expect(fills(algorithm), `${kind} ${algorithm}`).toEqual(fills("meaning"));
    }
  }
});

test.each([4, 8, 16])(
  "of %i members, copies of every algorithm have the colours of the blocks that they came from",
  (n) => {
    const t = programOf({ axes: { x: n }, kind: "all_gather", over: ["x"], shape: [1, 4] });
    const layout = new StepperLayout(t, 934);
    const fillsOf = (marks: readonly Mark[]) =>
      marks.flatMap((m) => (m.kind === "rect" && m.fill?.startsWith("#") ? [m.fill] : []));
    const at = (algorithm: Plan["algorithm"], phase: number) =>
      stepView(layout, { step: 2, phase }, { scheme: "light", algorithm, device: 0, rules: RULES, still: false });
    const first = at("meaning", 0);
    const own = new Map(first.stage.tiles.map((tile) => [tile.members[0], fillsOf(tileMarks(first, tile))[0]]));
    expect(new Set(own.values()).size).toBe(n);
    for (const algorithm of ALGORITHMS) {
      const seen = new Set<Color>();
      for (let phase = 0.01; phase < 1; phase += 0.01)
        for (const { marks } of frameOf(at(algorithm, phase)).flights)
          for (const fill of fillsOf(marks)) seen.add(fill);
      expect(
        [...seen].filter((fill) => ![...own.values()].includes(fill)),
        algorithm,
      ).toEqual([]);
      if (at(algorithm, 0.5).plan?.algorithm === algorithm) expect(seen.size, algorithm).toBeGreaterThanOrEqual(n - 1);
    }
  },
);

/** A program that sums over one axis of a mesh and then over the other. */
function sumsOver(axes: Readonly<Record<string, number>>, first: string, second: string): TraceModel {
  const [a, b] = [first, second].map((over) => programOf({ axes, kind: "psum", over: [over], shape: [2, 2] }).doc);
  if (!a || !b) throw new Error("there is no program");
  const other = b.steps[2] as Step;
  const c = other.collective as Collective;
  const collective = { ...c, plans: c.plans.map((k) => k + a.plans.length) };
  const result = { ...(b.variables[2] as Variable), id: 3, name: "b" };
  return new TraceModel({
    ...a,
    steps: [...a.steps, { ...other, outputs: [3], collective }],
    variables: [...a.variables, result],
    plans: [...a.plans, ...b.plans],
  });
}

test.each([
  [{ x: 2, y: 4 }, "x", "y"],
  [{ x: 2, y: 4 }, "y", "x"],
  [{ x: 4, y: 2 }, "x", "y"],
  [{ x: 4, y: 2 }, "y", "x"],
] as const)("%j, sums over %s and %s: a later collective stands in the same tiles", (axes, first, second) => {
  const t = sumsOver(axes, first, second);
  for (const width of [683, 860, 1100]) {
    const layout = new StepperLayout(t, width);
    for (const device of [null, 0, t.mesh.size - 1]) {
      const places = t.steps.map(
        (_, at) =>
          new Map(layout.setting(at, "meaning", device, RULES).stage.tiles.map((tile) => [tile.members[0], tile.box])),
      );
      const home = places[0] as Map<number, Box>;
      expect(home.size).toBe(t.mesh.size);
      for (const other of places) for (const [p, box] of other) expect(box).toEqual(home.get(p as number));
    }
  }
});

test("after an all_gather equal blocks have equal colours, and = between their devices", () => {
  const t = model("all_gather");
  const at = t.steps.findIndex((s) => s.primitive === "out_specs");
  const layout = new StepperLayout(t, 683);
  const options = { scheme: "light", algorithm: "meaning", device: null, rules: RULES, still: false } as const;
  const view = stepView(layout, { step: at, phase: 1 }, options);
  const marks = frameMarks(frameOf(view));
  expect(marks.filter((m) => m.kind === "disc" && m.sign === "=")).toHaveLength(6);
  const tiles = view.stage.tiles.map((tile) =>
    tileMarks(view, tile).flatMap((m) => (m.kind === "rect" && m.fill?.startsWith("#") ? [m.fill] : [])),
  );
  // Two groups of four, along x.
  for (const [i, tile] of tiles.entries()) {
    const [p = 0] = view.stage.tiles[i]?.members ?? [];
    const first = view.stage.tiles.findIndex(({ members }) => members[0] === p % 2);
    expect(tile).toEqual(tiles[first]);
  }
});

/** Programs whose collectives are played in rounds: those of the corpus, and one of each kind over one axis and over two. */
const PLAYED: readonly (readonly [string, () => TraceModel])[] = [
  ...TRACES.map((name) => [name, () => model(name)] as const),
  ...["psum", "reduce_scatter", "all_gather", "all_to_all"].flatMap((kind) =>
    [
      { axes: { x: 4 }, over: ["x"] },
      { axes: { x: 8 }, over: ["x"] },
      { axes: { x: 2, y: 4 }, over: ["y"] },
      { axes: { x: 2, y: 4 }, over: ["x", "y"] },
    ].map((of) => [`${kind} ${JSON.stringify(of)}`, () => programOf({ ...of, kind, shape: [1, 16] })] as const),
  ),
];

/** Colour of the picture at a point, and whether it is hatched. */
function seenAt(marks: readonly Mark[], x: number, y: number): string {
  const at = marks.flatMap((m) =>
    m.kind === "rect" && m.fill?.startsWith("#") && x >= m.x && x < m.x + m.w && y >= m.y && y < m.y + m.h ? [m] : [],
  );
  const top = at.at(-1);
  return top ? `${top.fill}${top.hatch ? " hatched" : ""}` : "";
}

/**
 * What a chunk is, is the place in its block and the members whose parts it holds. Of one part it has the colour of that
 * device; of all it has that of the result; in between, that of its place in the result, hatched, and a bar says whose.
 */
test.each(PLAYED)("%s: in every round of every algorithm equal chunks look equal, and others do not", (name, made) => {
  const t = made();
  const layout = new StepperLayout(t, 934);
  let compared = 0;
  for (const [step, { collective }] of t.steps.entries()) {
    if (!collective || !t.communicates(t.steps[step] as Step)) continue;
    for (const algorithm of ALGORITHMS) {
      for (let phase = 0; phase < 1; phase += 0.04) {
        const options = { scheme: "light", algorithm, device: 0, rules: RULES, still: false } as const;
        const view = stepView(layout, { step, phase }, options);
        if (!moves(view) || view.plan?.algorithm !== algorithm || !view.hops || view.finished) continue;
        if (view.stage.chunks < 2) continue;
        const { chunks } = view.stage;
        const looks = new Map<string, string>();
        for (const tile of view.stage.tiles) {
          const [[p = 0, ...others], [place]] = [tile.members, tile.places];
          if (!place || others.length > 0) continue;
          const marks = [...tileMarks(view, tile), ...(view.adds ? barMarks(view, tile) : [])];
          const { box } = place;
          for (let k = 0; k < chunks; k++) {
            const parts = partsOf(view, p, k);
            if (parts.length === 0 || view.empty.has(k)) continue;
            const [x, w] = [box.x + (k * box.w) / chunks, box.w / chunks];
            const whole = view.adds && parts.length === chunks;
            // Whose a single term is its colour says.
            const some = parts.length > 1 && !whole ? marks : [];
            const bar = some.flatMap((m) =>
              m.kind === "rect" && m.fill === "muted" && m.y > box.y + box.h && m.x >= x && m.x < x + w
                ? [Math.round(m.x - x)]
                : [],
            );
            // Of a sum that is complete it is not told who added first; equal blocks are one, whoever has them.
            const one = parts.length === 1 ? t.firstEqual(view.input)?.[parts[0] ?? 0] : undefined;
            const is = [k, one ?? `${view.groupOf.get(p)} ${whole ? "all" : [...parts].sort().join("+")}`].join(" ");
            const look = [k, seenAt(marks, x + w / 2, box.y + 2), bar.join()].join(" ");
            if (looks.has(is))
              checkOneToOne(
                [
                  [is, looks.get(is) ?? ""],
                  [is, look],
                ],
                `${algorithm} ${phase}`,
              );
            looks.set(is, look);
            compared++;
          }
        }
        const told = [...looks].filter(([is]) => view.stage.bars || !is.includes("+"));
        checkOneToOne(told, `${algorithm} ${phase}`);
      }
    }
  }
  // Permutations have one way, and a program that stops may have none.
  if (name.includes("{")) expect(compared).toBeGreaterThan(0);
});

/** Chunks, times and what a trace says of itself. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ALGORITHMS } from "../../src/collective/model/algorithm";
import { chunkOf } from "../../src/collective/model/chunks";
import { lasting, timesOf } from "../../src/collective/model/plan";
import type { Plan, Step, Trace, Variable } from "../../src/core/document.gen";
import { unravel } from "../../src/core/mesh";
import { DocumentError } from "../../src/core/wire";
import { blockSentence, blockTip } from "../../src/stepper/model/blocktip";
import { caption } from "../../src/stepper/model/caption";
import { dedented } from "../../src/stepper/model/listing";
import { loops, openAtFirst, rowsOf, rowsOnPaper } from "../../src/stepper/model/rows";
import { sharers } from "../../src/stepper/model/sharers";
import { advance, flowAt, type Moment, momentAt, phaseOf, position } from "../../src/stepper/model/timeline";
import { decodeTrace, primitiveName, TraceModel } from "../../src/stepper/model/trace";
import { crossings, trafficAt } from "../../src/stepper/model/traffic";
import { contents } from "../../src/stepper/scene/contents";
import { StepperLayout } from "../../src/stepper/scene/stepper";
import { stepView } from "../../src/stepper/scene/view";
import { programOf } from "./programs";
import { RULES } from "./rules";
import { long, model, stepOf, TRACES, type TraceName, trace } from "./traces";

/** A block with every element's chunk, cut as `execute` cuts it: np.split along an axis, or ranges of the elements. */
function cutByHand(shape: readonly number[], axis: number, n: number): number[] {
  const size = shape.reduce((a, b) => a * b, 1);
  if (axis >= 0)
    return Array.from({ length: size }, (_, i) => {
      const each = (shape[axis] ?? 0) / n;
      return Math.floor((unravel(i, shape)[axis] ?? 0) / each);
    });
  const out: number[] = [];
  for (let c = 0; c < n; c++)
    for (let i = Math.floor((c * size) / n); i < Math.floor(((c + 1) * size) / n); i++) out.push(c);
  return out;
}

const shapes = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 4 });

test("a cell's chunk is that of Python's cut, along an axis and in ranges", () =>
  fc.assert(
    fc.property(shapes, fc.integer({ min: 1, max: 8 }), fc.nat({ max: 3 }), (blocks, n, d) => {
      const flat = chunkOf(blocks, blocks, -1, n);
      expect(cutByHand(blocks, -1, n).map((_, cell) => flat(cell))).toEqual(cutByHand(blocks, -1, n));
      if (d >= blocks.length) return;
      const shape = blocks.map((size, k) => (k === d ? size * n : size));
      const along = chunkOf(shape, shape, d, n);
      expect(cutByHand(shape, d, n).map((_, cell) => along(cell))).toEqual(cutByHand(shape, d, n));
    }),
  ));

test("in a corner a cell keeps the chunk that it has in the whole block", () =>
  fc.assert(
    fc.property(shapes, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 4, maxLength: 4 }), (shape, corners) => {
      const corner = shape.map((size, d) => Math.min(size, corners[d] ?? size));
      const [whole, part] = [chunkOf(shape, shape, -1, 4), chunkOf(shape, corner, -1, 4)];
      for (let cell = 0; cell < corner.reduce((a, b) => a * b, 1); cell++) {
        const flat = unravel(cell, corner).reduce((at, i, d) => at * (shape[d] ?? 1) + i, 0);
        expect(part(cell)).toBe(whole(flat));
      }
    }),
  ));

test("what all_to_all receives is cut along the dimension that it concatenates", () => {
  const t = model("all_to_all");
  const step = t.steps[stepOf(t, "all_to_all")];
  if (!step?.collective) return expect.fail("the step communicates nothing");
  expect(step.collective.split_axis).toBe(1);
  expect(step.collective.concat_axis).toBe(0);
});

const moments = (t: TraceModel): fc.Arbitrary<Moment> =>
  fc.record({
    step: fc.nat({ max: t.steps.length - 1 }),
    phase: fc.double({ min: 0, max: 1, noNaN: true }),
  });

test.each(TRACES)("%s: scrubber and moment say the same", (name) => {
  const t = model(name);
  fc.assert(
    fc.property(moments(t), (moment) => {
      expect(position(momentAt(t, position(moment)))).toBeCloseTo(position(moment), 9);
      expect(momentAt(t, -1)).toEqual({ step: 0, phase: 0 });
      expect(momentAt(t, 1e6)).toEqual({ step: t.steps.length - 1, phase: 1 });
    }),
    { numRuns: 30 },
  );
});

test.each(TRACES)("%s: time goes forward, adds up and ends", (name) => {
  const t = model(name);
  const ms = fc.double({ min: 0, max: 5000, noNaN: true });
  fc.assert(
    fc.property(
      moments(t),
      ms,
      ms,
      fc.constantFrom(...ALGORITHMS),
      fc.boolean(),
      (from, a, b, algorithm, collectives) => {
        const pace = { algorithm, collectives };
        const [once, twice] = [advance(t, from, a + b, pace), advance(t, advance(t, from, a, pace), b, pace)];
        expect(position(twice)).toBeCloseTo(position(once), 6);
        expect(position(once)).toBeGreaterThanOrEqual(position(from));
      },
    ),
    { numRuns: 60 },
  );
  for (const algorithm of ALGORITHMS) {
    const all = t.steps.reduce((sum, s) => sum + t.duration(s, algorithm), 0);
    const end = { step: t.steps.length - 1, phase: 1 };
    const pace = { algorithm, collectives: false };
    expect(advance(t, { step: 0, phase: 0 }, all + 1, pace)).toEqual(end);
    expect(position(advance(t, { step: 0, phase: 0 }, all - 1, pace))).toBeLessThan(position(end));
    expect(advance(t, end, 1000, pace)).toEqual(end);
  }
});

test("a ring takes 0.7 s a hop; a sum of four 3 s: its flight and a beat for every further term", () => {
  const t = model("all_gather");
  const step = t.steps[stepOf(t, "all_gather")];
  if (!step) return expect.fail("there is no such step");
  expect(ALGORITHMS.map((a) => t.duration(step, a))).toEqual([1800, 3 * 700 + 500, 2 * 700 + 500, 2 * 700 + 500]);
  const lasts = (n: number) => lasting(timesOf(null, n, true));
  expect([2, 4, 8, 16, 64].map(lasts)).toEqual([2200, 3000, 3340, 3600, 2640]);
});

test("rounds follow one another, terms are added after them, and the last part of a step is at rest", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 64 }),
      fc.boolean(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (n, adds, a, b) => {
        const times = timesOf(null, n, adds);
        const [first, second] = [flowAt(times, Math.min(a, b)), flowAt(times, Math.max(a, b))];
        for (const key of ["round", "arrived", "added"] as const)
          expect(second[key]).toBeGreaterThanOrEqual(first[key]);
        expect(first.added === 1 || first.arrived === 1).toBe(true);
        if (first.finished) expect([first.added, second.finished]).toEqual([times.terms, true]);
        // Without motion a copy is at one end or the other.
        expect([0, 1]).toContain(flowAt(times, a, true).progress);
      },
    ),
  );
  const ring = { rounds: 3, round: 500, terms: 1, beat: 0, settle: 300 };
  expect([0, 1, 2].map((r) => flowAt(ring, phaseOf(ring, r) + 1e-6).round)).toEqual([0, 1, 2]);
  expect(flowAt(ring, 0.99)).toMatchObject({ arrived: 3, finished: true });
});

test("collectives alone are played with a pause before each; reading lasts as long as the sentence", () => {
  const t = model("psum");
  const pace = { algorithm: "meaning", collectives: true } as const;
  const start = { step: 0, phase: 0 };
  expect(advance(t, start, 299, pace).step).toBe(2);
  expect(advance(t, start, 301, pace)).toMatchObject({ step: 3 });
  expect(advance(t, start, 300 + 2200 + 1, pace)).toEqual({ step: 4, phase: 1 });
  const words = (t.steps[0]?.sentence ?? "").split(" ").length;
  const reading = { algorithm: "meaning", collectives: false, reading: true } as const;
  expect(advance(t, start, 290 * words - 1, reading).step).toBe(0);
  expect(advance(t, start, 290 * words + 1, reading).step).toBe(1);
});

test("the latest value of a name is shown", () => {
  const t = model("scan");
  const last = (step: number) => t.latest(["c"], step)[0];
  expect(last(0)).toBeUndefined();
  expect(t.steps[1]?.outputs).toEqual([last(1)]);
  expect(t.steps[2]?.outputs).toEqual([last(2)]);
  expect(t.latest(["out", "c", "q"], t.steps.length - 1)).toEqual([
    t.steps.at(-1)?.outputs[0],
    t.steps.at(-2)?.outputs[0],
  ]);
});

test("a shard says its slice, a part says what part it is, a block its name", () => {
  const t = model("psum");
  const name = (variable: string, region: number, p: number) => {
    const v = t.doc.variables.find((v) => v.name === variable && v.region === region);
    return v && t.nameOf(v, p);
  };
  expect(name("a", -1, 5)).toBe("a[4:6, 2:4]");
  expect(name("out", -1, 7)).toBe("out[6:8, :]");
  expect(name("s", 0, 7)).toBe("s");
  const v = t.doc.variables.find((v) => v.name === "s");
  if (!v) return expect.fail("there is no s");
  expect(t.nameOf({ ...v, id: 99, shape: [64, 4] }, 0)).toBe("s[:2, :4]");
});

test("the caption says what a hop does, and nothing of a local step", () => {
  const said = (name: TraceName, primitive: string, phase: number, algorithm: Plan["algorithm"]) => {
    const t = model(name);
    const options = { scheme: "light", algorithm, device: null, rules: RULES, still: false } as const;
    return caption(stepView(new StepperLayout(t, 700), { step: stepOf(t, primitive), phase }, options))[0];
  };
  expect(said("psum", "psum_invariant", 0.1, "ring")).toBe(
    "Hop 1 of 2, reduce-scatter: the receiver adds what arrives. 0 ↔ 1.",
  );
  expect(said("psum", "psum_invariant", 0.5, "ring")).toBe(
    "Hop 2 of 2, all-gather: each device passes on what it has. 0 ↔ 1.",
  );
  expect(said("psum", "psum_invariant", 1, "ring")).toBe("All 2 hops are done.");
  expect(said("psum", "dot_general", 0.5, "ring")).toBe("");
  expect(said("all_to_all", "all_to_all", 0.5, "meaning")).toMatch(/^Device 0 takes its chunk of every block/);
});

test("bytes follow the moment, and a ring over two axes is billed to the links that it crosses", () => {
  const t = model("psum");
  const at = (phase: number, algorithm: Plan["algorithm"]) => trafficAt(t, { step: 3, phase }, algorithm);
  expect(at(0, "meaning")).toEqual([{ axis: 1, arrived: 0, flying: 0, total: 256 }]);
  expect(at(0.2, "meaning")[0]).toMatchObject({ arrived: 0, flying: 256 });
  expect(at(1, "meaning")[0]).toMatchObject({ arrived: 256, flying: 0 });
  expect(at(0.2, "ring")[0]).toMatchObject({ arrived: 0, flying: 128 });
  expect(at(0.5, "ring")[0]).toMatchObject({ arrived: 128, flying: 128 });
  const cube = model("cube");
  const c = cube.steps[stepOf(cube, "psum_invariant")]?.collective;
  // A ring of four over model and expert: every hop changes expert, two of four model too.
  expect(c && crossings(cube, c)).toEqual([0, 0.5, 1]);
});

test("source lines lose the indentation that all have", () => {
  expect(dedented(["    def f(x):", "", "      return x"])).toEqual(["def f(x):", "", "  return x"]);
  expect(dedented(["a", "  b"])).toEqual(["a", "  b"]);
});

test("a primitive is called as users call it", () => {
  const t = model("psum");
  expect(t.steps.map(primitiveName)).toEqual(["in_specs", "pvary", "dot_general", "psum", "out_specs"]);
});

test("what lies on another mesh has no place in the tiles", () => {
  const t = model("psum");
  const at = stepOf(t, "dot_general");
  const undrawn = new TraceModel({ ...t.doc, variables: t.doc.variables.map((v) => ({ ...v, drawn: false })) });
  const shown = [t, undrawn].map((one) => {
    const { before, after } = contents(one, one.steps[at] as Step, [0]);
    return [before.length, after.length];
  });
  expect(shown).toEqual([
    [2, 1],
    [0, 0],
  ]);
});

test("a line that sends blocks on again and again is a loop, and one that sends on two is none", () => {
  const ring = [0, 1, 2, 3].map((r) => [r, (r + 1) % 4] as const);
  const { doc } = programOf({ axes: { x: 4 }, kind: "ppermute", over: ["x"], shape: [2], pairs: ring });
  const source = { file: "cell 1", line: 8, text: "k = shift(k)", function: "f" };
  const [first, local, ...sent] = doc.steps;
  const times = (n: number, line = 0) =>
    new TraceModel({
      ...doc,
      steps: [
        first,
        local,
        ...Array.from({ length: n }, (_, k) => ({ ...sent[0], source: { ...source, line: 8 + line * k } })),
      ] as Step[],
    });
  expect([1, 2, 3, 4].map((n) => loops(times(n)))).toEqual([false, false, true, true]);
  expect(loops(times(4, 1))).toBe(false);
});

test("groups of unequal size are read without their padding", () => {
  const t = model("oddities");
  const unequal = t.steps.find((s) => t.variable(s.outputs[0] ?? -1)?.name === "halves")?.collective;
  expect(unequal && t.groups(unequal)).toEqual([[0, 2, 3], [1]]);
});

test.each([
  ["no steps", { steps: [] }, "it has no steps"],
  ["steps that are not a list", { steps: null }, "it has no steps"],
  ["no variables", { variables: null }, "it has no variables"],
  ["a variable that does not exist", { variables: [] }, "names a variable that does not exist"],
  ["a newer version", { version: 99 }, "has version 99"],
  ["a placement", { kind: "placement" }, 'of kind "placement"; this page draws "trace"'],
])("%s is refused with what to do", (_, wrong, message) => {
  const wire = { ...trace("psum"), ...wrong };
  expect(() => decodeTrace(wire)).toThrow(DocumentError);
  expect(() => decodeTrace(wire)).toThrow(message);
});

test("a block is described by its element, its type, its device, who holds the same and its values", () => {
  const t = model("psum");
  const named = (name: string) => t.doc.variables.find((v) => v.name === name && v.region >= 0) as Variable;
  const [p, s] = [named("p"), named("s")];
  const text = (v: Variable, device: number, cell: number) =>
    t.corner(v)?.elements.text((t.corner(v)?.start(device) ?? 0) + cell);
  expect(blockTip(t, s, 5, 6)).toEqual({
    name: `s[1,2] = ${text(s, 5, 6)}`,
    type: "f32[2,4]{V:x} · 32 B",
    device: "device 5 at x=2, y=1",
    copies: "varies over x; 2 copies, also on 4",
    values: `values ${[0, 1, 2, 3].map((c) => text(s, 5, c)).join(" ")} | ${[4, 5, 6, 7].map((c) => text(s, 5, c)).join(" ")}`,
  });
  expect(blockTip(t, p, 5, null)).toMatchObject({ name: "p", copies: "varies over x, y; the only copy" });
  expect(sharers(t, s, 5)).toEqual([4, 5]);
  const result = t.variable(t.steps.at(-1)?.outputs[0] ?? -1) as Variable;
  // An element of a shard has its place in the whole array.
  expect(blockTip(t, result, 5, 6).name).toBe(`${result.name}[5,2] = ${text(result, 5, 6)}`);
  expect(blockTip(t, result, 5, null).name).toBe(`${result.name}[4:6, :]`);
  expect(blockTip(t, result, 5, 6)).toMatchObject({
    type: "f32[8@x,4] · 32 B per device",
    copies: "2 copies, also on 4",
  });
  expect(blockTip(t, { ...s, window: null, id: -1 }, 5, 6)).toMatchObject({
    name: "s",
    values: "metadata only: no values were kept",
  });
  expect(blockSentence(blockTip(t, s, 5, 6))).toMatch(/^device 5 at x=2, y=1; s\[1,2\] = \d+; f32/);
});

test("what types do not say about copies is not claimed", () => {
  const t = model("psum");
  const v = t.doc.variables.find((o) => o.name === "s") as Variable;
  const loose = new TraceModel({ ...t.doc, regions: t.doc.regions.map((r) => ({ ...r, check_vma: false })) });
  expect(sharers(loose, v, 0)).toBeNull();
  expect(blockTip(loose, v, 0, 0).copies).toBe("check_vma=False: types do not say what varies");
  // Of an axis that is not manual a region's types say nothing.
  const partial = new TraceModel({ ...t.doc, regions: t.doc.regions.map((r) => ({ ...r, manual: ["x"] })) });
  expect(sharers(partial, v, 0)).toEqual([0]);
  expect(sharers(t, { ...v, unreduced: ["y"] }, 0)).toEqual([0]);
  expect(blockTip(t, { ...v, unreduced: ["y"] }, 0, 0).copies).toBe("a part of a sum over y");
});

test("a short program is listed whole; of a long one the outer scopes are open while the list stays short", () => {
  const list = (doc: Trace, more = {}) => {
    const t = new TraceModel(doc);
    const base = { trace: t, open: openAtFirst(doc), search: "", fold: false, sends: false };
    return rowsOf({ ...base, ...more });
  };
  expect(list(trace("psum")).map((r) => [r.scope, r.step])).toEqual([[0, 0], ...[0, 1, 2, 3, 4].map((s) => [null, s])]);
  expect(list(long()).length).toBeLessThanOrEqual(24);
  expect(list(long()).reduce((n, r) => n + r.count, 0)).toBe(1000);
  expect(list(long(), { open: new Set(long().scopes.keys()) })).toHaveLength(1110);
  expect(list(trace("psum"), { sends: true }).map((r) => r.step)).toEqual([3]);
  expect(list(long(), { search: "layer3" })).toHaveLength(100);
  expect(list(long(200), { fold: true }).reduce((n, r) => n + r.count, 0)).toBe(180);
});

test("on paper all steps are listed; of a long program the iterations of a loop after its first stand in one row", () => {
  const doc = trace("scan");
  const counts = (d: Trace) => rowsOnPaper(new TraceModel(d)).rows.map((r) => [r.scope ?? "step", r.count]);
  const steps = doc.steps.map(() => ["step", 1]);
  expect(counts(doc).filter(([scope]) => scope === "step")).toEqual(steps);
  const inside = (s: Step) => doc.scopes[s.scope]?.kind === "iteration";
  const often = doc.steps.flatMap((s) => (inside(s) ? Array<Step>(40).fill(s) : [s]));
  const { rows, open } = rowsOnPaper(new TraceModel({ ...doc, steps: often }));
  const folded = rows.find((r) => r.until !== undefined);
  const iterations = [folded?.scope, folded?.until].map((scope) => doc.scopes[scope ?? -1]?.iteration);
  expect([iterations, folded?.count]).toEqual([[1, 11], 160]);
  expect(rows.filter((r) => r.scope === null)).toHaveLength(often.length - 160);
  expect(open.has(folded?.scope ?? -1)).toBe(false);
});

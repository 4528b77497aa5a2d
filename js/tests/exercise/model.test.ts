import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  answerCode,
  chosen,
  codeRuns,
  decodeExercises,
  gridOf,
  isComplete,
  preview,
  readSpec,
  UNFINISHED,
  withAxis,
  withCell,
} from "../../src/model/exercise";
import { PlacementModel } from "../../src/model/placement";
import { ALL, field, question, SET, SPEC, sheet } from "./sheets";

describe("a spec being written", () => {
  test.each([
    ["P()", []],
    ["P('x', None)", [["x"], []]],
    ["P('x')", [["x"]]],
    ['PartitionSpec("x", ("y",))', [["x"], ["y"]]],
    ["jax.P(('x', 'y'), None)", [["x", "y"], []]],
    ["jax.sharding.PartitionSpec('y')", [["y"]]],
    ["'y', 'x'", [["y"], ["x"]]],
    ["('y', 'x')", [["y"], ["x"]]],
    ["None, 'x',", [[], ["x"]]],
    ["P(P.UNCONSTRAINED, 'x')", [[], ["x"]]],
  ])("%s", (text, entries) => {
    expect(readSpec(text)).toEqual({ entries, unreduced: [] });
  });

  test("with unreduced axes", () => {
    expect(readSpec("P('x', unreduced={'y'})")).toEqual({ entries: [["x"]], unreduced: ["y"] });
  });

  test.each([
    "",
    "P(",
    "P(x)",
    "P('x'",
    "Q('x')",
    "P('x' 'y')",
    "P(('x', ('y',)))",
    "P(1)",
    "P(unreduced='y')",
    "P(y={'x'})",
  ])("%s is none", (text) => expect(readSpec(text)).toBeNull());

  test("what is read never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."P(x'\",None){}=.u ") }), (text) => void readSpec(text)),
    );
  });

  test.each([
    ["", "x", 2, "P('x', None)"],
    ["P('x')", "y", 2, "P('x', 'y')"],
    ["P('x', 'y')", "x", 2, "P(None, 'y')"],
    ["P(None, 'y')", "x", 2, "P('x', 'y')"],
    ["P('x')", "y", 1, "P(('x', 'y'))"],
    ["P(('x', 'y'))", "x", 1, "P('y')"],
    ["'x', unreduced={'y'}", "x", 1, "P(None, unreduced={'y'})"],
    ["P(x", "y", 2, "P(x"],
    ["", "x", 0, ""],
  ])("%s with %s placed", (text, axis, rank, result) => expect(withAxis(text, axis, rank)).toBe(result));

  test("gives the layout that the spec gives", () => {
    const { placement, problem } = preview(question("q", [SPEC]), SPEC, "P('y', 'x')");
    expect(problem).toBe("");
    expect(placement?.type).toBe("f32[8@y,16@x]");
    const model = new PlacementModel(placement!);
    expect(model.tileShape(0)).toEqual([4, 4]);
    expect(model.copies).toBe(1);
    expect(preview(question("q", [SPEC]), SPEC, "P(('x', 'y'))").placement?.type).toBe("f32[8@(x,y),16]");
    expect(preview(question("q", [SPEC]), SPEC, "P(unreduced={'y'})").placement?.type).toBe("f32[8,16]{U:y}");
  });

  test.each([
    ["", ""],
    ["P(x", UNFINISHED],
    ["P('z')", "the mesh has no axis z"],
    ["P('x', 'x')", "x is taken by dim 0"],
    ["P(unreduced={'x','x'})", "x is used twice"],
    ["P(None, None, 'x')", "3 entries for 2 dimensions"],
    ["P('x', 'y')", "dim 0: 6 does not divide by 4"],
  ])("%s places nothing: %s", (text, problem) => {
    const odd = { ...SPEC, shape: text === "P('x', 'y')" ? [6, 16] : [8, 16] };
    expect(preview(question("q", [odd]), odd, text)).toEqual({ placement: null, problem });
  });
});

describe("the line of Python", () => {
  const code = (name: string, draft: Record<string, string>, inSet = false) =>
    answerCode(ALL.find((q) => q.name === name)!, draft, inSet);

  test("has the answer in Python's words", () => {
    expect(code("spec", { spec: "P('x')" })).toBe("x = jax.device_put(x, P('x'))");
    expect(code("spec", { spec: "'y', 'x'" })).toBe("x = jax.device_put(x, P('y', 'x'))");
    expect(code("spec", {})).toBe("x = jax.device_put(x, …)");
    expect(code("devices", { holders: "4, 5" })).toBe("exercise.answer = {4, 5}");
    expect(code("grid", { block: "1, 2\n3" })).toBe("exercise.answer = [[1, 2], [3, …]]");
    expect(code("choice", { error: "it runs" })).toBe('exercise.answer = "it runs"');
    expect(code("type", { type: 'f32["]' })).toBe('exercise.answer = "f32[\\"]"');
    expect(code("long choice", { collective: "psum" })).toBe('exercise.answer = ("psum", …)');
    expect(code("specs", { in0: "P('x')", out: "P()" })).toBe(
      "jax.shard_map(f, mesh=mesh, in_specs=(P('x'),), out_specs=P())",
    );
    expect(code("code", {})).toBe("exercise.answer = mended");
  });

  test("names the exercise in a set", () => {
    expect(code("code", {}, true)).toBe('exercises["code"].answer = mended');
    expect(code("spec", { spec: "P()" }, true)).toBe("x = jax.device_put(x, P())");
  });

  test("an answer is text, whatever is in it", () => {
    expect(code("type", { type: "$& $1 {answer}" })).toBe('exercise.answer = "$& $1 {answer}"');
  });
});

test("grids keep their shape, and cells change one by one", () => {
  expect(gridOf("", [2, 2])).toEqual([
    ["", ""],
    ["", ""],
  ]);
  expect(gridOf("1, 2, 3\n4", [2, 2])).toEqual([
    ["1", "2"],
    ["4", ""],
  ]);
  expect(withCell("1, 2\n3, 4", [2, 2], 1, 0, "9,\n")).toBe("1, 2\n9  , 4");
  expect(gridOf(withCell("", [1, 3], 0, 1, "7"), [1, 3])).toEqual([["", "7", ""]]);
});

test("device ids are read from any text", () => {
  expect(chosen("{4, 5}")).toEqual([4, 5]);
  expect(chosen("")).toEqual([]);
});

test("complete is what has every field filled in", () => {
  const two = question("q", [field("a", "text"), field("b", "grid", { shape: [1, 2] })]);
  expect(isComplete(two, {})).toBe(false);
  expect(isComplete(two, { a: "1", b: " , " })).toBe(false);
  expect(isComplete(two, { a: "1", b: "1, " })).toBe(true);
  expect(isComplete(question("q", [field("f", "code")]), {})).toBe(true);
});

test("code stands between backquotes", () => {
  expect(codeRuns("Split `f32[8]` by `P`")).toEqual([
    { text: "Split ", code: false },
    { text: "f32[8]", code: true },
    { text: " by ", code: false },
    { text: "P", code: true },
  ]);
});

describe("a document", () => {
  test("is taken as it is", () => expect(decodeExercises(SET)).toBe(SET));

  test.each([
    [sheet(), "it has no questions"],
    [{ ...SET, questions: null }, "it has no questions"],
    [sheet(question("q", [])), 'the question "q" has nothing to fill in'],
    [{ ...SET, kind: "trace" }, 'of kind "trace"'],
    [{ ...SET, version: 99 }, "version 99"],
    [null, "no shardwidget document"],
  ])("that is damaged is refused: %#", (wire, words) => {
    expect(() => decodeExercises(wire)).toThrow(words);
  });
});

import { describe, expect, test } from "vitest";
import {
  answerCode,
  chosen,
  codeRuns,
  decodeExercises,
  gridOf,
  isComplete,
  withCell,
} from "../../src/exercise/model/exercise";
import { thresholdOf, thresholdText } from "../../src/exercise/model/moving";
import { ALL, field, question, SET, sheet } from "./sheets";

describe("the line of Python", () => {
  const code = (name: string, draft: Record<string, string>) => answerCode(ALL.find((q) => q.name === name)!, draft);

  test("has the answer in Python's words", () => {
    expect(code("spec", { spec: "P('x')" })).toBe(`exercise.answer = "P('x')"`);
    expect(code("spec", { spec: "'y', 'x'" })).toBe(`exercise.answer = "P('y', 'x')"`);
    expect(code("spec", {})).toBe("exercise.answer = …");
    expect(code("devices", { holders: "4, 5" })).toBe("exercise.answer = {4, 5}");
    expect(code("grid", { block: "1, 2\n3" })).toBe("exercise.answer = [[1, 2], [3, …]]");
    expect(code("choice", { error: "it runs" })).toBe('exercise.answer = "it runs"');
    expect(code("type", { type: 'f32["]' })).toBe('exercise.answer = "f32[\\"]"');
    expect(code("long choice", { collective: "psum" })).toBe('exercise.answer = ("psum", …)');
    expect(code("specs", { in0: "P('x')", out: "P()" })).toBe(`exercise.answer = ("P('x')", "P()")`);
    expect(code("code", {})).toBe("exercise.answer = fixed");
  });

  test("calls the exercise what the cell calls it", () => {
    const asked = { ...ALL.find((q) => q.name === "code")!, target: 'lab["fix"]' };
    expect(answerCode(asked, {})).toBe('lab["fix"].answer = fixed');
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

test("a threshold is read with any unit, and written with one where that is exact", () => {
  expect(["5 MiB", "1.5KiB", "2MB", "7", "0", "six", ""].map(thresholdOf)).toEqual([
    5 << 20,
    1536,
    2_000_000,
    7,
    1,
    null,
    null,
  ]);
  expect([10 << 20, 1234567].map(thresholdText)).toEqual(["10 MiB", "1234567"]);
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
    [null, "of kind undefined; this page draws"],
  ])("that is damaged is refused: %#", (wire, words) => {
    expect(() => decodeExercises(wire)).toThrow(words);
  });
});

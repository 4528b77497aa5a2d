/** Why a program stops in one sentence, and what of a line a fix changes. */
import { expect, test } from "vitest";
import type { Fix, Listing } from "../../src/core/document.gen";
import { changedLines, whyOf } from "../../src/stepper/model/why";

const LISTING: Listing = {
  file: "f.py",
  first_line: 10,
  lines: ["  @jax.shard_map(", "      in_specs=P('x'))", "  def f(x):", "      return x * 2"],
};

function fix(code: string, line: number, lines: number): Fix {
  return { code, line, lines, file: "f.py" } as Fix;
}

/** The text of each line with what is new in brackets. */
function marked(of: Fix): string[] {
  return changedLines(of, [LISTING]).map(
    ({ line, pieces }) => `${line} ${pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join("")}`,
  );
}

test("the first sentence is the answer", () => {
  const of = (explanation: string) => whyOf({ explanation, error: "ValueError" });
  expect(of("a is 1.5 in f.py. It varies. Why")).toEqual({ first: "a is 1.5 in f.py.", more: "It varies. Why" });
  expect(of("a is 1")).toEqual({ first: "a is 1", more: "" });
  expect(of("")).toEqual({ first: "ValueError", more: "" });
});

test("what is new in a line is marked, around what stays", () => {
  expect(marked(fix("return jax.lax.psum(x * 2, 'i')", 13, 1))).toEqual(["13 return [jax.lax.psum(]x * 2[, 'i')]"]);
  const gather = { ...LISTING, lines: ["y = jax.lax.all_gather(x, 'i')"] };
  const [line] = changedLines(fix("y = jax.lax.pmax(jax.lax.all_gather(x, 'i'), 'i')", 10, 1), [gather]);
  expect(line?.pieces.filter(({ changed }) => changed).map(({ text }) => text)).toEqual(["jax.lax.pmax(", ", 'i')"]);
  expect(marked(fix("return x * 20", 13, 1))).toEqual(["13 return x * [20]"]);
});

test("only lines that change are shown", () => {
  expect(marked(fix("@jax.shard_map(\n    in_specs=P(None))", 10, 2))).toEqual(["11 in_specs=P([None]))"]);
});

test("all of the code where lines are inserted, or are not known", () => {
  expect(marked(fix("a = 1\nb = 2", 13, 0))).toEqual(["13 a = 1", "14 b = 2"]);
  expect(marked(fix("a = 1", 99, 1))).toEqual(["99 a = 1"]);
  expect(marked(fix("out_specs=P('i')", 0, 0))).toEqual(["0 out_specs=P('i')"]);
});

/** Documents that are words: their first line, and lines that are folded. */
import { expect, test } from "vitest";
import { folded, wordsOf } from "../../src/text/model/text";
import { textScene } from "../../src/text/scene/text";
import { expectInsideAtAnyWidth } from "../golden";

const TEXT = [
  "train: compiled again: step 2 times. batch: P('data') before, P() now",
  "compiled  called from    compiler  why",
  `step      train.py:41    120 ms    ${"batch: P('data') before, P() now; ".repeat(6)}`,
].join("\n");

test("the first line is the answer, after the name of what it is about", () => {
  expect(wordsOf(TEXT, "recompiled")).toMatchObject({
    name: "train",
    first: "Compiled again: step 2 times. batch: P('data') before, P() now",
  });
  expect(wordsOf("h is split over x", "why")).toMatchObject({ name: "why", first: "H is split over x", lines: [] });
});

test("no character of a line is lost where it goes on in the next", () => {
  const { lines } = wordsOf(TEXT, "recompiled");
  for (const most of [20, 37, 100]) {
    const shown = folded(lines, most);
    expect(Math.max(...shown.map((line) => line.length))).toBeLessThanOrEqual(most);
    expect(shown.map((line) => line.replace(/^ {4}/, "")).join("")).toBe(lines.join(""));
  }
});

test("nothing stands outside of the picture, at any width", () => {
  expectInsideAtAnyWidth((width) => textScene(wordsOf(TEXT, "recompiled"), width));
});

/** Golden pictures of exercises, and what is in them. */
import { expect, test } from "vitest";
import type { Feedback, Part, Question } from "../../src/core/document.gen";
import type { Scene } from "../../src/draw/marks";
import { markOf } from "../../src/exercise/model/exercise";
import { exerciseScene } from "../../src/exercise/scene/card";
import { proseLines } from "../../src/exercise/scene/prose";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../golden";
import { ALL, feedback, SET, sheet } from "./sheets";

const light = { width: 800, scheme: "light" } as const;

/** The texts of a picture, in lines. */
const words = ({ marks }: Scene) =>
  marks.flatMap((m) => (m.kind === "text" ? [m.spans.map((s) => s.text).join("")] : [])).join("\n");

test.each(SCHEMES)("exercise, %s", async (scheme) => {
  const one = sheet(...ALL.filter((q) => q.name === "devices"));
  const scene = exerciseScene(one, { width: 800, scheme, current: 0 });
  await expectSceneInGallery(scene, "an exercise", "exercise", scheme);
});

test.each(SCHEMES)("exercise-set, %s", async (scheme) => {
  const some = { ...SET, questions: SET.questions.filter((q) => ["spec", "choice", "grid"].includes(q.name)) };
  const scene = exerciseScene(some, { width: 800, scheme, current: null });
  await expectSceneInGallery(scene, "a set of exercises", "exercise-set", scheme);
});

test("nothing stands outside of its picture, at any width", () => {
  expectInsideAtAnyWidth((width) => exerciseScene(SET, { width, scheme: "light", current: null }));
});

test("one exercise, or all with what was answered and what came of it", () => {
  const one = words(exerciseScene(SET, { ...light, current: 1 }));
  expect(one).toContain("2 of 8 · devices");
  expect(one).not.toContain("1 of 8 ·");
  expect(one).toContain("1, 4");
  expect(one).toContain("◐ partly");
  expect(one).toContain("Hint: Find the coordinate along x.");
  const all = words(exerciseScene(SET, { ...light, current: null }));
  for (const [i, q] of SET.questions.entries()) expect(all).toContain(`${i + 1} of 8 · ${q.name}`);
  expect(all).toContain("TypeError dot_general requires contracting dimensions to have the same shape");
  expect(all).toContain("ada · 1 of 8 passed");
});

test("marks agree with the verdict of the whole", () => {
  const part = (right: boolean, ...cells: boolean[]) => ({ field: "f", right, note: "", cells });
  const marks = (verdict: Feedback["verdict"], ...parts: Part[]) =>
    parts.map((p) => markOf(p, feedback(verdict, { parts })));
  expect(marks("partly", part(false))).toEqual(["◐ partly"]);
  expect(marks("partly", part(true), part(false))).toEqual(["✓ right", "✗ not yet"]);
  expect(marks("partly", part(false, true, false), part(false))).toEqual(["◐ partly", "✗ not yet"]);
  expect(marks("wrong", part(false))).toEqual(["✗ not yet"]);
});

test("an exercise that is not answered says so and shows no answer", () => {
  const fresh: Question[] = ALL.map((q) => ({ ...q, attempts: 0, passed: false, answer: [], feedback: null }));
  const { marks } = exerciseScene(sheet(...fresh), { ...light, current: null });
  const said = words({ marks, width: 0, height: 0 });
  expect(said.match(/not answered yet/g)).toHaveLength(fresh.length);
  expect(said).not.toMatch(/right|partly|✓|✗/);
});

test("text breaks between words, code only where it is wider than a line, and nothing is lost", () => {
  const text = [{ text: "Split " }, { text: "f32[8,16]", weight: 700 }, { text: ", on a mesh." }];
  const lines = proseLines(text, 90, 14).map((line) => line.map((s) => s.text).join(""));
  expect(lines.join("")).toBe("Split f32[8,16], on a mesh.");
  expect(lines.some((line) => line.startsWith(","))).toBe(false);
  const long = "a_name_without_any_space_that_is_wider_than_the_line";
  expect(
    proseLines([{ text: long }], 90, 14)
      .flat()
      .map((s) => s.text)
      .join(""),
  ).toBe(long);
});

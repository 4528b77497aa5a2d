/** Golden pictures of schedules. */
import { expect, test } from "vitest";
import { boardOf } from "../../src/pipeline/scene/board";
import { type PipelinePicture, pipelineScene } from "../../src/pipeline/scene/card";
import { frameMarks } from "../../src/pipeline/scene/frame";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../golden";
import { models, SCHEDULES, type ScheduleName } from "./schedules";

const GOLDEN: Readonly<Record<string, { of: ScheduleName } & Partial<PipelinePicture>>> = {
  followed: { of: "one_f_one_b", follow: 3, moment: 11.5 },
  fused: { of: "dualpipe_v" },
  wasted: { of: "ring", width: 700 },
  large: { of: "large" },
  compared: { of: "compared" },
  narrow: { of: "one_f_one_b", width: 480 },
};

const AT_REST = { width: 960, follow: null, moment: 0 };

for (const [name, { of, ...picture }] of Object.entries(GOLDEN)) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    const scene = pipelineScene(models(of), { ...AT_REST, ...picture, scheme });
    await expectSceneInGallery(scene, of, `pipeline-${name}`, scheme);
  });
}

test.each(SCHEDULES)("%s: nothing stands outside of its picture, at any width", (name) => {
  const all = models(name);
  expectInsideAtAnyWidth((width) => pipelineScene(all, { ...AT_REST, width, scheme: "light" }));
});

test("a schedule of thousands is a picture and a lens, not thousands of marks", () => {
  const { marks } = pipelineScene(models("large"), { ...AT_REST, scheme: "light" });
  expect(marks.length).toBeLessThan(800);
  expect(marks.filter((m) => m.kind === "field")).toHaveLength(1);
});

test("a zoomed picture frames the part of all time that it shows", () => {
  const whole = boardOf(models("large"), 900, null);
  const [from, to] = [whole.whole / 4, whole.whole / 2];
  const zoomed = boardOf(models("large"), 900, [from, to]);
  const framed = (board: typeof whole) =>
    frameMarks(board).flatMap((m) => (m.kind === "rect" && m.fill === "area" ? [[m.x, m.w]] : []));
  expect(framed(whole)).toEqual([]);
  expect(framed(zoomed)).toEqual([[zoomed.grid.x + zoomed.grid.w / 4, zoomed.grid.w / 4]]);
});

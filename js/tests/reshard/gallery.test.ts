/** Golden pictures of reshard plans. */
import { expect, test } from "vitest";
import { boardMarks } from "../../src/reshard/scene/bars";
import { boardOf, chunkAt, groupAt } from "../../src/reshard/scene/board";
import { type ReshardPicture, reshardScene } from "../../src/reshard/scene/card";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../golden";
import { plan, RESHARDS, type ReshardName } from "./reshards";

const GOLDEN: Readonly<Record<string, { of: ReshardName } & Partial<ReshardPicture>>> = {
  example: { of: "example" },
  parameters: { of: "parameters", chunk: 1 },
  large: { of: "large", chunk: 3 },
  back: { of: "back" },
  put: { of: "put" },
  narrow: { of: "parameters", chunk: 2, width: 480 },
};

const AT_REST = { width: 960, chunk: 0 };

for (const [name, { of, ...picture }] of Object.entries(GOLDEN)) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    const scene = reshardScene(plan(of), { ...AT_REST, ...picture, scheme });
    await expectSceneInGallery(scene, of, `reshard-${name}`, scheme);
  });
}

test.each(RESHARDS)("%s: nothing stands outside of its picture, at any width", (name) => {
  const model = plan(name);
  expectInsideAtAnyWidth((width) => reshardScene(model, { ...AT_REST, width, scheme: "light" }));
});

test("of many chunks a few are drawn, and all are on a map", () => {
  const model = plan("large", 2 ** 20);
  const board = boardOf(model, 900, 20);
  expect(model.chunks).toBeGreaterThan(20);
  expect(board.rows.map((row) => row.chunk)).toEqual([18, 19, 20, 21, 22]);
  const map = board.map as NonNullable<typeof board.map>;
  expect(chunkAt(board, map.x + 2, map.y + 1)).toBe(0);
  expect(chunkAt(board, map.x + 2, map.y + map.h - 1)).toBe(model.chunks - 1);
  expect(chunkAt(board, 10, (board.rows[3]?.y ?? 0) + 1)).toBe(board.rows[3]?.chunk);
  expect(groupAt(board, board.columns[7]?.x ?? 0)).toBe(7);
  expect(boardMarks(board, "light", null).length).toBeLessThan(1500);
});

test("the board keeps its height whatever the threshold", () => {
  const heights = [1, 2 ** 18, 2 ** 22, 2 ** 40].map(
    (threshold) => boardOf(plan("parameters", threshold), 900, 0).height,
  );
  expect(new Set(heights).size).toBe(1);
});

test("while a chunk plays what it makes grows, and what is not kept goes", () => {
  const board = boardOf(plan("example"), 900, 0);
  const area = (phase: number | null) =>
    boardMarks(board, "light", phase).reduce(
      (sum, mark) => (mark.kind === "bars" ? sum + mark.boxes.reduce((s, v, i) => (i % 4 === 3 ? s + v : s), 0) : sum),
      0,
    );
  expect(area(0)).toBeLessThan(area(0.4));
  expect(area(0.4)).toBeLessThan(area(0.75));
  expect(area(0.75)).toBeCloseTo(area(null));
  expect(area(0.99)).toBeLessThan(area(0.8));
});

import { describe, expect, test } from "vitest";
import { listCompared, pathsOf, statusText, titleOf, totalOf, typesOf } from "../../src/tree/compared/model/compared";
import { treesScene } from "../../src/tree/compared/scene/card";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../golden";
import { COMPARISONS, compared } from "./models";

const lines = (name: "changed" | "three" | "unchanged", sort: "tree" | "difference" = "tree", search = "") =>
  listCompared(compared(name), sort, search, false);

test("equal trees say so, and nothing is listed of what differs", () => {
  const of = compared("unchanged");
  expect(titleOf(of)).toBe("all 20 paths are the same");
  expect(listCompared(of, "tree", "", true)).toEqual([]);
});

test("what differs is said of each tree", () => {
  const of = compared("changed");
  expect(titleOf(of)).toBe("5 of 20 paths differ");
  const said = listCompared(of, "tree", "", true).map((line) => [line.path, statusText(line.cells[1]!, of.first)]);
  expect(Object.fromEntries(said)).toEqual({
    embed: "moved",
    "layers/1/down": "lost model, data",
    "layers/1/o": "lost model, data",
    "layers/1/qkv": "lost data, model",
    "layers/1/up": "lost data, model",
  });
  expect(totalOf(of, 1)).toMatch(/^38.* MiB on a device, \+21/);
});

describe("trees of which one holds another twice", () => {
  const of = compared("three");
  const at = (path: string) => of.lines.find((line) => line.path === path)!;

  test("equal arrays are one with their number, others say where they stand", () => {
    expect(typesOf(at("embed").cells[2]!.arrays)).toEqual(["2 × bf16[32768@model,1024@data]"]);
    expect(typesOf(at("layers/1/o").cells[2]!.arrays)).toEqual(["mu bf16[1024,1024]", "nu bf16[1024@model,1024@data]"]);
  });

  test("what one tree has alone is said there, and is nothing elsewhere", () => {
    expect(at("count").cells.map((cell) => statusText(cell, of.first))).toEqual(["", "", "only here"]);
  });

  test("bytes are of all rows of a line", () => {
    const ln = at("layers/0…2/ln1");
    expect([ln.times, ...ln.held]).toEqual([3, 3 * 2048, 3 * 4096, 3 * 4096]);
  });
});

test("lines are filtered by path, type and what differs, and sorted by the greatest difference", () => {
  expect(pathsOf(lines("changed", "tree", "lost model"))).toBe(4);
  expect(pathsOf(lines("changed", "tree", "LAYERS qkv"))).toBe(3);
  const sorted = lines("changed", "difference").map((line) => line.difference);
  expect(sorted).toEqual([...sorted].sort((a, b) => b - a));
  expect(sorted[0]).toBeGreaterThan(0);
});

test.each(SCHEMES)("trees side by side, %s", async (scheme) => {
  await expectSceneInGallery(treesScene(compared("three"), lines("three"), 1100), "three", "trees", scheme);
});

test.each(COMPARISONS)("%s: nothing stands outside of its picture, at any width", (name) => {
  expectInsideAtAnyWidth((width) => treesScene(compared(name), lines(name), width));
});

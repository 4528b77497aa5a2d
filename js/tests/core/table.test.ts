import { expect, test } from "vitest";
import { items } from "../../src/core/table";

const packed = (...values: number[]) => ({
  start: 0,
  shape: [values.length],
  strides: [0],
  raw: Uint8Array.from(values),
  raw_bytes: 1,
});
const counted = (size: number) => ({ start: 0, shape: [size], strides: [1], raw: new Uint8Array(), raw_bytes: 4 });

test("items have the values that their indices say; an index beyond them is null", () => {
  const table = { a: { at: [0, 1, 0], values: ["p", "q"] }, b: { at: [1, 0, 1], values: [[2]] } };
  expect(items(table)).toEqual([
    { a: "p", b: null },
    { a: "q", b: [2] },
    { a: "p", b: null },
  ]);
});

test("packed integers, lists of them and texts are what they were", () => {
  const table = {
    id: { at: counted(3), values: counted(3) },
    inputs: { at: packed(1, 0, 2), counts: packed(0, 1, 2), values: packed(4, 5, 6) },
    sentence: { at: counted(3), counts: packed(2, 1, 3), values: packed(0, 1, 1, 1, 0, 0), words: ["a", "b."] },
  };
  expect(items(table)).toEqual([
    { id: 0, inputs: [4], sentence: "a b." },
    { id: 1, inputs: [], sentence: "b." },
    { id: 2, inputs: [5, 6], sentence: "b. a a" },
  ]);
});

test("texts that end with a number are what they were", () => {
  const table = { name: { at: counted(3), values: packed(1, 0, 0), words: ["v", "a 0"], ends: [7, 12, -1] } };
  expect(items(table)).toEqual([{ name: "a 07" }, { name: "v12" }, { name: "v" }]);
});

test("lists of items are tables, too", () => {
  const table = { rows: { at: [0, 1], counts: [2, 0], table: { n: { at: [0, 1], values: [7, 8] } } } };
  expect(items(table)).toEqual([{ rows: [{ n: 7 }, { n: 8 }] }, { rows: [] }]);
});

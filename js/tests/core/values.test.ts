import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Block } from "../../src/core/document.gen";
import { BlockView, rangeOf } from "../../src/core/values";
import { block } from "../documents";

test.each([
  ["f4", new Float32Array([0.1]), "0.1"],
  ["f4", new Float32Array([Number.NaN]), "nan"],
  ["f8", new Float64Array([Number.NEGATIVE_INFINITY]), "-inf"],
  ["f8", new Float64Array([1 / 3]), "0.33333"],
  ["i4", new Int32Array([-7]), "-7"],
  ["i4", new Int32Array([2 ** 31 - 1]), "2147483647"],
  ["u4", new Uint32Array([2 ** 32 - 1]), "4294967295"],
  ["i8", new BigInt64Array([-(2n ** 63n)]), "-9223372036854775808"],
  ["u8", new BigUint64Array([2n ** 64n - 1n]), "18446744073709551615"],
  ["b1", new Uint8Array([1]), "True"],
  ["c8", new Float32Array([3, -4]), "3-4i"],
  ["c16", new Float64Array([0, 1]), "0+1i"],
] as const)("%s %o is written %s", (format, data, text) => {
  const view = new BlockView({ ...block(0, [1], []), format, data: new DataView(data.buffer) });
  expect(view.text(0)).toBe(text);
});

test("a complex value is coloured by its magnitude", () => {
  const data = new DataView(new Float32Array([3, -4]).buffer);
  expect(new BlockView({ ...block(0, [1], []), format: "c8", data }).number(0)).toBe(5);
});

test("a plane holds the elements of its two dimensions, the others fixed", () => {
  const shapes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(shapes, fc.nat(), fc.nat(), fc.array(fc.nat(), { minLength: 4, maxLength: 4 }), (shape, a, b, at) => {
      const [row, column] = [a % shape.length, b % shape.length];
      fc.pre(row !== column);
      const fixed = shape.map((n, d) => (at[d] ?? 0) % n);
      const numbers = Array.from({ length: shape.reduce((x, y) => x * y, 1) }, (_, i) => i);
      const view = new BlockView(block(0, shape, numbers));
      const plane = view.plane(row, column, fixed);
      expect([plane.rows, plane.columns]).toEqual([shape[row], shape[column]]);
      for (let i = 0; i < plane.rows; i++) {
        for (let j = 0; j < plane.columns; j++) {
          const index = shape.reduce(
            (flat, n, d) => flat * n + (d === row ? i : d === column ? j : (fixed[d] ?? 0)),
            0,
          );
          expect(view.number(plane.at(i, j))).toBe(index);
        }
      }
    }),
  );
});

test("in a sample a fixed offset means the element sampled last before it", () => {
  const sample: Block = { ...block(0, [3, 2], [0, 1, 2, 3, 4, 5]), steps: [4, 1] };
  const { at } = new BlockView(sample).plane(null, 1, [7, 0]);
  expect(at(0, 1)).toBe(3);
});

test("the range leaves out blocks without a finite value", () => {
  const views = [[Number.NaN], [4, 2], [Number.POSITIVE_INFINITY]].map((v) => new BlockView(block(0, [v.length], v)));
  expect(rangeOf(views)).toMatchObject({ low: 2, high: 4 });
  expect(rangeOf([])).toMatchObject({ low: 0, high: 0 });
});

test("one outlier does not take the colours from all others, and one that is one of few values does", () => {
  const of = (values: readonly number[]) => {
    const data = new DataView(new Float32Array(values).buffer);
    return rangeOf([new BlockView({ ...block(0, [values.length], []), format: "f4", data })]);
  };
  const even = Array.from({ length: 101 }, (_, i) => i / 100);
  expect(of(even)).toMatchObject({ low: 0, high: 1 });
  const { low, high } = of([...even, 1e6, Number.NaN, Number.POSITIVE_INFINITY]);
  expect(low).toBe(0);
  expect(high).toBeGreaterThanOrEqual(1);
  expect(high).toBeLessThan(2.1);
  // Of a mask with one element set, that is what there is to see.
  expect(of([...Array<number>(100).fill(0), 1])).toMatchObject({ low: 0, high: 1 });
});

test("of few values, too, one outlier leaves the others their colours", () => {
  const of = (values: readonly number[]) => rangeOf([new BlockView(block(0, [values.length], values))]);
  const { low, high } = of([1, 2, 3, 4, 5, 6, 1e9]);
  expect(low).toBe(1);
  expect(high).toBeLessThan(11);
  expect(of([0, 1, 2, 3, 4, 5, 6, 7])).toMatchObject({ low: 0, high: 7 });
  // Of four, none is known to be one.
  expect(of([0, 4, 5, 9])).toMatchObject({ low: 0, high: 9 });
});

test("a tile has the colour of its median, which one outlier does not move", () => {
  const middle = (...values: number[]) => new BlockView(block(0, [values.length], values)).middle;
  expect(middle(1, 2, 3, 4, 1e9)).toBe(3);
  expect(middle(Number.NaN, 7, Number.POSITIVE_INFINITY)).toBe(7);
  expect(middle(Number.NaN)).toBeNaN();
});

test("numbers of a range are written alike: three digits of the greatest, a power of ten that all share, or whole", () => {
  const written = (...values: number[]) => {
    const { write, power } = rangeOf([new BlockView(block(0, [values.length], values))]);
    return [...values.map(write), ...(power === 0 ? [] : [`e${power}`])];
  };
  expect(written(-2.325, 0.01234, 1.96)).toEqual(["-2.33", "0.01", "1.96"]);
  expect(written(123.4, 0.25)).toEqual(["123", "3e-1"]);
  expect(written(-2.3365e-5, 1.967e-5)).toEqual(["-2.34", "1.97", "e-5"]);
  expect(written(3, -8, 99999)).toEqual(["3", "-8", "99999"]);
  expect(written(12345678, 1)).toEqual(["1.23", "1e-7", "e7"]);
  expect(written(Number.NaN, 1.5, Number.NEGATIVE_INFINITY)).toEqual(["nan", "1.50", "-inf"]);
  // An outlier takes no more room than the others.
  expect(written(0.5, 1, 1.5, 2, 2.5, 3, -1234567)).toEqual([
    "0.50",
    "1.00",
    "1.50",
    "2.00",
    "2.50",
    "3.00",
    "-1.23e6",
  ]);
});

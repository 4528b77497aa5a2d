/** Number formats: digits that keep neighbours apart, one exponent for all, and sums that can be read off. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { addsUp, formatOf, type NumberKind, type Value } from "../../src/model/numbers";

const real = (...all: number[]): Value[] => all.map((v) => [v, 0]);
const written = (kind: NumberKind, values: Value[], sums: Value[] = []) => {
  const format = formatOf(kind, values, sums);
  return [values.map(format.text), format.exponent] as const;
};

test("whole numbers are written whole, also as floats", () => {
  expect(written("int", real(0, -3, 12))).toEqual([["0", "-3", "12"], ""]);
  expect(written("float", real(0, 40, 7))).toEqual([["0", "40", "7"], ""]);
});

test("floats have three significant digits of the greatest, and more where neighbours would look alike", () => {
  expect(written("float", real(0.25, 1.5))).toEqual([["0.25", "1.50"], ""]);
  expect(written("float", real(1.2341, 1.2349))[0]).toEqual(["1.234", "1.235"]);
  expect(written("float", real(123.4, 150.5))[0]).toEqual(["123", "151"]);
});

test("what is too wide shares an exponent", () => {
  expect(written("float", real(-599650000, -670190000, -1269840000))).toEqual([["-0.60", "-0.67", "-1.27"], "×10⁹"]);
  // What would be written as nothing says how little it is.
  expect(written("int", real(123456789, 5))).toEqual([["1.23", "5e-8"], "×10⁸"]);
  expect(written("float", real(0.00012, 0.00034))).toEqual([["1.20", "3.40"], "×10⁻⁴"]);
});

test("bool, complex, nan and infinities are told apart", () => {
  expect(written("bool", real(0, 1))[0]).toEqual(["False", "True"]);
  const complex: Value[] = [
    [1, -2],
    [0.5, 3],
  ];
  expect(written("complex", complex)[0]).toEqual(["1.00-2.00i", "0.50+3.00i"]);
  expect(written("float", real(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2))[0]).toEqual([
    "nan",
    "inf",
    "-inf",
    "2",
  ]);
});

test("a sum that rounding would make wrong is not written as equal", () => {
  const format = formatOf("float", real(1, 2, 3));
  expect(addsUp(format, real(1, 2), [3, 0])).toBe(true);
  expect(addsUp(formatOf("float", real(1.44, 1.44, 20000.5)), real(1.44, 1.44), [2.88, 0])).toBe(false);
});

test("no number but zero is written as nothing, and widths are those of the widest", () =>
  fc.assert(
    fc.property(
      fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 12 }),
      (all) => {
        const values = real(...all);
        const format = formatOf("float", values);
        const texts = values.map(format.text);
        expect(format.width).toBe(Math.max(...texts.map((t) => t.length)));
        texts.forEach((text, i) => {
          if (all[i] !== 0) expect(Number(text)).not.toBe(0);
          expect(text.length).toBeLessThanOrEqual(9);
        });
      },
    ),
    { numRuns: 300 },
  ));

/** Number formats: digits that keep neighbours apart, one exponent for all, and sums that can be read off. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { equation, formatOf, type NumberKind, type Value, wrapped } from "../../src/core/numbers";

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
  expect(written("float", real(1.234123, 1.234912))[0]).toEqual(["1.234", "1.235"]);
  expect(written("float", real(123.43219, 150.51234))[0]).toEqual(["123", "151"]);
});

test("what is too wide shares an exponent", () => {
  expect(written("float", real(-599650000, -670190000, -1269840000))).toEqual([["-0.60", "-0.67", "-1.27"], "×10⁹"]);
  // What would be written as nothing says how little it is.
  expect(written("float", real(1, 2.5, 3, 4, 0.00004))[0]).toEqual(["1.00", "2.50", "3.00", "4.00", "4e-5"]);
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

test("numbers of many sizes have three digits each", () => {
  expect(written("float", real(1e-8, 0.00025, 0.0164, 3.15, 1e8))).toEqual([
    ["1.00e-8", "2.50e-4", "0.0164", "3.15", "1.00e8"],
    "",
  ]);
  expect(written("int", real(123456789, 5))).toEqual([["1.23e8", "5"], ""]);
  expect(written("float", real(0.000213, 0.000704, 0.0000201, 0.31534))[0]).toEqual([
    "2.13e-4",
    "7.04e-4",
    "2.01e-5",
    "0.315",
  ]);
});

test("what a few more digits write exactly is written so", () => {
  expect(written("float", real(0.25, 5.75), real(26))[0]).toEqual(["0.25", "5.75"]);
  expect(written("float", real(12.125, 0.5))[0]).toEqual(["12.125", "0.500"]);
  // As JAX's floats of 32 bits are.
  expect(written("float", real(Math.fround(12.1), Math.fround(0.7)))[0]).toEqual(["12.1", "0.7"]);
});

test("the words of a key are bits", () => {
  expect(written("key", real(0, 42, 1800000000, 2 ** 32 - 1))).toEqual([
    ["00000000", "0000002a", "6b49d200", "ffffffff"],
    "",
  ]);
});

test("terms that do not make the total that is written are not said to be equal", () => {
  expect(equation("sum", ["1", "2"], "3", "float32")).toBe("1 + 2 = 3");
  expect(equation("sum", ["0.1", "0.2"], "0.3", "float32")).toBe("0.1 + 0.2 = 0.3");
  expect(equation("sum", ["1.4", "1.4"], "2.9", "float32")).toBe("1.4 + 1.4 ≈ 2.9");
  expect(equation("sum", ["1.00-2.00i", "0.50+3.00i"], "1.50+1.00i", "float32")).toBe(
    "1.00-2.00i + 0.50+3.00i = 1.50+1.00i",
  );
  expect(equation("sum", ["1.00-2.00i", "0.50+3.00i"], "1.50+1.01i", "float32")).toContain(" ≈ ");
  expect(equation("sum", ["1.00e-8-2e-3i", "1.00e-8+2e-3i"], "2.00e-8+0i", "float32")).toContain(" = ");
  expect(equation("sum", ["2·3", "4·5"], "26", "float32")).toBe("2·3 + 4·5 = 26");
  expect(equation("sum", ["nan", "1"], "nan", "float32")).toBe("nan + 1 = nan");
  expect(equation("sum", ["100", "100"], "-56", "int8")).toBe("100 + 100 = -56 (int8 wraps around)");
  expect(equation("sum", ["200", "100"], "44", "uint8")).toBe("200 + 100 = 44 (uint8 wraps around)");
  expect(equation("sum", ["100", "100"], "-57", "int8")).toContain("≈");
  expect(equation("max", ["1", "2"], "2", "float32")).toBe("max(1, 2) = 2");
  expect(equation("sum", ["1", "2", "3", "4", "5", "6", "7"], "28", "float32")).toBe("1 + 2 + 3 + 4 + … + 7 = 28");
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

test("sums of integers wrap as the type does; those of other types stay", () => {
  const arrays = { int8: Int8Array, uint8: Uint8Array, int16: Int16Array, int32: Int32Array, uint32: Uint32Array };
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(arrays)), fc.maxSafeInteger(), (dtype, sum) => {
      expect(wrapped(sum, dtype)).toBe(arrays[dtype as keyof typeof arrays].of(sum)[0]);
      expect(wrapped(sum / 3, "float32")).toBe(sum / 3);
    }),
  );
});

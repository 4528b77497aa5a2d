/** Numbers below one another: one unit, decimals that align, and at least two significant digits. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bytesColumn, secondsColumn } from "../../src/core/column";

const KIB = 1024;
const MIB = 1024 * KIB;

test.each([
  [
    [51.4 * MIB, 31.2 * MIB, 14 * MIB, 3.125 * MIB, 0],
    ["51.40 MiB", "31.20 MiB", "14.00 MiB", "3.13 MiB", "0 MiB"],
  ],
  [
    [11 * MIB, 2.25 * MIB, 768 * KIB, 6 * KIB],
    ["11.00 MiB", "2.25 MiB", "0.75 MiB", "6 KiB"],
  ],
  [
    [64 * MIB, 16 * MIB, 3 * MIB],
    ["64 MiB", "16 MiB", "3 MiB"],
  ],
  [
    [1408 * MIB, 704 * MIB, 88.05 * MIB],
    ["1408 MiB", "704 MiB", "88 MiB"],
  ],
  [
    [300, 4],
    ["300 B", "4 B"],
  ],
  [[], []],
])("bytes %j", (values, texts) => {
  expect(values.map(bytesColumn(values))).toEqual(texts);
});

test.each([
  [
    [2.237e-3, 1.118e-3, 1.02e-3, 23e-6],
    ["2.24 ms", "1.12 ms", "1.02 ms", "23 µs"],
  ],
  [
    [1.12e-3, 559e-6, 281e-6, 6.2e-6],
    ["1120 µs", "559 µs", "281 µs", "6.2 µs"],
  ],
  [
    [210e-6, 186e-6, 72e-6, 70e-6],
    ["210 µs", "186 µs", "72 µs", "70 µs"],
  ],
  [
    [21.4e-3, 7.36e-3],
    ["21.40 ms", "7.36 ms"],
  ],
])("times %j", (values, texts) => {
  expect(values.map(secondsColumn(values))).toEqual(texts);
});

test("what is shown is the number, to two significant digits", () => {
  const sizes: Readonly<Record<string, number>> = { ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1 };
  fc.assert(
    fc.property(fc.array(fc.double({ min: 1e-8, max: 1e3, noNaN: true }), { minLength: 1 }), (values) => {
      const format = secondsColumn(values);
      for (const value of values) {
        const [number = "", unit = ""] = format(value).split(" ");
        const read = Number(number) * (sizes[unit] ?? Number.NaN);
        expect(Math.abs(read / value - 1)).toBeLessThan(0.05 + 1e-9);
      }
    }),
  );
});

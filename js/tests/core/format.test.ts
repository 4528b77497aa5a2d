/** Quantities are written as in Python: `tests/formats.json` is the table of cases of both languages. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import cases from "../../../tests/formats.json";
import {
  bytes,
  bytesColumn,
  duration,
  type Format,
  flops,
  percent,
  percents,
  rate,
  ratesColumn,
  secondsColumn,
  timeAxis,
  times,
} from "../../src/core/format";

const COLUMNS: Readonly<Record<string, (values: readonly number[]) => Format>> = {
  bytes: bytesColumn,
  seconds: secondsColumn,
  rates: ratesColumn,
};

test.each([
  ["bytes", bytes, cases.bytes],
  ["seconds", duration, cases.seconds],
  ["rates", rate, cases.rates],
  ["flops", flops, cases.flops],
  ["percents", percent, cases.percents],
  ["times", times, cases.times],
] as const)("%s", (_, write, table) => {
  expect(table.map(([value]) => write(value as number))).toEqual(table.map(([, text]) => text));
});

test.each(cases.columns as unknown as [string, number[], string[]][])("a column of %s: %j", (unit, values, texts) => {
  expect(values.map(COLUMNS[unit]?.(values) as Format)).toEqual(texts);
});

test.each(cases.percent_columns as unknown as [number[], string[]][])("a column of shares: %j", (shares, texts) => {
  expect(shares.map(percents(shares))).toEqual(texts);
});

test("an axis has one unit", () => {
  expect([0, 1, 2].map((k) => timeAxis(5e-4)(k * 5e-4))).toEqual(["0", "500 µs", "1000 µs"]);
  expect(timeAxis(0.01)(0.02)).toBe("20 ms");
});

test("a column has one unit, and says nothing that is not so", () => {
  const sizes: Readonly<Record<string, number>> = { ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1 };
  const some = fc.array(fc.double({ min: 1e-8, max: 1e3, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(some, (values) => {
      const format = secondsColumn(values);
      const texts = values.map((value) => format(value).split(" ") as [string, string]);
      expect(new Set(texts.map(([, unit]) => unit)).size).toBe(1);
      texts.forEach(([number, unit], i) => {
        const [value, size] = [values[i] as number, sizes[unit] as number];
        const step = 10 ** -(number.split(".")[1] ?? "").length * size;
        if (number.startsWith("<")) expect(value).toBeLessThan(Number(number.slice(1)) * size);
        else expect(Math.abs(Number(number) * size - value)).toBeLessThanOrEqual(step * 0.5001);
      });
    }),
  );
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { unpack } from "../../src/core/ints";
import { counting } from "../documents";

test("a nested count is start plus stride times digit, first digit slowest", () => {
  const digits = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: -40, max: 40 })), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(fc.integer({ min: -9, max: 99 }), digits, (start, levels) => {
      const walk = (at: number, [level, ...rest]: typeof levels): number[] =>
        level ? Array.from({ length: level[0] }, (_, i) => walk(at + i * level[1], rest)).flat() : [at];
      const packed = { ...counting(0), start, shape: levels.map((l) => l[0]), strides: levels.map((l) => l[1]) };
      expect([...unpack(packed)]).toEqual(walk(start, levels));
    }),
  );
});

test.each([
  [1, [0, 7, 255], (view: DataView, i: number, v: number) => view.setUint8(i, v)],
  [2, [0, 256, 65535], (view: DataView, i: number, v: number) => view.setUint16(2 * i, v, true)],
  [4, [0, -1, 2 ** 31 - 1], (view: DataView, i: number, v: number) => view.setInt32(4 * i, v, true)],
] as const)("raw integers of %i bytes are little-endian, inside a larger buffer too", (bytes, numbers, put) => {
  const raw = new DataView(new ArrayBuffer(3 * bytes + 5), 5);
  for (const [i, v] of numbers.entries()) put(raw, i, v);
  expect([...unpack({ start: 0, shape: [3], strides: [0], raw, raw_bytes: bytes })]).toEqual([...numbers]);
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bytes } from "../../src/core/format";
import { PlacementModel } from "../../src/core/placement";
import { axisTokens, coordinates, ranges, sentenceTokens, shardType, sliceText, some } from "../../src/core/text";
import { array, mesh } from "../documents";

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1 KiB"],
  [1536, "1.5 KiB"],
  [1023 * 1024, "1023 KiB"],
  [2 ** 20, "1 MiB"],
  [16 * 2 ** 30, "16 GiB"],
  [1234567, "1.18 MiB"],
  [2 ** 60, "1 EiB"],
  [2 ** 73, "8192 EiB"],
])("%i bytes are %s", (n, text) => expect(bytes(n)).toBe(text));

test.each([
  [[1, 2, 3, 4, 5, 6, 7], "1 to 7"],
  [[3, 5, 7, 9, 11], "3, 5, … 11"],
  [[3, 6, 7], "3, 6, 7"],
  [[1, 2, 3], "1, 2, 3"],
  [[0, 1, 4, 5, 8, 9, 12], "0, 1, 4, 5, 8, 9 … 1 more"],
  [[], ""],
])("ids %j are %s", (ids, text) => expect(ranges(ids)).toBe(text));

test("slices, shard types and coordinates are spelled as in Python", () => {
  const model = new PlacementModel(array(mesh({ x: 4, y: 2 }), [8, 16, 3], ["x", "y"]));
  expect(sliceText(model, 5)).toBe("[4:6, 8:16, :]");
  expect(shardType(model, 5)).toBe("f32[2,8,3]");
  expect(coordinates(model, 5)).toBe("x=2, y=1");
  expect(sliceText(new PlacementModel(array(mesh({ x: 2 }), [])), 0)).toBe("[]");
});

test("a long list says how many it leaves out", () => {
  expect(some([1, 2, 3], 3)).toBe("1, 2, 3");
  expect(some([1, 2, 3, 4, 5], 3)).toBe("1, 2, 3 … 2 more");
});

/** Names that are coloured, in order, with the axis of each. */
function colored(text: string, ...names: string[]): string[] {
  const model = new PlacementModel(array(mesh(Object.fromEntries(names.map((n) => [n, 2]))), []));
  return axisTokens(text, model)
    .filter((t) => t.axis !== null)
    .map((t) => `${t.text}:${t.axis}`);
}

test.each([
  ["f32[8@x,16@(y,z)]{V:(x,y)}", ["@x:0", "y:1", "z:2", "x:0", "y:1"]],
  ["f32[8@x,16]{U:y, R:z}", ["@x:0", "y:1", "z:2"]],
  ["P('x', None, ('z', 'y'))", ["'x':0", "'z':2", "'y':1"]],
  ["P(('x', 'y'), None, unreduced={'z'})", ["'x':0", "'y':1", "z:2"]],
  ["SdyArray([{'x', 'y'}, {}], unreduced={'z'})", ["x:0", "y:1", "z:2"]],
])("axes in %s take their colours", (text, expected) => expect(colored(text, "x", "y", "z")).toEqual(expected));

test.each([
  ["f32[8@8,16]", ["@8:0"]],
  ["P('f32', None, 'P')", ["'f32':2", "'P':4"]],
  ["P(None, unreduced={'None'})", ["None:1"]],
  ["f32[8@None]{U:U}", ["@None:1", "U:5"]],
])("a name that is also a number or a word is coloured only where it is a name: %s", (text, expected) => {
  const found = colored(text, "8", "None", "f32", "unreduced", "P", "U");
  expect(found).toEqual(expected);
});

test("tokens are a cut of the text: nothing is lost, added or moved", () => {
  const piece = fc.constantFrom("@", "(", ")", "{", "}", "[", "]", "'", ",", ":", " ", "x", "y", "U", "8", "\n", "🙂");
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(piece).map((p) => p.join("")),
  );
  const model = new PlacementModel(array(mesh({ x: 2, y: 2, "a b": 2 }), []));
  fc.assert(
    fc.property(text, (t) => {
      const tokens = axisTokens(t, model);
      expect(tokens.map((token) => token.text).join("")).toBe(t);
      for (const { text: run, axis } of tokens) {
        if (axis !== null) expect(run.replaceAll(/[@']/g, "")).toBe(model.axes[axis]?.name);
      }
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ["split over x and y: 2 B", ["x", " and ", "y", ": 2 B"]],
  ["gathered along y, z, and x.", ["y", ", ", "z", ", and ", "x", "."]],
  ["over (x, y)", ["(x, y)"]],
  ["over w and x", ["w and x"]],
  ["over x-y", ["x-y"]],
])("axes in the sentence %s", (sentence, expected) => {
  const found = sentenceTokens(sentence, new PlacementModel(array(mesh({ x: 2, y: 2, z: 2 }), [])));
  expect(found.map((token) => token.text).join("")).toBe(sentence);
  expect(found.slice(1).map((token) => token.text)).toEqual(expected);
});

const LONG = 1_000_000;

test.each(["@(", "{", "'", "@x", "{@('", "x"])(
  "types with a million characters of %s are cut in linear time",
  (text) => {
    const long = text.repeat(LONG / text.length);
    const tokens = axisTokens(long, new PlacementModel(array(mesh({ x: 2 }), [])));
    expect(tokens.map((token) => token.text).join("")).toBe(long);
  },
);

test.each(["over ", "over x ", "over x, ", "x and "])("a sentence of a million characters of %s too", (text) => {
  const long = text.repeat(LONG / text.length);
  const tokens = sentenceTokens(long, new PlacementModel(array(mesh({ x: 2 }), [])));
  expect(tokens.map((token) => token.text).join("")).toBe(long);
});

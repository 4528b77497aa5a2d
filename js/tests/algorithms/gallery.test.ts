/** Golden pictures of algorithms, and what holds at every moment and width. */
import { expect, test } from "vitest";
import { algorithmsMarks, algorithmsScene } from "../../src/algorithms/scene/card";
import { layoutAlgorithms } from "../../src/algorithms/scene/layout";
import { overlap } from "../../src/draw/beside";
import { inside } from "../../src/draw/marks";
import { extent } from "../array/cases";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES } from "../golden";
import { courses, NAMES } from "./algorithms";

/** Where the title of a ring ends. */
const TITLE = 17;

for (const [name, nbytes] of [
  ["large", 2 ** 24],
  ["small", 2 ** 12],
] as const) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    const scene = algorithmsScene(courses("psum", nbytes), nbytes, 960, scheme);
    await expectSceneInGallery(scene, "algorithms of psum", `algorithms-${name}`, scheme);
  });
}

test.each(NAMES)("%s: nothing stands outside of its picture, at any width", (name) => {
  expectInsideAtAnyWidth((width) => algorithmsScene(courses(name, 2 ** 20), 2 ** 20, width, "light"));
});

test.each(NAMES.flatMap((name) => [400, 900].map((width) => [name, width] as const)))(
  "%s, %i px: no message covers a device or a title",
  (name, width) => {
    const both = courses(name, 2 ** 20);
    const layout = layoutAlgorithms(width);
    const whole = Math.max(...both.map((c) => c.seconds));
    for (let t = 0; t <= 1; t += 0.01) {
      const marks = algorithmsMarks(both, layout, 2 ** 20, t * whole, "light");
      const rects = marks.flatMap((m, i) => (m.kind === "rect" ? [{ ...m, i }] : []));
      const messages = rects.filter((m) => m.r === 2);
      const tiles = rects.filter((m) => m.r === 4 && m.fill === "bg");
      for (const message of messages) {
        expect(message.y, `${name} at ${t}`).toBeGreaterThan(TITLE);
        const over = tiles.filter((tile) => overlap(message, tile) > 0 && tile.i < message.i);
        // What is drawn later stands above: the tiles of a ring follow its messages, those of the other are elsewhere.
        expect(over, `${name} at ${t}`).toEqual([]);
      }
    }
  },
);

test.each(NAMES.flatMap((name) => [256, 400, 900].map((width) => [name, width] as const)))(
  "%s, %i px: a message that waits is seen beside its device",
  (name, width) => {
    const marks = algorithmsMarks(courses(name, 2 ** 20), layoutAlgorithms(width), 2 ** 20, 0, "light");
    const rects = marks.flatMap((m) => (m.kind === "rect" && m.fill === "bg" ? [m] : []));
    const tiles = rects.filter((m) => m.r === 4);
    const messages = rects.filter((m) => m.r === 2);
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages)
      for (const tile of tiles) expect(overlap(message, tile) / (message.w * message.h)).toBeLessThan(0.2);
  },
);

test.each(NAMES.flatMap((name) => [256, 400, 900].map((width) => [name, width] as const)))(
  "%s, %i px: devices stand apart",
  (name, width) => {
    const marks = algorithmsMarks(courses(name, 2 ** 20), layoutAlgorithms(width), 2 ** 20, 0, "light");
    const tiles = marks.flatMap((m) => (m.kind === "rect" && m.r === 4 && m.fill === "bg" ? [m] : []));
    for (const [i, a] of tiles.entries())
      for (const b of tiles.slice(i + 1)) expect(overlap(a, b), JSON.stringify([a, b])).toBe(0);
  },
);

test("names of algorithms are whole in a card of 480 px", () => {
  const marks = algorithmsMarks(courses("psum", 2 ** 20), layoutAlgorithms(414), 2 ** 20, 0, "light");
  const words = marks.flatMap((m) => (m.kind === "text" ? m.spans.map((s) => s.text) : []));
  expect(words).toContain("halving-doubling");
});

test.each(NAMES)("%s: no curve runs through the words about where both are equal", (name) => {
  for (let width = 256; width <= 1300; width += 60) {
    for (const power of [8, 14, 20, 26]) {
      const marks = algorithmsMarks(courses(name, 2 ** power), layoutAlgorithms(width), 2 ** power, 0, "light");
      const words = marks.find((m) => m.kind === "text" && m.spans[0]?.text.startsWith("equal at"));
      if (!words) continue;
      const box = extent(words);
      const curves = marks.flatMap((m) => (m.kind === "line" && m.points.length > 40 ? m.points : []));
      for (const [x, y] of curves) expect(inside(box, x, y), `${width} px, 2^${power} bytes`).toBe(false);
    }
  }
});

test("a card is no higher in a wider cell", () => {
  let before = Number.POSITIVE_INFINITY;
  for (let width = 256; width <= 1620; width += 20) {
    const { height } = layoutAlgorithms(width);
    expect(height).toBeLessThanOrEqual(before);
    before = height;
  }
});

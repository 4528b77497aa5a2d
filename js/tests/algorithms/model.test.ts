/** Times, ways and shares of algorithms, against Python. */
import { expect, test } from "vitest";
import { answerOf, Course, decodeAlgorithms, equalSize, sizesText } from "../../src/algorithms/model/algorithms";
import { badgesOf } from "../../src/algorithms/scene/card";
import { trafficMarks } from "../../src/algorithms/scene/charts";
import { linkLoads } from "../../src/algorithms/scene/ring";
import type { Algorithm, Network } from "../../src/core/document.gen";
import { courses, NAMES, SIZES, said, wire } from "./algorithms";

test.each(NAMES)("%s: times and equal sizes are Python's", (name) => {
  const doc = decodeAlgorithms(wire(name));
  const { seconds, equal } = said(name);
  doc.networks.forEach((network, on) => {
    doc.algorithms.forEach((algorithm, k) => {
      SIZES.forEach((size, i) => {
        const course = new Course(doc, algorithm, network, size);
        expect(course.seconds / (seconds[k]?.[on]?.[i] ?? 0)).toBeCloseTo(1, 9);
      });
    });
    const pairs = doc.algorithms.flatMap((a, i) => doc.algorithms.slice(i + 1).map((b) => [a, b] as const));
    pairs.forEach(([a, b], i) => {
      const expected = equal[on]?.[i] ?? null;
      const found = equalSize(doc, network, a, b);
      if (expected === null) expect(found).toBeNull();
      else expect((found ?? 0) / expected).toBeCloseTo(1, 9);
    });
  });
});

test.each(NAMES)("%s: what is drawn on the busiest link is what its time is made of", (name) => {
  const doc = decodeAlgorithms(wire(name));
  for (const algorithm of doc.algorithms) {
    const course = new Course(doc, algorithm, doc.networks[0] as Network, 64);
    algorithm.busiest.forEach((busiest, round) => {
      expect(Math.max(...linkLoads(doc.n, course.ways(round)).values())).toBeCloseTo(busiest, 9);
    });
  }
});

test("a round is at nothing while its messages start, and all of it is sent at its end", () => {
  const [ring] = courses("psum", 2 ** 20);
  const start = ring.doc.start;
  expect(ring.at(start / 2)).toEqual({ round: 0, progress: 0, arrived: 0, done: false });
  expect(ring.sentAt(start)).toBe(0);
  const end = ring.ends[0] ?? 0;
  expect(ring.at(end)).toMatchObject({ round: 1, progress: 0, arrived: 1 });
  expect(ring.sentAt(end)).toBeCloseTo(2 ** 20 / 8, 3);
  expect(ring.at(ring.seconds)).toMatchObject({ done: true, arrived: 14 });
  expect(ring.sentAt(ring.seconds)).toBeCloseTo((14 / 8) * 2 ** 20, 3);
});

test.each(NAMES)("%s: devices fill up, and are full in the end", (name) => {
  for (const course of courses(name, 1024)) {
    for (let rank = 0; rank < course.doc.n; rank++) {
      const shares = Array.from({ length: course.rounds + 1 }, (_, arrived) => course.share(rank, arrived));
      expect(shares.at(-1)).toBe(1);
      expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    }
  }
});

test("it says which is faster, why, and from which size on", () => {
  const small = courses("psum", 2 ** 10);
  expect(answerOf(...small)).toBe("halving-doubling is faster: 6 rounds instead of 14");
  expect(sizesText(...small)).toBe("equal at 521 KiB; below, halving-doubling is faster");
  expect(answerOf(...courses("psum", 2 ** 30))).toMatch(/^ring is faster: the busiest link sends .* instead of /);
  const switched = courses("psum", 2 ** 20, "switch");
  expect(answerOf(...switched)).toBe("halving-doubling is faster: 6 rounds instead of 14");
  expect(sizesText(...switched)).toBe("at every size");
  expect(answerOf(small[0], small[0])).toBe("Both are the same algorithm");
});

test("a document without algorithms is refused", () => {
  const doc = { ...wire("psum"), algorithms: [] as Algorithm[] };
  expect(() => decodeAlgorithms(doc)).toThrow("it has no algorithms");
});

test("times of badges, of the ends of lines and of the axis under them are in one unit", () => {
  for (const name of NAMES)
    for (const size of SIZES) {
      const both = courses(name, size);
      const texts = trafficMarks(both, 0, { x: 60, y: 20, w: 400, h: 150 }).flatMap((m) =>
        m.kind === "text" ? [m.spans.map(({ text }) => text).join("")] : [],
      );
      const badges = badgesOf(both).map(({ strong }) => strong ?? "");
      expect(texts).toEqual(expect.arrayContaining(badges));
      const units = [...texts, ...badges].flatMap((text) => /\d (ns|µs|ms|s)$/.exec(text)?.[1] ?? []);
      expect(new Set(units).size, `${name}, ${size} bytes`).toBe(1);
    }
});

/** Times, ways and shares of algorithms, against Python. */
import { expect, test } from "vitest";
import { Course, decodeAlgorithms, equalSize, verdict } from "../../src/algorithms/model/algorithms";
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

test("it says which is faster, from which size on, and why", () => {
  const [ring, halving] = courses("psum", 2 ** 10);
  expect(verdict(ring, halving, 2 ** 10)).toMatch(
    /^Equal at 521 KiB per device\. Below, halving-doubling is faster: it takes 6 rounds instead of 14\. Above, ring is faster: .* At 1 KiB, halving-doubling is faster\.$/,
  );
  expect(verdict(...courses("psum", 2 ** 30), 2 ** 30)).toContain("At 1 GiB, ring is faster.");
  const switched = courses("psum", 2 ** 20, "switch");
  expect(verdict(...switched, 2 ** 20)).toBe(
    "halving-doubling is never slower here: it takes 6 rounds instead of 14, and each device sends the same 1.75 MiB.",
  );
  expect(verdict(ring, ring, 1)).toBe("Both are the same algorithm.");
});

test("a document without algorithms is refused", () => {
  const doc = { ...wire("psum"), algorithms: [] as Algorithm[] };
  expect(() => decodeAlgorithms(doc)).toThrow("it has no algorithms");
});

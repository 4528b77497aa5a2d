/** Algorithms as the front end plays them, against what Python expands and executes. */
import { expect, test } from "vitest";
import { type Played, play, playable, transfers } from "../../src/collective/model/plan";
import type { Plan } from "../../src/core/document.gen";
import { PLANS } from "./traces";

const named = PLANS.map((c) => [`${c.kind}, ${c.plan.algorithm}, ${c.plan.n} ranks`, c] as const);

test("there is every kind, algorithm and size", () => {
  const has = (key: "algorithm" | "n") => [...new Set(PLANS.map((c) => c.plan[key]))].sort();
  expect([...new Set(PLANS.map((c) => c.kind))].sort()).toEqual([
    "all_gather",
    "all_to_all",
    "pbroadcast",
    "ppermute",
    "psum",
    "reduce_scatter",
  ]);
  expect(has("algorithm")).toEqual(["bidirectional ring", "halving-doubling", "meaning", "ring"]);
  expect(has("n")).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test.each(named)("transfers of %s are those that Python expands", (_, { plan, rounds }) => {
  const words = plan.rounds.map((_, round) =>
    transfers(plan, round).flatMap((t) =>
      t.chunks.map((chunk) => {
        const origin = plan.semantics.by_origin ? `/${t.origin}` : "";
        return `${t.source}>${t.destination}:${chunk}${t.op === "add" ? "+" : ""}${origin}`;
      }),
    ),
  );
  expect(words.map((round) => round.sort())).toEqual(rounds.map((round) => round.split(" ").sort()));
});

/** What rank r has of chunk c; a row of one stands for all chunks. */
function part({ states }: Played, round: number, rank: number, chunk: number): readonly number[] {
  const row = states[round]?.[rank] ?? [];
  return row[row.length === 1 ? 0 : chunk] ?? [];
}

test.each(named)("%s ends with the parts that Python's execution ends with", (_, { kind, plan, held }) => {
  const played = play(plan);
  expect(played.states).toHaveLength(plan.rounds.length + 1);
  for (const [rank, chunks] of held.entries()) {
    // Of a reduce-scatter a rank keeps one chunk, its own.
    const first = kind === "reduce_scatter" ? rank : 0;
    for (const [i, parts] of chunks.entries())
      expect(part(played, plan.rounds.length, rank, first + i), `rank ${rank}, chunk ${first + i}`).toEqual(parts);
  }
});

test.each(named)("in %s nobody sends what it does not have, and a round follows from the one before", (_, c) => {
  const { kind, plan } = c;
  const played = play(plan);
  const addressed = kind === "all_to_all";
  for (const [round, now] of played.rounds.entries()) {
    const into = new Map<string, number[]>();
    for (const t of now) {
      for (const chunk of addressed ? [] : t.chunks) {
        const sent = kind === "ppermute" ? [t.source] : part(played, round, t.source, chunk);
        expect(sent.length, `${t.source}>${t.destination}:${chunk} in round ${round}`).toBeGreaterThan(0);
        const key = `${t.destination}:${chunk}`;
        const kept = t.op === "add" ? part(played, round, t.destination, chunk) : [];
        into.set(key, [...new Set([...(into.get(key) ?? kept), ...sent])]);
      }
    }
    for (const [key, parts] of into) {
      const [rank, chunk] = key.split(":").map(Number) as [number, number];
      expect(part(played, round + 1, rank, chunk)).toEqual(parts.sort((a, b) => a - b));
    }
  }
});

test("before a round nobody has anything of others", () => {
  for (const { plan } of PLANS) {
    for (const [rank, row] of (play(plan).states[0] ?? []).entries())
      for (const parts of row) expect(parts.every((r) => r === rank)).toBe(true);
  }
});

test("a ragged exchange is played as all_to_all is", () => {
  const { plan } = PLANS.find((c) => c.kind === "all_to_all" && c.plan.n === 4) ?? {};
  if (!plan) return expect.fail("there is no such plan");
  const ragged: Plan = { ...plan, semantics: { ...plan.semantics, cuts: "none" } };
  expect(play(ragged).states).toEqual(play(plan).states);
});

test("groups that are too large to be drawn are not played", () => {
  const meaning = (n: number): Plan => ({
    algorithm: "meaning",
    semantics: { sign: "Σ", combines: "sum", starts: "whole", cuts: "both", by_origin: false, replicates: true },
    n,
    rounds: [[{ peer: "shift", op: "add", by: 1, first: 0, count: n, origin: 0, pairs: [] }]],
  });
  expect([4, 256, 257, 4096].map((n) => playable(meaning(n)))).toEqual([true, true, true, true]);
  const ring = (n: number): Plan => ({ ...meaning(n), algorithm: "ring", rounds: Array(2 * n - 2).fill([]) });
  expect([8, 64, 128].map((n) => playable(ring(n)))).toEqual([true, true, false]);
});

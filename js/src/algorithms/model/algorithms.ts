/** Two algorithms of a collective on one clock: how long each takes with a block of some bytes, and where each is when. */

import { type Played, play, transfers } from "../../collective/model/plan";
import type { Algorithm, Algorithms, Network } from "../../core/document.gen";
import { bytes, type Format, secondsColumn } from "../../core/format";
import { decodeDocument } from "../../core/wire";

export function decodeAlgorithms(wire: unknown): Algorithms {
  const flaw = ({ algorithms, networks, chunk, start }: Algorithms) => {
    if (!Array.isArray(algorithms) || algorithms.length === 0 || networks.length === 0) return "it has no algorithms";
    return chunk > 0 && start >= 0 && networks.every((n) => n.bandwidth > 0)
      ? null
      : "a size or a speed is not above 0";
  };
  return decodeDocument(wire, "algorithms", flaw, true);
}

/** Where an algorithm is at a moment. */
export interface At {
  /** The round that runs or ran last, and how far its bytes have come; 0 while its messages start. */
  round: number;
  progress: number;
  /** Rounds that are over. */
  arrived: number;
  done: boolean;
}

/** A part of a message on its way round a ring. */
export interface Way {
  source: number;
  /** 1 towards the next rank, -1 towards the one before. */
  step: 1 | -1;
  hops: number;
  /** How many chunks, and which: half of each where a message takes both ways. */
  chunks: number;
  ids: readonly number[];
}

/** An algorithm on a network, with a block of some bytes. */
export class Course {
  readonly played: Played;
  /** Seconds at which each round ends. */
  readonly ends: readonly number[];
  /** Bytes of the busiest link in each round, and bytes that a device sends. */
  readonly carried: readonly number[];
  readonly sent: readonly number[];

  constructor(
    readonly doc: Algorithms,
    readonly algorithm: Algorithm,
    readonly network: Network,
    nbytes: number,
  ) {
    this.played = play(algorithm.plan);
    const chunk = doc.chunk * nbytes;
    this.carried = loads(algorithm, network).map((chunks) => chunks * chunk);
    this.sent = algorithm.sent.map((chunks) => chunks * chunk);
    let end = 0;
    this.ends = this.carried.map((load) => {
      end += doc.start + load / network.bandwidth;
      return end;
    });
  }

  get name(): string {
    return this.algorithm.plan.algorithm;
  }

  get rounds(): number {
    return this.algorithm.plan.rounds.length;
  }

  get seconds(): number {
    return this.ends.at(-1) ?? 0;
  }

  at(seconds: number): At {
    const over = this.ends.findIndex((end) => end > seconds);
    if (over < 0) return { round: this.rounds - 1, progress: 1, arrived: this.rounds, done: true };
    const begin = (this.ends[over - 1] ?? 0) + this.doc.start;
    const end = this.ends[over] ?? begin;
    return { round: over, progress: Math.max(0, (seconds - begin) / (end - begin)), arrived: over, done: false };
  }

  /** Bytes that a device has sent at a moment. */
  sentAt(seconds: number): number {
    const { round, progress, done } = this.at(seconds);
    const before = this.sent.slice(0, done ? this.rounds : round).reduce((a, b) => a + b, 0);
    return done ? before : before + progress * (this.sent[round] ?? 0);
  }

  /** How a round's messages go: the shorter way round; if both are equally long, half a message takes each. */
  ways(round: number): readonly Way[] {
    const { n } = this.doc;
    return transfers(this.algorithm.plan, round).flatMap(({ source, destination, chunks }): Way[] => {
      const forward = (destination - source + n) % n;
      const way = (step: 1 | -1, hops: number, part = 1) => ({
        source,
        step,
        hops,
        chunks: part * chunks.length,
        ids: chunks,
      });
      if (2 * forward === n) return [way(1, forward, 0.5), way(-1, forward, 0.5)];
      return [2 * forward < n ? way(1, forward) : way(-1, n - forward)];
    });
  }

  /** Part of its final content that a rank has after some rounds. */
  share(rank: number, arrived: number): number {
    const { states } = this.played;
    const parts = (state: number) => (states[state]?.[rank] ?? []).reduce((sum, chunk) => sum + chunk.length, 0);
    const whole = Math.max(1, parts(states.length - 1), parts(0));
    return arrived >= this.rounds ? 1 : Math.min(1, parts(arrived) / whole);
  }
}

/** For each round, the chunks that decide how long it takes. */
function loads({ busiest, sent }: Algorithm, { topology }: Network): readonly number[] {
  return topology === "torus" ? busiest : sent;
}

/** Seconds with a block of some bytes. */
export function secondsOf(doc: Algorithms, algorithm: Algorithm, network: Network, nbytes: number): number {
  const chunks = loads(algorithm, network).reduce((a, b) => a + b, 0);
  return algorithm.plan.rounds.length * doc.start + (chunks * doc.chunk * nbytes) / network.bandwidth;
}

/** Bytes of a block with which two algorithms take the same time; null where one is never slower. */
export function equalSize(doc: Algorithms, network: Network, a: Algorithm, b: Algorithm): number | null {
  const at = (algorithm: Algorithm, nbytes: number) => secondsOf(doc, algorithm, network, nbytes);
  const apart = at(a, 0) - at(b, 0);
  const slope = at(b, 1) - at(b, 0) - (at(a, 1) - at(a, 0));
  return apart * slope > 0 ? apart / slope : null;
}

/** How the times of both are written: in one unit. */
export function timesOf(courses: readonly [Course, Course]): Format {
  return secondsColumn(courses.map((c) => c.seconds));
}

/** Which one is faster with blocks of some bytes, and why: the answer, in one sentence. */
export function answerOf(a: Course, b: Course): string {
  if (a.name === b.name) return "Both are the same algorithm";
  const [fast, slow] = a.seconds <= b.seconds ? [a, b] : [b, a];
  const total = (c: Course) => c.carried.reduce((x, y) => x + y, 0);
  const same = Math.abs(total(fast) - total(slow)) < 1e-6 * total(slow);
  const wire = a.network.topology === "torus" ? "the busiest link" : "each device";
  if (total(fast) < total(slow) && !same)
    return `${fast.name} is faster: ${wire} sends ${bytes(total(fast))} instead of ${bytes(total(slow))}`;
  if (fast.rounds < slow.rounds) return `${fast.name} is faster: ${fast.rounds} rounds instead of ${slow.rounds}`;
  return "Both take the same time";
}

/** At which sizes that holds. */
export function sizesText(a: Course, b: Course): string {
  if (a.name === b.name) return "";
  const equal = equalSize(a.doc, a.network, a.algorithm, b.algorithm);
  if (equal === null) return "at every size";
  const few = a.rounds < b.rounds ? a : b;
  return `equal at ${bytes(equal)}; below, ${few.name} is faster`;
}

/** Time of a trace: where a step lies, and what is shown at a moment. Pure: a clock only hands in milliseconds. */

import { lasting, type Times } from "../../collective/model/plan";
import type { Plan } from "../../core/document.gen";
import type { TraceModel } from "./trace";

/** A step and how far it has come: 0 before, 1 after. */
export interface Moment {
  step: number;
  phase: number;
}

export interface Pace {
  algorithm: Plan["algorithm"];
  /** Skip steps that send nothing, and stand still for a moment before those that do. */
  collectives: boolean;
  /** Let every step last as long as its sentence takes to read. */
  reading?: boolean;
}

/** A moment some milliseconds later at single speed; stops at the end. */
export function advance(
  trace: TraceModel,
  from: Moment,
  ms: number,
  { algorithm, collectives, reading = false }: Pace,
): Moment {
  let { step, phase } = from;
  let left = ms;
  while (left > 0) {
    const now = trace.step(step);
    if (!now) break;
    const next = trace.step(step + 1);
    const skipped = collectives && !trace.communicates(now);
    const pause = next && trace.communicates(next) ? PAUSE : 0;
    const least = reading ? now.sentence.split(" ").length * A_WORD : 0;
    const duration = skipped ? pause : Math.max(least, trace.duration(now, algorithm));
    const rest = (1 - phase) * duration;
    if (left < rest) return { step, phase: phase + left / duration };
    left -= rest;
    phase = 1;
    if (step + 1 >= trace.steps.length) break;
    step += 1;
    phase = 0;
  }
  return { step, phase };
}

/** Milliseconds before a collective, where what is between collectives is left out. */
const PAUSE = 300;

/** Milliseconds in which a word is read: some two hundred a minute. */
const A_WORD = 290;

/** A moment as one number, for a scrubber: step k and its phase are k + phase. */
export function position({ step, phase }: Moment): number {
  return step + phase;
}

/** The moment at a position of the scrubber. */
export function momentAt(trace: TraceModel, at: number): Moment {
  const last = trace.steps.length - 1;
  const bounded = Math.max(0, Math.min(last + 1, at));
  const step = Math.min(last, Math.floor(bounded));
  return { step, phase: bounded - step };
}

/** What a collective is at, at a phase of its step. */
export interface Flow {
  /** The round whose copies fly, and how far they have come, from 0 to 1. */
  round: number;
  progress: number;
  /** Rounds that are over. */
  arrived: number;
  /** Terms that are added; the receiver's own counts from the beginning. */
  added: number;
  /** The term whose turn it is; null while copies fly and when all are added. */
  current: number | null;
  /** Whether the result stands in its place. */
  finished: boolean;
}

/** Without motion (`still`) copies are where they leave or where they arrive, never in between. */
export function flowAt(times: Times, phase: number, still = false): Flow {
  const { rounds, round, terms, beat, settle } = times;
  const ms = Math.min(1, Math.max(0, phase)) * lasting(times);
  const flights = rounds * round;
  const at = Math.min(Math.max(0, rounds - 1), Math.floor(ms / round));
  const raw = ms >= flights ? 1 : (ms - at * round) / round;
  const beats = beat > 0 ? (ms - flights) / beat : 0;
  const added = ms < flights ? 1 : Math.min(terms, 1 + Math.max(0, Math.floor(beats + 0.5)));
  const adding = ms >= flights && beats < terms - 1;
  const progress = ease(raw);
  return {
    round: at,
    progress: still ? (raw < 1 ? 0 : 1) : progress,
    // Nearly there is there: copies are drawn at either end, and never at none.
    arrived: progress >= 1 ? at + 1 : at,
    added,
    current: adding ? 1 + Math.floor(beats) : null,
    finished: ms >= lasting(times) - (2 * settle) / 3,
  };
}

/** The phase at which a round begins. */
export function phaseOf(times: Times, round: number): number {
  return (round * times.round) / lasting(times);
}

/** cubic-bezier(.45, 0, .55, 1), nearly: slow at both ends. */
function ease(t: number): number {
  return t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) ** 2;
}

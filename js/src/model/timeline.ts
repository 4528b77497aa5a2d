/** Time of a trace: where a step lies, and what is shown at a moment. Pure: a clock only hands in milliseconds. */
import type { Plan } from "./document.gen";
import type { TraceModel } from "./trace";

/** A step and how far it has come: 0 before, 1 after. */
export interface Moment {
  step: number;
  phase: number;
}

/** A moment some milliseconds later at single speed; stops at the end. */
export function advance(trace: TraceModel, from: Moment, ms: number, algorithm: Plan["algorithm"]): Moment {
  let { step, phase } = from;
  let left = ms;
  while (left > 0) {
    const now = trace.step(step);
    if (!now) break;
    const duration = trace.duration(now, algorithm);
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

/** The round of a plan at a phase, and how far it has come. The last part of a step shows its result at rest. */
export function roundAt(rounds: number, phase: number): { round: number; progress: number } {
  const at = Math.min(1, phase / REST) * rounds;
  const round = Math.min(Math.max(0, rounds - 1), Math.floor(at));
  return { round, progress: rounds === 0 ? 1 : Math.min(1, at - round) };
}

/** The phase at which so many rounds are over, and nothing of the next one has moved. */
export function phaseAfter(rounds: number, over: number): number {
  return over >= rounds ? 1 : Math.max(0, (REST * over) / rounds);
}

/** The part of a communicating step after which nothing moves any more. */
const REST = 0.9;

/** Times of a collective of a compiled program while it is played: its rounds, and the rest at the end. */

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

/** Milliseconds that so many rounds take when they are played at single speed. */
export function playTime(rounds: number): number {
  return rounds <= 1 ? 850 : rounds * 500 + 150;
}

/** The clock of whatever plays. */

/** What a clock calls with the milliseconds since the frame before; it returns whether there is more to play. */
type Move = (elapsed: number) => boolean;

export class Clock {
  #frame = 0;

  /** Calls `move` at every frame, until it says that it is over or the clock is stopped. */
  play(move: Move): void {
    this.stop();
    let before = Number.POSITIVE_INFINITY;
    const frame = (now: number) => {
      // A tab in the background has no frames: what plays goes on from where it was.
      const elapsed = Math.max(0, Math.min(100, now - before));
      before = now;
      if (move(elapsed)) this.#frame = requestAnimationFrame(frame);
    };
    this.#frame = requestAnimationFrame(frame);
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
  }
}

/** Whether the reader prefers reduced motion: then pictures jump from one to the next. */
export function motionless(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Such jumps: each picture stands for so many milliseconds. */
export function jumps(stand: number, next: () => boolean): Move {
  let waited = 0;
  return (elapsed) => {
    waited += elapsed;
    if (waited < stand) return true;
    waited = 0;
    return next();
  };
}

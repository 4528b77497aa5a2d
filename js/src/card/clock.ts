/** The clock of whatever plays. */

/** What is shown next where the reader prefers reduced motion, and for how many milliseconds. */
type Still = readonly [stand: number, next: () => boolean];

export class Clock {
  #frame = 0;

  /** Calls `move` with the milliseconds since the last frame, at every frame, until it returns false or is stopped. */
  play(move: (elapsed: number) => boolean, still?: Still): void {
    this.stop();
    let before: number | null = null;
    let waited = 0;
    const frame = (now: number) => {
      // A tab in the background has no frames: what plays goes on from where it was.
      const elapsed = before === null ? 0 : Math.min(100, now - before);
      before = now;
      waited += elapsed;
      let goesOn = true;
      if (!still || !motionless()) goesOn = move(elapsed);
      else if (waited >= still[0]) {
        waited = 0;
        goesOn = still[1]();
      }
      if (goesOn) this.#frame = requestAnimationFrame(frame);
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

/** What a stepper's clock plays: all steps, or one. */
import { Clock } from "../card/clock";
import type { Algorithm } from "../collective/model/algorithm";
import { advance, type Moment } from "./model/timeline";
import type { TraceModel } from "./model/trace";

/** What is played, from where, and how fast. */
interface Played {
  trace: TraceModel | null;
  moment: Moment;
  playing: boolean;
  speed: number | "reading";
  algorithm: Algorithm;
  collectives: boolean;
}

interface Stage {
  at: () => Played;
  show: (moment: Moment, playing: boolean) => void;
}

export class Player {
  readonly #clock = new Clock();

  constructor(private readonly stage: Stage) {}

  /** Plays from where it stands, from the beginning at the end; or pauses. */
  toggle(): void {
    const { trace, moment, playing } = this.stage.at();
    if (playing) {
      this.pause();
      return;
    }
    if (!trace) return;
    const ended = moment.step >= trace.steps.length - 1 && moment.phase >= 1;
    this.#play(ended ? { step: 0, phase: 0 } : moment, null);
  }

  /** Plays one step and rests. */
  step(step: number): void {
    const { trace } = this.stage.at();
    if (trace && step < trace.steps.length) this.#play({ step: Math.max(0, step), phase: 0 }, step);
  }

  pause(): void {
    this.stop();
    this.stage.show(this.stage.at().moment, false);
  }

  stop(): void {
    this.#clock.stop();
  }

  #play(from: Moment, only: number | null): void {
    this.stage.show(from, true);
    this.#clock.play((elapsed) => {
      const { trace, moment, speed, algorithm, collectives } = this.stage.at();
      if (!trace) return false;
      const reading = speed === "reading";
      // One step that was asked for is played, whatever it is.
      const pace = { algorithm, collectives: collectives && only === null, reading };
      let next = advance(trace, moment, reading ? elapsed : elapsed * speed, pace);
      if (only !== null && next.step > only) next = { step: only, phase: 1 };
      const over = next.phase >= 1 && next.step >= (only ?? trace.steps.length - 1);
      this.stage.show(next, !over);
      return !over;
    });
  }
}

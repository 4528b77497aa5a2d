/** The clock of a stepper: it plays all steps, or one, frame by frame. */
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
  #clock = 0;

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
    this.stage.show(ended ? { step: 0, phase: 0 } : moment, true);
    this.#tick(null);
  }

  /** Plays one step and rests. */
  step(step: number): void {
    const { trace } = this.stage.at();
    if (!trace || step >= trace.steps.length) return;
    this.stage.show({ step: Math.max(0, step), phase: 0 }, true);
    this.#tick(step);
  }

  pause(): void {
    this.stop();
    this.stage.show(this.stage.at().moment, false);
  }

  stop(): void {
    cancelAnimationFrame(this.#clock);
  }

  #tick(only: number | null): void {
    this.stop();
    let before: number | null = null;
    const frame = (now: number) => {
      const { trace, moment, speed, algorithm, collectives, playing } = this.stage.at();
      if (!trace || !playing) return;
      const elapsed = before === null ? 0 : Math.min(100, now - before);
      before = now;
      const reading = speed === "reading";
      // One step that was asked for is played, whatever it is.
      const pace = { algorithm, collectives: collectives && only === null, reading };
      let next = advance(trace, moment, reading ? elapsed : elapsed * speed, pace);
      if (only !== null && next.step > only) next = { step: only, phase: 1 };
      const over = next.phase >= 1 && next.step >= (only ?? trace.steps.length - 1);
      this.stage.show(next, !over);
      if (!over) this.#clock = requestAnimationFrame(frame);
    };
    this.#clock = requestAnimationFrame(frame);
  }
}

/** A trace as it came, and at the level that is shown: which steps stand for which equations. */
import type { Trace } from "../core/document.gen";
import { atLevel, LEVELS, type Level, type Leveled } from "./model/levels";

export class Leveling {
  #whole: Trace | null = null;
  #shown: Leveled | null = null;

  load(trace: Trace): void {
    this.#whole = trace;
  }

  /** The trace at a level; null where none was loaded. */
  show(level: Level): Trace | null {
    this.#shown = this.#whole && atLevel(this.#whole, level);
    return this.#shown?.doc ?? null;
  }

  /** Levels that have other steps than the next finer one. */
  all(): readonly Level[] {
    const whole = this.#whole;
    if (!whole) return [];
    const counts = LEVELS.map((level) => atLevel(whole, level).last.length);
    return LEVELS.filter((_, k) => counts[k] !== counts[k + 1]);
  }

  /** The last equation of each step that is shown. */
  numbers(): readonly number[] {
    return this.#shown?.last ?? [];
  }

  /** The last equation of a step that is shown. */
  equation(step: number): number {
    return this.#shown?.last[step] ?? step;
  }

  /** The step that an equation is part of; for a missing one, the nearest. */
  step(equation: number): number {
    const { shown } = this.#shown ?? { shown: [] };
    return shown[Math.max(0, Math.min(shown.length - 1, equation))] ?? 0;
  }
}

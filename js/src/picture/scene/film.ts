/** A scene that changes with time: what an animated SVG and a GIF are made of. */
import type { Scene } from "../../draw/marks";

export interface Film {
  /** How long it lasts, in milliseconds. */
  ms: number;
  /** The scene at a time; its size is always the same. */
  at(ms: number): Scene;
}

/** Scenes of a film, from its beginning to its end, about so many milliseconds apart. */
export function looksAt(film: Film, every: number): Scene[] {
  const count = Math.max(2, Math.round(film.ms / every));
  return Array.from({ length: count + 1 }, (_, k) => film.at((k * film.ms) / count));
}

/** A part of a film: how long it lasts, and what of it is shown at a share of that, from 0 to 1. */
export interface Shot<Moment> {
  ms: number;
  at(share: number): Moment;
}

/** Shots one after another. */
export function filmOf<Moment>(shots: readonly Shot<Moment>[], drawn: (moment: Moment) => Scene): Film {
  let last: readonly [Moment, Scene] | null = null;
  // What is held still is drawn once.
  const draw = (moment: Moment) => {
    if (last?.[0] !== moment) last = [moment, drawn(moment)];
    return last[1];
  };
  return {
    ms: shots.reduce((sum, shot) => sum + shot.ms, 0),
    at(ms) {
      let left = ms;
      for (const shot of shots) {
        if (left < shot.ms) return draw(shot.at(left / shot.ms));
        left -= shot.ms;
      }
      const end = shots.at(-1);
      return end ? draw(end.at(1)) : { width: 0, height: 0, marks: [] };
    },
  };
}

/** A moment that is held still. */
export function stand<Moment>(ms: number, moment: Moment): Shot<Moment> {
  return { ms, at: () => moment };
}

/** Pauses before anything moves, after a collective, and before the film starts again, in milliseconds. */
export const LEAD = 500;
export const BETWEEN = 600;
export const REST = 1200;

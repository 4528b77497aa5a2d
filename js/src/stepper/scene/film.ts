/** Steps of a trace that play. */
import { BETWEEN, type Film, filmOf, LEAD, REST, type Shot, stand } from "../../picture/scene/film";
import type { Moment } from "../model/timeline";
import type { TraceModel } from "../model/trace";
import { roomOf, type StepPicture, stepScene } from "./card";

/** Steps of a trace, from one to another, both included. */
export function stepFilm(
  trace: TraceModel,
  [from, to]: readonly [number, number],
  speed: number,
  picture: StepPicture,
): Film {
  const steps = trace.steps.slice(from, to + 1);
  const shots: Shot<Moment>[] = [stand(LEAD, { step: from, phase: 0 })];
  steps.forEach((step, i) => {
    const ms = trace.duration(step, picture.algorithm ?? "meaning") / speed;
    shots.push({ ms, at: (share) => ({ step: from + i, phase: share }) });
    const rest = i === steps.length - 1 ? REST : trace.communicates(step) ? BETWEEN : 0;
    shots.push(stand(rest, { step: from + i, phase: 1 }));
  });
  const rooms = steps.map((_, i) => roomOf(trace, from + i, picture));
  const room = {
    lines: Math.max(0, ...rooms.map((r) => r.lines)),
    height: Math.max(0, ...rooms.map((r) => r.height)),
  };
  return filmOf(shots, (moment) => stepScene(trace, moment, { ...picture, room }));
}

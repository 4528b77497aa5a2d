/** What moves: steps of a trace, a collective of a compiled program, the playhead of a schedule. */
import type { ProgramModel } from "../../model/program";
import { playTime } from "../../model/program/rounds";
import type { ScheduleModel } from "../../model/schedule/schedule";
import type { Moment } from "../../model/timeline";
import type { TraceModel } from "../../model/trace";
import { boardOf } from "../pipeline/board";
import { type PipelinePicture, pipelineScene } from "../pipelinecard";
import { chosenOf, type ProgramPicture, programScene } from "../programcard";
import { PAD, type Scene } from "../scene";
import { roomOf, type StepPicture, stepScene } from "../stepcard";
import { BETWEEN, type Film, filmOf, LEAD, REST, type Shot, stand } from "./film";

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

/** The collective on the mesh, drawn with what is around it; null where none can be played. */
export function programFilm(
  model: ProgramModel,
  speed: number,
  picture: ProgramPicture,
  draw: (picture: ProgramPicture) => Scene = (shown) => programScene(model, shown),
): Film | null {
  const c = model.collectives[chosenOf(model, picture) ?? -1];
  const rounds = c && model.plan(c, picture.algorithm ?? "meaning")?.rounds.length;
  if (rounds === undefined) return null;
  const shots: Shot<number>[] = [
    stand(LEAD, 0),
    { ms: playTime(rounds) / speed, at: (share) => share },
    stand(REST, 1),
  ];
  return filmOf(shots, (phase) => draw({ ...picture, phase }));
}

/** The playhead on its way through a schedule. */
export function pipelineFilm(models: readonly ScheduleModel[], speed: number, picture: PipelinePicture): Film {
  const { whole } = boardOf(models, picture.width - 2 * PAD, null);
  const unit = models[0]?.durations.forward[0] ?? 1;
  const ms = Math.min(LONGEST, (UNIT * whole) / unit) / speed;
  const shots: Shot<number>[] = [{ ms, at: (share) => share * whole }, stand(REST, whole)];
  return filmOf(shots, (moment) => pipelineScene(models, { ...picture, moment }));
}

/** Milliseconds of a forward step, and of the longest schedule, at single speed. */
const UNIT = 60;
const LONGEST = 6000;

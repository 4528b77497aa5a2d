/** The playhead of a schedule that plays. */
import { PAD } from "../../draw/marks";
import { type Film, filmOf, REST, type Shot, stand } from "../../picture/scene/film";
import type { ScheduleModel } from "../model/schedule";
import { boardOf } from "./board";
import { type PipelinePicture, pipelineScene } from "./card";

/** Milliseconds of a forward step, and of the longest schedule, at single speed. */
const UNIT = 60;
const LONGEST = 6000;

/** The playhead on its way through a schedule. */
export function pipelineFilm(models: readonly ScheduleModel[], speed: number, picture: PipelinePicture): Film {
  const { whole } = boardOf(models, picture.width - 2 * PAD, null);
  const unit = models[0]?.durations.forward[0] ?? 1;
  const ms = Math.min(LONGEST, (UNIT * whole) / unit) / speed;
  const shots: Shot<number>[] = [{ ms, at: (share) => share * whole }, stand(REST, whole)];
  return filmOf(shots, (moment) => pipelineScene(models, { ...picture, moment }));
}

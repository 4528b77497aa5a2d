/** A collective of a compiled program that plays. */
import type { Scene } from "../../draw/marks";
import { type Film, filmOf, LEAD, REST, type Shot, stand } from "../../picture/scene/film";
import type { ProgramModel } from "../model/program";
import { playTime } from "../model/rounds";
import { chosenOf, type ProgramPicture, programScene } from "./card";

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

/** Pipeline schedules without a page. */
import type { Look, Picture, SavedState } from "../picture/picture";
import { decodeSchedules, ScheduleModel } from "./model/schedule";
import { pipelineScene } from "./scene/card";
import { pipelineFilm } from "./scene/film";

interface State extends SavedState {
  follow?: number | null;
  moment?: number;
}

export default {
  kinds: ["schedule", "schedules"],
  draw(state, look) {
    const { models, picture, title } = read(state, look);
    return [pipelineScene(models, picture), title];
  },
  film(state, look, { speed }) {
    const { models, picture, title } = read(state, look);
    return [pipelineFilm(models, speed, picture), title];
  },
} satisfies Picture<State>;

function read({ _document, follow = null, moment = 0 }: State, look: Look) {
  const models = decodeSchedules(_document).schedules.map((doc) => new ScheduleModel(doc));
  return { models, picture: { ...look, follow, moment }, title: models.map((m) => m.doc.name).join(", ") };
}

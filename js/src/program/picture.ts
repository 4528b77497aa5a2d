/** Compiled programs without a page. */
import type { Look, Picture, SavedState } from "../picture/picture";
import { decodeMemory, MemoryModel } from "./memory/model/memory";
import { memoryScene } from "./memory/scene/card";
import { decodePrograms, ProgramModel, type Sort } from "./model/program";
import { type ProgramPicture, programScene } from "./scene/card";
import { programFilm } from "./scene/film";
import { openedScene, programsScene } from "./scene/sidebyside";

interface State extends SavedState {
  /** Index of a collective. */
  selection?: number | null;
  axis?: string | null;
  sort?: Sort;
  page?: string;
  /** Of programs side by side: the index of the open one. */
  opened?: number | null;
  /** The memory of each, by index. */
  _memories?: Readonly<Record<string, object>>;
}

export default {
  kinds: ["program", "programs"],
  draw(state, look) {
    const { models, model, draw } = programsIn(state);
    const memory = state.page === "memory" && model && state._memories?.[String(models.indexOf(model))];
    if (memory && "kind" in memory) {
      const axes = new Map(model.collectives.map((c) => [c.name, c.axes]));
      return [memoryScene(new MemoryModel(decodeMemory(memory), axes), look), model.doc.name];
    }
    return [model ? draw(model, pictureOf(state, look)) : programsScene(models, look.width), namesOf(models)];
  },
  film(state, look, { speed }) {
    const { models, model, draw } = programsIn(state);
    if (!model || state.page === "memory") return null;
    const film = programFilm(model, speed, pictureOf(state, look), (picture) => draw(model, picture));
    return film && [film, namesOf(models)];
  },
} satisfies Picture<State>;

/** The programs of a state, the one that is open, and how that one is drawn. */
function programsIn(state: State) {
  const { programs, sideBySide } = decodePrograms(state._document);
  const models = programs.map((p) => new ProgramModel(p));
  const model = models[sideBySide ? (state.opened ?? -1) : 0];
  const draw = (of: ProgramModel, picture: ProgramPicture) =>
    sideBySide ? openedScene(models, of, picture) : programScene(of, picture);
  return { models, model, draw };
}

function pictureOf({ selection = null, axis = null, sort = "time" }: State, look: Look): ProgramPicture {
  return { ...look, selection, axis, sort };
}

function namesOf(models: readonly ProgramModel[]): string {
  return models.map(({ doc }) => doc.name).join(", ");
}

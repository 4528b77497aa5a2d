/** Compiled programs without a page. */
import { decodeLinks, OrderModel, planeOf } from "../links/model/public";
import { linksScene } from "../links/scene/public";
import type { Look, Picture, SavedState } from "../picture/picture";
import { decodeMemory, MemoryModel } from "./memory/model/memory";
import { memoryScene } from "./memory/scene/card";
import type { Sort } from "./model/groups";
import { decodePrograms, ProgramModel } from "./model/program";
import { decodeOverlap, OverlapModel } from "./overlap/model/overlap";
import { overlapScene } from "./overlap/scene/card";
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
  /** What other pages show, by page and index of the program: `memory 0`. */
  _pages?: Readonly<Record<string, object>>;
}

export default {
  kinds: ["program", "programs"],
  draw(state, look) {
    const { models, model, draw } = programsIn(state);
    const page = model && state._pages?.[`${state.page} ${models.indexOf(model)}`];
    if (page && "kind" in page) {
      if (state.page === "links") {
        const doc = decodeLinks(page);
        const orders = doc.orders.map((order) => new OrderModel(order));
        const shown = { models: orders, at: 0, plane: planeOf(orders[0]), focus: -1 };
        return [linksScene(doc, shown, look.width, look.scheme), model.doc.name];
      }
      const axes = new Map(model.collectives.map((c) => [c.name, c.axes]));
      const scene =
        state.page === "memory"
          ? memoryScene(new MemoryModel(decodeMemory(page), axes), look)
          : overlapScene(new OverlapModel(decodeOverlap(page)), look);
      return [scene, model.doc.name];
    }
    return [model ? draw(model, pictureOf(state, look)) : programsScene(models, look.width), namesOf(models)];
  },
  film(state, look, { speed }) {
    const { models, model, draw } = programsIn(state);
    if (!model || (state.page ?? "collectives") !== "collectives") return null;
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

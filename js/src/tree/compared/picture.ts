/** Trees side by side without a page. */
import type { Picture, SavedState } from "../../picture/picture";
import { COMPARED_SORTS, ComparedModel, decodeModelComparison, listCompared } from "./model/compared";
import { treesScene } from "./scene/card";

interface State extends SavedState {
  sort?: string;
  search?: string;
  /** Whether only leaves that differ are listed. */
  differs?: boolean;
}

export default {
  kinds: ["model comparison"],
  draw(state, { width }) {
    const model = new ComparedModel(decodeModelComparison(state._document));
    const sort = COMPARED_SORTS.find((name) => name === state.sort) ?? "tree";
    const lines = listCompared(model, sort, state.search ?? "", state.differs === true);
    return [treesScene(model, lines, width), model.doc.trees.map((tree) => tree.name).join(", ")];
  },
} satisfies Picture<State>;

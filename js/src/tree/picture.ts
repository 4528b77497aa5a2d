/** A tree of arrays without a page. */
import type { Picture, SavedState } from "../picture/picture";
import { SORTS } from "./model/rows";
import { decodeModel, TreeModel } from "./model/tree";
import { modelScene } from "./scene/card";

interface State extends SavedState {
  sort?: string;
  search?: string;
}

export default {
  kinds: ["model"],
  draw(state, { width }) {
    const tree = new TreeModel(decodeModel(state._document));
    const sort = SORTS.find((name) => name === state.sort) ?? "tree";
    return [modelScene(tree, { width, sort, search: state.search ?? "" }), tree.doc.name];
  },
} satisfies Picture<State>;

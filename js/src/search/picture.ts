/** A search without a page. */
import type { Picture, SavedState } from "../picture/picture";
import { answerOf, decodeSearch, SearchModel } from "./model/search";
import { searchScene } from "./scene/card";

interface State extends SavedState {
  candidate?: number;
}

export default {
  kinds: ["search"],
  draw({ _document, candidate = -1 }, look) {
    const model = new SearchModel(decodeSearch(_document));
    return [searchScene(model, { ...look, candidate }), answerOf(model).join(" ")];
  },
} satisfies Picture<State>;

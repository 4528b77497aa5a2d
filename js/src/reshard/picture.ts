/** A reshard plan without a page. */
import type { Picture, SavedState } from "../picture/picture";
import { decodeReshard, PlanModel } from "./model/reshard";
import { titleOf } from "./model/words";
import { reshardScene } from "./scene/card";

interface State extends SavedState {
  chunk?: number;
  threshold?: number;
}

export default {
  kinds: ["reshard"],
  draw({ _document, chunk = 0, threshold }, look) {
    const model = new PlanModel(decodeReshard(_document), threshold || null);
    return [reshardScene(model, { ...look, chunk }), titleOf(model)];
  },
} satisfies Picture<State>;

/** A comparison without a page. */
import type { Picture, SavedState } from "../picture/picture";
import { type Choices, ComparisonModel, decodeComparison } from "./model/comparison";
import { comparisonScene } from "./scene/card";

interface State extends SavedState {
  choices?: Choices;
}

export default {
  kinds: ["comparison"],
  draw({ _document, choices = {} }, look) {
    const model = new ComparisonModel(decodeComparison(_document), choices);
    return [comparisonScene(model, look), model.doc.name];
  },
} satisfies Picture<State>;

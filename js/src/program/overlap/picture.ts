/** The overlap of a program without a page. */
import type { Picture, SavedState } from "../../picture/picture";
import { decodeOverlap, OverlapModel } from "./model/overlap";
import { overlapScene } from "./scene/card";

export default {
  kinds: ["overlap"],
  draw({ _document }, look) {
    const model = new OverlapModel(decodeOverlap(_document));
    return [overlapScene(model, look), model.doc.name];
  },
} satisfies Picture<SavedState>;

/** Exercises without a page. */
import type { Picture, SavedState } from "../picture/picture";
import { decodeExercises } from "./model/exercise";
import { exerciseScene } from "./scene/card";

interface State extends SavedState {
  /** The exercise on screen; null for all of them. */
  current?: number | null;
}

export default {
  kinds: ["exercises"],
  draw({ _document, current = null }, look) {
    const sheet = decodeExercises(_document);
    return [exerciseScene(sheet, { ...look, current }), sheet.name || (sheet.questions[0]?.name ?? "")];
  },
} satisfies Picture<State>;

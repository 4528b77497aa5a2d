/** Keys of the whole sheet: those of the editor of a spec, where one is asked for. */
import { historyKeys } from "../playground/public";
import type { ExerciseState } from "./state";

export function exerciseKeys(state: ExerciseState, frame: HTMLElement): () => void {
  return historyKeys(() => {
    const question = state.question();
    return question && state.editor(question);
  }, frame);
}

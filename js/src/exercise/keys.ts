/** Keys of the whole sheet: those of what the exercise on screen is answered with. */
import type { KeyWords } from "../card/Foot";
import { keysOf as editorKeys, historyKeys } from "../playground/public";
import type { ExerciseState } from "./state";

const MOVED: KeyWords = [
  ["← →", "choose a task"],
  ["Space", "pick up, put down"],
];

/** Keys as the foot shows them. */
export function keysOf(state: ExerciseState): KeyWords {
  const question = state.question();
  const editor = question && state.editor(question);
  if (editor) return editorKeys(editor).slice(0, 3);
  const forms = (question?.fields ?? []).map(({ form }) => form);
  const typed = forms.some((form) => form === "text" || form === "spec" || form === "grid");
  return forms.some((form) => form === "order" || form === "timeline") ? MOVED : typed ? [["Enter", "check"]] : [];
}

export function exerciseKeys(state: ExerciseState, frame: HTMLElement): () => void {
  return historyKeys(() => {
    const question = state.question();
    return question && state.editor(question);
  }, frame);
}

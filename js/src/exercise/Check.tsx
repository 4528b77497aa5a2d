/** The button that has an answer checked. */
import type { Question } from "../core/document.gen";
import type { ExerciseState } from "./state";

export function Check({ state, question }: { state: ExerciseState; question: Question }) {
  // Functions are assigned in a cell.
  if (question.fields.every((f) => f.form === "code")) return null;
  return (
    <button type="button" class="primary check" disabled={!state.mayCheck()} onClick={() => state.check()}>
      {state.now.waiting && !state.saved ? "Checking" : "Check"}
    </button>
  );
}

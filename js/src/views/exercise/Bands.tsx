/** What stands across the card: JAX's own words, the line of code to copy, where progress is kept. */
import type { Exercises, Question } from "../../model/document.gen";
import { answerCode } from "../../model/exercise";
import type { MeshModel } from "../../model/mesh";
import { axisTokens } from "../../model/text";
import { Tokens } from "../Tokens";
import type { ExerciseState } from "./state";

/** The error that the answer is met with, as JAX words it. */
export function Trouble({ sheet, question }: { sheet: Exercises; question: Question }) {
  const { feedback } = question;
  if (!feedback?.error) return null;
  return (
    <div class="band error">
      <span class="sign" aria-hidden="true">
        !
      </span>
      <div>
        <p>
          <b class="mono">{feedback.error}</b> raised by JAX {sheet.jax_version}
        </p>
        <pre>{feedback.said}</pre>
      </div>
    </div>
  );
}

export function CodeLine({ state, question, mesh }: { state: ExerciseState; question: Question; mesh: MeshModel }) {
  const code = answerCode(question, state.draft(), (state.now.sheet?.questions.length ?? 1) > 1);
  return (
    <div class="band code">
      <code>
        <Tokens tokens={axisTokens(code, mesh)} />
      </code>
      <span role="status" class="soft">
        {state.now.copied}
      </span>
      <button type="button" onClick={() => state.copy(code)}>
        Copy
      </button>
    </div>
  );
}

/** Where progress is kept, and the record to take along. */
export function Record({ state, sheet }: { state: ExerciseState; sheet: Exercises }) {
  if (!sheet.record && sheet.notes.length === 0) return null;
  const passed = sheet.questions.filter((q) => q.passed).length;
  return (
    <footer>
      <span>
        <b>{sheet.name}</b>
        {sheet.student && ` · ${sheet.student}`} · {passed} of {sheet.questions.length} passed
      </span>
      <span class="kept">{sheet.kept}</span>
      {sheet.record && (
        <button
          type="button"
          title="A line for a cell: it keeps your progress in the notebook itself"
          onClick={() => state.copy(`progress = r'''${sheet.record.trim()}'''`)}
        >
          Copy record
        </button>
      )}
      {sheet.notes.map((note) => (
        <p class="note" key={note}>
          {note}
        </p>
      ))}
    </footer>
  );
}

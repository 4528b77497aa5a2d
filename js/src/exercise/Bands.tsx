/** What stands across the card: JAX's own words, the line of code to copy, where progress is kept. */

import { Raised } from "../card/Raised";
import { Tokens } from "../card/Tokens";
import type { Exercises, Question } from "../core/document.gen";
import type { MeshModel } from "../core/mesh";
import { axisTokens } from "../core/text";
import { answerCode, isComplete, longestOf } from "./model/exercise";
import type { ExerciseState } from "./state";

/** JAX's error for the spec in the editor, or else for the last answer. */
export function Trouble({ state, sheet, question }: { state: ExerciseState; sheet: Exercises; question: Question }) {
  const { feedback, playground } = question;
  const by = `raised by JAX ${sheet.jax_version}`;
  const refusal = state.editor(question)?.refusal();
  if (refusal) return <Raised error={refusal.error} by={by} said={refusal.said} />;
  if (!feedback?.error || (playground && !state.judged(question))) return null;
  return <Raised error={feedback.error} by={by} said={feedback.said} />;
}

export function CodeLine({ state, question, mesh }: { state: ExerciseState; question: Question; mesh: MeshModel }) {
  const code = answerCode(question, state.draft(question));
  const refused = state.editor(question)?.refusal() ?? null;
  return (
    <div class={`band code acts ${refused ? "off" : ""}`}>
      <code data-longest={answerCode(question, longestOf(question))}>
        <span>
          <Tokens tokens={axisTokens(code, mesh)} />
        </span>
      </code>
      <span role="status" class="soft">
        {state.now.copied || (refused && "picture shows the last valid spec")}
      </span>
      <button type="button" disabled={!isComplete(question, state.draft(question))} onClick={() => state.copy(code)}>
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
    <div class="band record acts">
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
    </div>
  );
}

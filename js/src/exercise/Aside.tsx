/** The progress, the buttons, the result of the last try beside the place to work, the hints. */

import type { Exercises, Question } from "../core/document.gen";
import type { MeshModel } from "../core/mesh";
import { Trouble } from "./Bands";
import { Check } from "./Check";
import { Prose } from "./Prose";
import { Result } from "./Result";
import type { ExerciseState } from "./state";
import { arranged } from "./Work";

interface Props {
  state: ExerciseState;
  sheet: Exercises;
  question: Question;
  mesh: MeshModel;
  /** Index of the question. */
  number: number;
  /** Whether the place to work is below: then the result stands there, under the fields, which stay where they are. */
  narrow: boolean;
  /** Width of the place to work. */
  work: number;
}

export const ASIDE = 276;

export function Aside({ state, sheet, question, mesh, number, narrow, work }: Props) {
  const last = number === sheet.questions.length - 1;
  return (
    <aside aria-label={`progress of ${state.name()}`}>
      {sheet.questions.length > 1 && <Dots state={state} sheet={sheet} number={number} />}
      {/* Above all that comes, so that they stay where they are, in view. */}
      <p class="buttons">
        {!narrow && <Check state={state} question={question} />}
        <button type="button" disabled={state.saved || question.hints_left === 0} onClick={() => state.hint()}>
          {question.hints_left === 0 ? "No more hints" : question.hints.length > 0 ? "Another hint" : "Hint"}
        </button>
        <button type="button" onClick={() => state.clear()}>
          Reset
        </button>
        {sheet.questions.length > 1 && (
          <button
            type="button"
            class={question.passed ? "primary" : ""}
            disabled={last}
            onClick={() => state.go(number + 1)}
          >
            Next
          </button>
        )}
      </p>
      {!narrow && (
        <>
          <Result
            state={state}
            question={question}
            mesh={mesh}
            width={ASIDE - 33}
            gives={arranged(question, mesh, work, narrow).said}
          />
          <Trouble state={state} sheet={sheet} question={question} />
        </>
      )}
      <ol class="hints">
        {question.hints.map((hint) => (
          <li key={hint}>
            <Prose text={hint} mesh={mesh} />
          </li>
        ))}
      </ol>
    </aside>
  );
}

/** One dot per exercise: filled where it is passed, a ring around the one on screen. */
function Dots({ state, sheet, number }: Pick<Props, "state" | "sheet" | "number">) {
  const total = sheet.questions.length;
  return (
    <nav class="dots" aria-label={`all ${state.name()}`}>
      <ol>
        {sheet.questions.map((q, i) => (
          <li key={q.name}>
            <button
              type="button"
              class={`dot ${q.passed ? "passed" : q.attempts > 0 ? "tried" : ""}`}
              aria-label={`exercise ${i + 1} of ${total}, ${q.passed ? "passed" : q.attempts > 0 ? "not yet" : "not answered"}`}
              aria-current={i === number ? "step" : undefined}
              title={q.name}
              onClick={() => state.go(i)}
            />
          </li>
        ))}
      </ol>
      <span class="soft">
        exercise {number + 1} of {total} · <span class="mono">{sheet.questions[number]?.name}</span>
      </span>
    </nav>
  );
}

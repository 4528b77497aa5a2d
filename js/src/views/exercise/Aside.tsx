/** The question, the progress, the result of the last try, the hints. */
import type { Exercises, Feedback, Question } from "../../model/document.gen";
import type { MeshModel } from "../../model/mesh";
import { axisTokens, count } from "../../model/text";
import { Tokens } from "../card/Tokens";
import { Prose } from "./Prose";
import type { ExerciseState } from "./state";

interface Props {
  state: ExerciseState;
  question: Question;
  mesh: MeshModel;
}

const HEADS: Readonly<Record<Feedback["verdict"], string>> = {
  right: "Right.",
  partly: "Partly right.",
  wrong: "Not yet.",
  malformed: "Not counted.",
};

export function Aside({ state, sheet, question, mesh }: Props & { sheet: Exercises }) {
  const last = state.now.current === sheet.questions.length - 1;
  return (
    <aside aria-label={`question of ${state.name()}`}>
      {sheet.questions.length > 1 && <Dots state={state} sheet={sheet} />}
      <p class="prompt">
        <Prose text={question.prompt} mesh={mesh} />
      </p>
      {question.goal && (
        <p class="goal mono">
          <Tokens tokens={axisTokens(question.goal, mesh)} />
        </p>
      )}
      <LastTry state={state} question={question} mesh={mesh} />
      <div aria-live="polite">
        <Said question={question} mesh={mesh} />
      </div>
      <ol class="hints">
        {question.hints.map((hint) => (
          <li key={hint}>
            <Prose text={hint} mesh={mesh} />
          </li>
        ))}
      </ol>
      <p class="buttons">
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
            onClick={() => state.go(state.now.current + 1)}
          >
            Next
          </button>
        )}
      </p>
      {question.attempts > 0 && (
        <p class="soft tally">
          {count(question.attempts, "attempt")}
          {question.passed ? ", passed" : ""}
        </p>
      )}
    </aside>
  );
}

/** One dot per exercise: filled where it is passed, a ring around the one on screen. */
function Dots({ state, sheet }: { state: ExerciseState; sheet: Exercises }) {
  const { current } = state.now;
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
              aria-current={i === current ? "step" : undefined}
              title={q.name}
              onClick={() => state.go(i)}
            />
          </li>
        ))}
      </ol>
      <span class="soft">
        exercise {current + 1} of {total} · <span class="mono">{sheet.questions[current]?.name}</span>
      </span>
    </nav>
  );
}

/** The last answer and what it gave, and what is filled in now if that differs. */
function LastTry({ state, question, mesh }: Props) {
  const { feedback, answer } = question;
  if (!feedback || answer.length === 0) return null;
  const code = question.fields.some((f) => f.form === "code");
  const text = answer.map((g) => (code ? (g.text.split("\n").find((l) => !l.startsWith("@")) ?? "") : g.text));
  const shown = text.map((t) => t.replaceAll("\n", "; ")).join(" · ");
  return (
    <dl class="tries">
      <dt>last try</dt>
      <dd class="mono">
        <Tokens tokens={axisTokens(shown, mesh)} />
      </dd>
      <dd class={`mono ${feedback.verdict}`}>{feedback.gives !== shown && feedback.gives}</dd>
      {!state.judged() && !question.passed && feedback.verdict !== "malformed" && !code && (
        <>
          <dt>now</dt>
          <dd class="soft">a new answer: check it to count it</dd>
        </>
      )}
    </dl>
  );
}

function Said({ question, mesh }: { question: Question; mesh: MeshModel }) {
  const { feedback } = question;
  if (!feedback) return null;
  return (
    <div class={`said ${feedback.verdict}`}>
      <p>
        <b>{HEADS[feedback.verdict]}</b> <Prose text={feedback.message} mesh={mesh} />{" "}
        <Prose text={feedback.question} mesh={mesh} />
      </p>
    </div>
  );
}

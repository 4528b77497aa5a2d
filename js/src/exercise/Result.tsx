/** What came of the last answer: the verdict in words, and what it gave. */

import { Tokens } from "../card/Tokens";
import type { Figure, Question } from "../core/document.gen";
import type { MeshModel } from "../core/mesh";
import { axisTokens } from "../core/text";
import { Figures } from "./Figures";
import { VERDICTS } from "./model/exercise";
import { Prose } from "./Prose";
import type { ExerciseState } from "./state";

interface Props {
  state: ExerciseState;
  question: Question;
  mesh: MeshModel;
}

interface Pictured extends Props {
  width: number;
  /** What the last answer gives, where that is drawn with the verdict. */
  gives: Figure | null;
}

export function Result({ width, gives, ...props }: Pictured) {
  const { theme, paper } = props.state.now;
  return (
    <>
      {/* The verdict is what is read first. */}
      <div aria-live="polite">
        <Said {...props} />
      </div>
      <LastTry {...props} />
      {gives && theme && (
        <Figures
          figures={[gives]}
          faded={!props.state.judged(props.question)}
          low
          {...{ theme, width, paper, mesh: props.mesh, narrow: true }}
        />
      )}
    </>
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
      {/* It has its room from the beginning. */}
      {!question.passed && feedback.verdict !== "malformed" && !code && (
        <div class={state.judged(question) ? "now unseen" : "now"}>
          <dt>now</dt>
          <dd class="soft">a new answer: check it to count it</dd>
        </div>
      )}
    </dl>
  );
}

function Said({ question, mesh }: Props) {
  const { feedback } = question;
  if (!feedback) return null;
  return (
    <div class={`said ${feedback.verdict}`}>
      <p>
        <b>{VERDICTS[feedback.verdict]}</b> <Prose text={feedback.message} mesh={mesh} />{" "}
        <Prose text={feedback.question} mesh={mesh} />
      </p>
    </div>
  );
}

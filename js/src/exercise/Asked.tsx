/** The head of an exercise: which it is, its mesh, how far its reader is; and the question itself. */
import { Head } from "../card/Head";
import { Tokens } from "../card/Tokens";
import type { Exercises, Question } from "../core/document.gen";
import type { MeshModel } from "../core/mesh";
import { axisTokens, type Badge } from "../core/text";
import { Prose } from "./Prose";
import type { ExerciseState } from "./state";

interface Props {
  state: ExerciseState;
  sheet: Exercises;
  question: Question;
  mesh: MeshModel;
  /** Index of the question. */
  number: number;
}

export function Asked({ state, sheet, question, mesh, number }: Props) {
  const of = sheet.questions.length;
  return (
    <Head
      name={of > 1 ? `${number + 1} of ${of}` : ""}
      title={question.name}
      axes={state.editor(question) ? [] : mesh.axes}
      badges={badgesOf(sheet, question)}
      go={() => state.nextOpen()}
      says={
        <div class="asked">
          <p class="prompt">
            <Prose text={question.prompt} mesh={mesh} />
          </p>
          {question.goal && (
            <p class="goal mono">
              <Tokens tokens={axisTokens(question.goal, mesh)} />
            </p>
          )}
        </div>
      }
    />
  );
}

function badgesOf(sheet: Exercises, { passed, attempts }: Question): Badge[] {
  const of = sheet.questions.length;
  const done = sheet.questions.filter((q) => q.passed).length;
  const all: Badge[] =
    of > 1
      ? [
          {
            strong: `${done} of ${of}`,
            text: "passed",
            tone: done > 0 ? "ok" : "plain",
            to: done < of ? "next" : undefined,
          },
        ]
      : [];
  // There from the beginning, so that the head keeps its height.
  const noun = attempts === 1 ? "attempt" : "attempts";
  return [...all, { strong: String(attempts), text: passed ? `${noun}, passed` : noun, tone: passed ? "ok" : "plain" }];
}

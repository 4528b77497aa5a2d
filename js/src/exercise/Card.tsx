/** The card of exercises: what is asked on top, the place to work below it, beside it what came of the last answer; the line of code. */
import { Foot } from "../card/Foot";
import type { Exercises, Question } from "../core/document.gen";
import { MeshModel } from "../core/mesh";
import type { Theme } from "../draw/paint/theme";
import { ASIDE, Aside } from "./Aside";
import { Asked } from "./Asked";
import { CodeLine, Record, Trouble } from "./Bands";
import { keysOf } from "./keys";
import type { ExerciseState } from "./state";
import { Work } from "./Work";

/** Below this width of the card, what came of an answer stands under the place to work. */
export const NARROW = 880;

export function ExerciseCard({ state }: { state: ExerciseState }) {
  const { theme, width, sheet, current, paper } = state.now;
  if (!theme || !sheet) return null;
  return (
    <div class={width < NARROW ? "" : "exercises"}>
      {sheet.questions.map(
        (question, number) =>
          // On paper all of them. The one on screen has the same key whichever it is, so that its buttons keep the focus.
          (paper || number === current) && (
            <One state={state} sheet={sheet} question={question} number={number} theme={theme} key={number - current} />
          ),
      )}
      <Record state={state} sheet={sheet} />
      <Foot keys={keysOf(state)} />
    </div>
  );
}

interface Props {
  state: ExerciseState;
  sheet: Exercises;
  question: Question;
  number: number;
  theme: Theme;
}

function One({ state, sheet, question, number, theme }: Props) {
  const { width } = state.now;
  const mesh = new MeshModel(question.mesh);
  const narrow = width < NARROW;
  const work = (narrow ? width : width - ASIDE) - 32;
  const shown = { state, question, mesh, narrow };
  // Where it stands, the keyboard comes to it: beside the place to work after what is filled in.
  const aside = <Aside {...shown} sheet={sheet} number={number} work={work} key="aside" />;
  return (
    <div class="one">
      <Asked state={state} sheet={sheet} question={question} mesh={mesh} number={number} />
      <div class={narrow ? "sheet narrow" : "sheet"}>
        {narrow && aside}
        <Work {...shown} sheet={sheet} theme={theme} width={work} key={question.name} />
        {!narrow && aside}
      </div>
      {narrow && !question.playground && <Trouble state={state} sheet={sheet} question={question} />}
      <CodeLine state={state} question={question} mesh={mesh} />
    </div>
  );
}

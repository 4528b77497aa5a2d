/** The card of exercises: what is asked at the right, the place to work at the left, the line of code below. */
import { MeshModel } from "../../model/mesh";
import { Aside } from "./Aside";
import { CodeLine, Record, Trouble } from "./Bands";
import type { ExerciseState } from "./state";
import { Work } from "./Work";

/** Below this width of the card, the question stands above the place to work. */
export const NARROW = 880;
const ASIDE = 276;

export function Sheet({ state }: { state: ExerciseState }) {
  const { theme, width, sheet } = state.now;
  const question = state.question();
  if (!theme || !sheet || !question) return null;
  const mesh = new MeshModel(question.mesh);
  const narrow = width < NARROW;
  return (
    <div class={narrow ? "" : "exercises"}>
      <div class={narrow ? "sheet narrow" : "sheet"}>
        <Aside state={state} sheet={sheet} question={question} mesh={mesh} />
        <Work
          state={state}
          question={question}
          mesh={mesh}
          theme={theme}
          width={(narrow ? width : width - ASIDE) - 32}
          narrow={narrow}
          key={question.name}
        />
      </div>
      <Trouble state={state} sheet={sheet} question={question} />
      <CodeLine state={state} question={question} mesh={mesh} />
      <Record state={state} sheet={sheet} />
    </div>
  );
}

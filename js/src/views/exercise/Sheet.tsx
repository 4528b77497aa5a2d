/** The card of exercises: what is asked at the right, the place to work at the left, the line of code below. */
import { MeshModel } from "../../model/mesh";
import { Card, Guard } from "../card/Card";
import { Failure } from "../card/Failure";
import { Aside } from "./Aside";
import { CodeLine, Record, Trouble } from "./Bands";
import type { ExerciseState } from "./state";
import { Work } from "./Work";

/** Below this width of the card, the question stands above the place to work. */
export const NARROW = 760;
const ASIDE = 316;

export function Sheet({ state }: { state: ExerciseState }) {
  const { broken, theme, width, sheet } = state.now;
  if (broken) {
    return (
      <Card theme={theme}>
        <Failure error={broken} />
      </Card>
    );
  }
  const question = state.question();
  if (!theme || width === 0 || !sheet || !question) return null;
  const mesh = new MeshModel(question.mesh);
  const narrow = width < NARROW;
  return (
    <Card theme={theme}>
      <Again generation={state.now.generation}>
        <div class={narrow ? "sheet narrow" : "sheet"}>
          <Aside state={state} sheet={sheet} question={question} mesh={mesh} />
          <Work
            state={state}
            question={question}
            mesh={mesh}
            theme={theme}
            width={(narrow ? width : width - ASIDE) - 32}
            key={question.name}
          />
        </div>
        <Trouble state={state} sheet={sheet} question={question} />
        <CodeLine state={state} question={question} mesh={mesh} />
        <Record state={state} sheet={sheet} />
      </Again>
    </Card>
  );
}

/** Tries again with every document; what has the focus keeps it. */
class Again extends Guard {
  declare props: Guard["props"] & { generation: number };

  override componentDidUpdate(before: { children: unknown; generation?: number }) {
    if (this.state.error && before.generation !== this.props.generation) this.setState({ error: null });
  }
}

/** Memory over the program: the chart, the user's lines and what is alive, on one x. */

import { Fold } from "../../card/Fold";
import { PAD } from "../../draw/marks";
import { Remedies } from "../Remedies";
import type { ProgramState } from "../state";
import { Alive } from "./Alive";
import { Chart } from "./Chart";
import { Legend } from "./Legend";
import { Lines } from "./Lines";
import { basisText, constantsText, dominates, failureText } from "./model/words";
import type { MemoryPage } from "./page";
import { WIDE } from "./scene/layout";

/** Height of what is alive, in a list that is not wide. */
const ROW = 55;

export function MemoryView({ state, page }: { state: ProgramState; page: MemoryPage }) {
  const trouble = page.trouble();
  const shown = page.shown();
  if (!shown) {
    return (
      <p class="note" role="status">
        {trouble ?? "The program does nothing: nothing is alive in it."}
      </p>
    );
  }
  const { model, layout, bounds, step } = shown;
  const failure = failureText(model, bounds.limit);
  const constants = constantsText(model);
  const narrow = layout.left < 100;
  return (
    <div
      class={`memory ${layout.width >= WIDE - 2 * PAD ? "roomy" : narrow ? "narrow" : ""}`}
      style={{
        "--left": `${layout.left}px`,
        "--span": `${layout.span}px`,
        "--alive": `${ROW * model.rows(model.peak).length}px`,
      }}
    >
      <div class="answers">
        {failure && <p class="trouble">{failure}</p>}
        <p class="dominates">{dominates(model, step)}</p>
        {constants && <p class="constants">{constants}</p>}
        <Remedies state={state} lowers="peak" />
      </div>
      <div class="over">
        <Legend state={state} shown={shown} />
        <Chart page={page} shown={shown} />
      </div>
      {model.lines.length > 0 &&
        (narrow ? (
          <Fold paper={state.now.paper} summary={<b>source lines</b>}>
            <Lines state={state} page={page} shown={shown} />
          </Fold>
        ) : (
          <Lines state={state} page={page} shown={shown} />
        ))}
      <Alive state={state} page={page} shown={shown} />
      <p class="soft small basis">
        {basisText(model)}
        {model.doc.loops.length > 0 && " One iteration of each loop is drawn: every iteration needs as much."}
      </p>
      {failure && <p class="soft small mono failure">{model.doc.failure.split("\n", 1)[0]}</p>}
    </div>
  );
}

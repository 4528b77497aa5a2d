/** What follows the picture on paper: the source and all steps. */

import { rowsOnPaper } from "../model/rows";
import { SourcePanel } from "../SourcePanel";
import { Rows } from "../Steps";
import type { StepperState } from "../state";

export function Paper({ state }: { state: StepperState }) {
  const { trace, moment } = state.now;
  if (!trace) return null;
  return (
    <div class="paper">
      <SourcePanel state={state} trace={trace} />
      <section class="steps">
        <Rows state={state} trace={trace} current={moment.step} {...rowsOnPaper(trace)} />
      </section>
    </div>
  );
}

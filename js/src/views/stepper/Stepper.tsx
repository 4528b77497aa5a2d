/** The card of a trace: source and steps at the left, the mesh in the middle, the transport and the bill below. */
import { caption } from "../../model/caption";
import { worked } from "../../model/worked";
import { Card, Guard } from "../card/Card";
import { Failure } from "../card/Failure";
import { Bill } from "./Bill";
import { Headline } from "./Headline";
import { Help } from "./Help";
import type { StepperLayer } from "./layer";
import { Picture } from "./Picture";
import { SourcePanel } from "./SourcePanel";
import { Steps } from "./Steps";
import type { StepperState } from "./state";
import { NARROW } from "./state";
import { Transport } from "./Transport";

export function Stepper({ state, layer }: { state: StepperState; layer: StepperLayer }) {
  const { broken, theme, width, trace, generation, listed } = state.now;
  if (broken) {
    return (
      <Card theme={theme}>
        <Failure error={broken} />
      </Card>
    );
  }
  if (!theme || width === 0 || !trace) return null;
  const narrow = width < NARROW;
  const step = state.step();
  const side = (
    <aside>
      <SourcePanel state={state} trace={trace} />
      <Steps
        state={state}
        trace={trace}
        current={state.now.moment.step}
        open={state.opened()}
        search={state.now.search}
        fold={state.now.fold}
        sends={state.now.sends}
      />
    </aside>
  );
  return (
    <Card theme={theme}>
      <Guard key={generation}>
        {narrow && (
          <button type="button" class="strip" aria-expanded={listed} onClick={() => state.set({ listed: !listed })}>
            {listed ? "▾" : "▸"} source and steps
          </button>
        )}
        <div class={narrow ? "stepper narrow" : "stepper"}>
          {(!narrow || listed) && side}
          <div class="stage">
            <Headline state={state} trace={trace} />
            <Picture state={state} layer={layer} />
            <div class="caption">
              <p class="worked">{step && worked(trace, step, state.now.device)}</p>
              <p class="soft">{caption(trace, state.now.moment, state.now.algorithm)}</p>
            </div>
          </div>
        </div>
        <Transport state={state} trace={trace} />
        <Help state={state} />
        <Bill state={state} trace={trace} />
      </Guard>
    </Card>
  );
}

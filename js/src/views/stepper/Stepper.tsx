/** The card of a trace: source and steps at the left, the mesh in the middle, the transport and the bill below. */
import { caption } from "../../model/caption";
import { worked } from "../../model/worked";
import { Bill } from "./Bill";
import { Headline } from "./Headline";
import { Help } from "./Help";
import { Picture } from "./Picture";
import { SourcePanel } from "./SourcePanel";
import { Steps } from "./Steps";
import type { StepperState } from "./state";
import { NARROW } from "./state";
import { Transport } from "./Transport";

export function Stepper({ state }: { state: StepperState }) {
  const { width, trace, listed } = state.now;
  if (!trace) return null;
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
    <>
      {narrow && (
        <button type="button" class="strip" aria-expanded={listed} onClick={() => state.set({ listed: !listed })}>
          {listed ? "▾" : "▸"} source and steps
        </button>
      )}
      <div class={narrow ? "stepper narrow" : "stepper"}>
        {(!narrow || listed) && side}
        <div class="stage">
          <Headline state={state} trace={trace} />
          <Picture state={state} />
          <div class="caption">
            <p class="worked">{step && worked(trace, step, state.now.device)}</p>
            <p class="soft">{caption(trace, state.now.moment, state.now.algorithm)}</p>
          </div>
        </div>
      </div>
      <Transport state={state} trace={trace} />
      <Help state={state} />
      <Bill state={state} trace={trace} />
    </>
  );
}

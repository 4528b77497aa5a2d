/** The card of a trace: what happens, the transport, source and steps beside the mesh, what it costs. */

import { StepperFoot } from "./Foot";
import { StepperHead } from "./Head";
import { Headline } from "./Headline";
import { Loaded } from "./Loaded";
import { Menus } from "./Menus";
import { SourcePanel } from "./SourcePanel";
import { Stage } from "./Stage";
import { Steps } from "./Steps";
import { billHeight, isStacked, listHeight, NARROW, SMALL, saysLines, TINY } from "./sizes";
import type { StepperState } from "./state";
import { Transport } from "./Transport";

export function StepperCard({ state }: { state: StepperState }) {
  const { width, trace, listed } = state.now;
  if (!trace) return null;
  const narrow = width < NARROW;
  const source = <SourcePanel state={state} trace={trace} />;
  const { moment, search, fold, paper } = state.now;
  const sent = billHeight(trace);
  const bill = sent > 0 && (
    <div class="bill">
      <Loaded draw={state.now.parts?.bill} />
    </div>
  );
  const steps = (
    <Steps
      state={state}
      trace={trace}
      current={moment.step}
      open={state.opened()}
      search={search}
      fold={fold}
      sends={state.now.sends}
      width={width}
      parts={state.now.parts}
    />
  );
  return (
    <div
      class={`stepper ${narrow ? "narrow" : ""} ${isStacked(trace, width) ? "stacked" : ""} ${width < SMALL ? "small" : ""} ${width < TINY ? "tiny" : ""}`}
      style={{
        "--lines": saysLines(trace, width),
        "--list": `${listHeight(trace)}px`,
        "--bill": `${sent}px`,
      }}
    >
      <StepperHead state={state} trace={trace} />
      {trace.doc.changed && (
        <div class="changed">
          <Loaded draw={state.now.parts?.changed} />
        </div>
      )}
      <Headline state={state} trace={trace} />
      <Transport state={state} trace={trace} />
      {narrow && !(paper && trace.doc.listings.length > 0) && <Menus state={state} trace={trace} />}
      <div class="body">
        {!narrow && (
          <aside aria-label={state.name()}>
            {source}
            {steps}
            {bill}
          </aside>
        )}
        <Stage state={state} trace={trace} />
        {narrow && listed && <div class="menu">{listed === "source" ? source : steps}</div>}
      </div>
      {narrow && bill}
      <StepperFoot state={state} trace={trace} />
      {paper && <Loaded draw={state.now.parts?.paper} />}
    </div>
  );
}

/** The card of a trace: what happens, the transport, source and steps beside the mesh, what it costs. */

import { Head } from "../card/Head";
import type { Fix } from "../core/document.gen";
import { count } from "../core/text";
import { Bill } from "./Bill";
import { Headline } from "./Headline";
import { Loaded } from "./Loaded";
import { Menus } from "./Menus";
import { SourcePanel } from "./SourcePanel";
import { Stage } from "./Stage";
import { Steps } from "./Steps";
import { isStacked, NARROW, SMALL, TINY } from "./sizes";
import type { StepperState } from "./state";
import { Tabs } from "./Tabs";
import { Transport } from "./Transport";

/** The change that the program is shown with. */
function Changed({ state, fix }: { state: StepperState; fix: Fix }) {
  return (
    <p class="changed" title={fix.code}>
      <span>
        {fix.line > 0 && <b>line {fix.line} changed: </b>}
        {fix.title}
      </span>
      {state.usable() && (
        <button type="button" disabled={state.now.asked !== null} onClick={() => state.useFix(-1)}>
          undo
        </button>
      )}
    </p>
  );
}

export function StepperCard({ state }: { state: StepperState }) {
  const { width, trace, listed } = state.now;
  if (!trace) return null;
  const narrow = width < NARROW;
  const source = <SourcePanel state={state} trace={trace} />;
  const { moment, search, fold, paper } = state.now;
  // What is started and received is one.
  const sends = trace.steps.filter((s) => trace.communicates(s) && trace.end(s) !== "done");
  const [strong = "", text = ""] = count(sends.length, "collective").split(" ");
  const steps = (
    <Steps
      state={state}
      trace={trace}
      current={moment.step}
      open={state.opened()}
      search={search}
      fold={fold}
      sends={state.now.sends}
      parts={trace.transfers.length > 0 ? state.now.parts : null}
    />
  );
  return (
    <div
      class={`stepper ${narrow ? "narrow" : ""} ${isStacked(trace, width) ? "stacked" : ""} ${width < SMALL ? "small" : ""} ${width < TINY ? "tiny" : ""}`}
    >
      <Head
        title={
          paper
            ? `${trace.doc.name} step ${trace.number(moment.step)} of ${trace.number(trace.steps.length - 1)}`
            : trace.doc.name
        }
        axes={trace.mesh.axes}
        badges={[{ strong, text, tone: "plain" }]}
      >
        <Tabs state={state} trace={trace} />
      </Head>
      {trace.doc.changed && <Changed state={state} fix={trace.doc.changed} />}
      <Headline state={state} trace={trace} />
      <Transport state={state} trace={trace} />
      {narrow && !(paper && trace.doc.listings.length > 0) && <Menus state={state} trace={trace} />}
      <div class="body">
        {!narrow && (
          <aside aria-label={state.name()}>
            {source}
            {steps}
          </aside>
        )}
        <Stage state={state} trace={trace} />
        {narrow && listed && <div class="menu">{listed === "source" ? source : steps}</div>}
        {state.now.help && <Loaded draw={state.now.parts?.help} />}
      </div>
      <Bill state={state} trace={trace} />
      {paper && <Loaded draw={state.now.parts?.paper} />}
    </div>
  );
}

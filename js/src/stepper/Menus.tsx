/** The current line, and menus with the source and the steps, where there is no column for these. */

import { axisKind } from "./kind";
import type { TraceModel } from "./model/trace";
import type { StepperState } from "./state";

export function Menus({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const step = state.step();
  const source = step?.source;
  const kind = axisKind(trace, step);
  const { listed, moment } = state.now;
  const menu = (name: "source" | "steps", text: string) => (
    <button
      type="button"
      aria-expanded={listed === name}
      onClick={() => state.set({ listed: listed === name ? null : name })}
    >
      {text} {listed === name ? "▴" : "▾"}
    </button>
  );
  return (
    <div class={`strip acts ${kind}`}>
      <code class="mono cut" title={source?.text}>
        {source && <span class="number">{source.line}</span>}
        {source?.text ?? ""}
      </code>
      {trace.doc.listings.length > 0 && menu("source", "source")}
      {menu("steps", `step ${trace.number(moment.step)} of ${trace.number(trace.steps.length - 1)}`)}
    </div>
  );
}

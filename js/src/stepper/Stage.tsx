/** The picture with what belongs to it: what was printed, why the program stops. */

import { Canvas } from "./Canvas";
import { Loaded } from "./Loaded";
import type { TraceModel } from "./model/trace";
import { NOTE, PRINTED } from "./sizes";
import type { StepperState } from "./state";

export function Stage({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const step = state.step();
  const layout = state.layout();
  const space = state.space();
  if (!layout) return null;
  const prints = trace.steps.some((s) => s.printed !== "");
  const failed = step?.primitive === "error" && trace.doc.error !== null;
  return (
    <div class="stage">
      {trace.doc.note && (
        <p class="note cut soft" style={{ height: `${NOTE}px` }} title={trace.doc.note}>
          {trace.doc.note}
        </p>
      )}
      {/* The same height as always: what does not fit scrolls inside. */}
      <div class={failed ? "view failed" : "view"} style={failed ? { height: `${layout.height + 12}px` } : {}}>
        {failed && <Loaded draw={state.now.parts?.trouble} key="trouble" />}
        {space && !failed ? <Loaded draw={space.space} key="space-time" /> : <Canvas state={state} />}
      </div>
      {prints && (
        <pre class="printed" style={{ height: `${PRINTED - 8}px` }} title="printed">
          {step?.printed}
        </pre>
      )}
    </div>
  );
}

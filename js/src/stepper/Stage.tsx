/** The picture with what belongs to it: what is watched, what was printed, why the program stops. */

import { Brought } from "./Brought";
import { Canvas } from "./Canvas";
import { blockTip } from "./model/blocktip";
import type { TraceModel } from "./model/trace";
import { NOTE, PRINTED, WATCHED } from "./sizes";
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
        <p class="note soft" style={{ height: `${NOTE}px` }} title={trace.doc.note}>
          {trace.doc.note}
        </p>
      )}
      <Watched state={state} trace={trace} />
      {/* The same height as always: what does not fit scrolls inside. */}
      <div class={failed ? "view failed" : "view"} style={failed ? { height: `${layout.height + 12}px` } : {}}>
        {failed && <Brought draw={state.now.parts?.trouble} key="trouble" />}
        {space && !failed ? <Brought draw={space.space} key="space-time" /> : <Canvas state={state} />}
      </div>
      {prints && (
        <pre class="printed" style={{ height: `${PRINTED - 8}px` }} title="printed by this step">
          {step?.printed}
        </pre>
      )}
    </div>
  );
}

/** Names that are watched, with what the device that is looked at holds of them now. */
function Watched({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const { watch, moment } = state.now;
  const view = state.view();
  if (watch.length === 0) return null;
  const device = state.now.device ?? view?.receiver ?? 0;
  return (
    <p class="watched soft" style={{ height: `${WATCHED}px` }}>
      watching on device {trace.mesh.ids[device]}{" "}
      {watch.map((name) => {
        const v = trace.latest([name], moment.step).flatMap((id) => trace.variable(id) ?? [])[0];
        const values = v ? blockTip(trace, v, device, null).values : "not there yet";
        return (
          <button
            type="button"
            class="mono"
            title={`stop watching ${name}; ${values}`}
            onClick={() => state.toggleWatch(name)}
            key={name}
          >
            {name} × <span class="soft">{values}</span>
          </button>
        );
      })}
    </p>
  );
}

/** What is watched. */

import { blockTip } from "../model/blocktip";
import type { StepperState } from "../state";

/** Names that are watched, with what the device that is looked at holds of them now. */
export function Watched({ state }: { state: StepperState }) {
  const { trace, watch, moment } = state.now;
  const view = state.view();
  if (!trace) return null;
  const device = state.now.device ?? view?.receiver ?? 0;
  return (
    <p class="watched soft">
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

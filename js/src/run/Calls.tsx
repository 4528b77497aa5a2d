/** All calls, one per line, on one scale: what the time of each went into. */

import { duration, percent } from "../core/format";
import type { Chart, RunState } from "./state";

export function Calls({ state, chart }: { state: RunState; chart: Chart }) {
  const { model } = chart;
  const longest = Math.max(1, ...model.doc.seconds.map((_, call) => model.ticks(call)));
  const width = (ticks: number) => `${(100 * ticks) / longest}%`;
  return (
    <ul class="calls" aria-label="all calls" style={{ height: `${chart.layout.height}px` }}>
      {state.spent().map(({ compute, moving, waiting }, call) => {
        const ticks = model.ticks(call);
        const share = (part: number) => percent(ticks > 0 ? part / ticks : 0);
        const words = `${share(compute)} compute, ${share(moving)} in collectives, ${share(waiting)} waiting`;
        return (
          <li key={String(call)}>
            <button
              type="button"
              class={call === chart.call ? "plainly here" : "plainly"}
              aria-label={`call ${call + 1}, ${duration(model.doc.seconds[call] ?? 0)}: ${words}`}
              title={words}
              onClick={() => {
                state.overview(false);
                state.show(call);
              }}
            >
              <b class="mono">{call + 1}</b>
              <span class="bar" aria-hidden="true">
                <i class="compute" style={{ width: width(compute) }} />
                <i class="collective" style={{ width: width(moving) }} />
                <i class="wait" style={{ width: width(waiting) }} />
                <i class="nothing" style={{ width: width(Math.max(0, ticks - compute - moving - waiting)) }} />
              </span>
              <span class="mono">
                {duration(model.doc.seconds[call] ?? 0)}
                {call === model.typical && model.calls > 2 && <span class="soft"> median</span>}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

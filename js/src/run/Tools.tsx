/** Which call is drawn, and how much of it. */
import { duration } from "../core/format";
import type { Chart, RunState } from "./state";

export function RunTools({ state, chart }: { state: RunState; chart: Chart }) {
  const { model, call } = chart;
  const seconds = model.doc.seconds[call] ?? 0;
  return (
    <div class="tools">
      <span class="group">
        <button type="button" disabled={call === 0} aria-label="previous call" onClick={() => state.show(call - 1)}>
          ◂
        </button>
        <span>
          call <b class="mono">{call + 1}</b> of {model.calls} · {duration(seconds)}
          {call === model.typical && model.calls > 2 && ", the median"}
        </span>
        <button
          type="button"
          disabled={call === model.calls - 1}
          aria-label="next call"
          onClick={() => state.show(call + 1)}
        >
          ▸
        </button>
      </span>
      {model.calls > 1 && !state.now.decoded?.sideBySide && (
        <button type="button" aria-pressed={state.now.all} onClick={() => state.overview(!state.now.all)}>
          all calls
        </button>
      )}
      <span class="group end">
        <button type="button" aria-label="zoom in" onClick={() => state.zoom(0.5)}>
          +
        </button>
        <button type="button" aria-label="zoom out" disabled={!state.now.span} onClick={() => state.zoom(2)}>
          −
        </button>
      </span>
    </div>
  );
}

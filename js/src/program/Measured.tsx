/** What was measured, and the button that measures. */
import type { Timing } from "../core/document.gen";
import { duration } from "../core/format";
import type { ProgramState } from "./state";

interface Props {
  state: ProgramState;
  timing: Timing | null;
  /** What the button says. */
  what: string;
}

export function Measured({ state, timing, what }: Props) {
  const { waiting, trouble } = state.now;
  const beside = state.estimated();
  if (state.saved && !timing) return null;
  return (
    <>
      {!state.saved && (
        <button
          type="button"
          disabled={waiting}
          title={beside ? "profiles calls, and sets what each line really took beside the estimate" : undefined}
          onClick={() => state.measure()}
        >
          {waiting ? "measuring …" : beside ? "Measure it beside" : what}
        </button>
      )}
      <span role="status">
        {timing && (
          <>
            measured: <b class="mono">{duration(timing.seconds)}</b> a call, {duration(timing.low)} to{" "}
            {duration(timing.high)}, median of {timing.runs}
          </>
        )}
        {trouble && <span class="trouble">{trouble}</span>}
      </span>
    </>
  );
}

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
  if (state.saved && !timing) return null;
  return (
    <>
      {!state.saved && (
        <button type="button" disabled={waiting} onClick={() => state.measure()}>
          {waiting ? "measuring …" : what}
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

/** Which of both pictures is shown: a step in full, or all steps against all devices. */
import type { TraceModel } from "./model/trace";
import type { StepperState } from "./state";

export function Tabs({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const { page } = state.now;
  if (!trace.steps.some((s) => trace.communicates(s))) return null;
  return (
    <fieldset class="segments tabs">
      <legend>picture</legend>
      {(["tiles", "space-time"] as const).map((name) => (
        <button type="button" aria-pressed={page === name} onClick={() => state.open({ page: name })} key={name}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}

/** Which of both pictures is shown: a step in full, or all steps against all devices. */
import { Segments } from "../card/Tools";
import type { TraceModel } from "./model/trace";
import type { StepperState } from "./state";

export function Tabs({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const { page } = state.now;
  if (!trace.steps.some((s) => trace.communicates(s))) return null;
  return (
    <Segments
      legend="picture"
      of={[
        ["tiles", "tiles"],
        ["space-time", "space-time"],
      ]}
      value={page}
      choose={(name) => state.open({ page: name })}
    />
  );
}

/** The foot of the card: what signs and hatches mean, keys. */
import { Foot } from "../card/Foot";
import { FIRST_KEYS } from "./keys";
import { Loaded } from "./Loaded";
import { reduces, type TraceModel } from "./model/trace";
import type { StepperState } from "./state";

export function StepperFoot({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const adds = trace.steps.some((step) => reduces(trace.sends(step)));
  return (
    <Foot keys={FIRST_KEYS}>
      {adds && (
        <>
          <span class="key">
            <i class="part" aria-hidden="true" /> a part of a sum
          </span>
          <Sign of="+">will be added</Sign>
        </>
      )}
      {trace.mesh.size > 1 && <Sign of="=">equal</Sign>}
      <Loaded draw={state.now.parts?.keys} />
    </Foot>
  );
}

function Sign({ of, children }: { of: string; children: string }) {
  return (
    <span class="key">
      <i class="pip" aria-hidden="true">
        {of}
      </i>{" "}
      {children}
    </span>
  );
}

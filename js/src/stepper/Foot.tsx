/** The foot of the card: what signs and hatches mean, keys. */
import { KeyedFoot } from "../card/KeyedFoot";
import { FIRST_KEYS } from "./keys";
import { reduces, type TraceModel } from "./model/trace";
import type { StepperState } from "./state";

export function StepperFoot({ state, trace }: { state: StepperState; trace: TraceModel }) {
  const adds = trace.steps.some((step) => reduces(trace.sends(step)));
  return (
    <KeyedFoot keys={state.now.parts?.keys ?? FIRST_KEYS}>
      {adds && (
        <>
          <span class="key">
            <i class="part" aria-hidden="true" /> a part of a sum
          </span>
          <Sign of="+">will be added</Sign>
        </>
      )}
      {trace.mesh.size > 1 && <Sign of="=">equal</Sign>}
    </KeyedFoot>
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

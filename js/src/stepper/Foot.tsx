/** The foot of the card: what signs and hatches mean, keys. */
import type { KeyWords } from "../card/Foot";
import { KeyedFoot } from "../card/KeyedFoot";
import { reduces, type TraceModel } from "./model/trace";

const KEYS: KeyWords = [
  ["Space", "play"],
  [", .", "step"],
  ["n", "next collective"],
  ["Home End", "first, last step"],
  ["[ ]", "collective before, after"],
  ["i", "the equations of the step"],
  ["o u", "over, out of a function or loop"],
  ["a", "next algorithm"],
  ["s", "start and end of a transfer"],
  ["/", "search steps"],
  ["g", "go to the devices"],
  ["arrows", "device; in space-time its block"],
  ["Enter", "on a device: its next block"],
  ["Esc", "deselect"],
];

export function StepperFoot({ trace }: { trace: TraceModel }) {
  const adds = trace.steps.some((step) => reduces(trace.sends(step)));
  return (
    <KeyedFoot keys={KEYS}>
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

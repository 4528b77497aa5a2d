/** The card of a placement: head, picture, notes, foot. */

import { Canvas } from "./Canvas";
import { ArrayFoot } from "./Foot";
import { ArrayHead, Notes } from "./Head";
import type { ArrayState } from "./state";

export function ArrayCard({ state }: { state: ArrayState }) {
  return (
    <>
      <ArrayHead state={state} />
      <Canvas state={state} />
      <Notes state={state} />
      <ArrayFoot state={state} />
      <div class="hidden" aria-live="polite">
        {state.now.announced}
      </div>
    </>
  );
}

/** The card of a placement: head, picture, notes, foot. */

import { Canvas } from "./Canvas";
import { Foot } from "./Foot";
import { Head, Notes } from "./Head";
import type { ArrayState } from "./state";

export function ArrayCard({ state }: { state: ArrayState }) {
  return (
    <>
      <Head state={state} />
      <Canvas state={state} />
      <Notes state={state} />
      <Foot state={state} />
      <div class="hidden" aria-live="polite">
        {state.now.announced}
      </div>
    </>
  );
}

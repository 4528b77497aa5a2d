/** The card of a placement: head, picture, notes, foot. */
import { Foot } from "./Foot";
import { Head, Notes } from "./Head";
import { Picture } from "./Picture";
import type { ArrayState } from "./state";

export function ArrayView({ state }: { state: ArrayState }) {
  return (
    <>
      <Head state={state} />
      <Picture state={state} />
      <Notes state={state} />
      <Foot state={state} />
      <div class="hidden" aria-live="polite">
        {state.now.announced}
      </div>
    </>
  );
}

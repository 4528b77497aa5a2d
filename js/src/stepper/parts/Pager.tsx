/** The way through groups of which one is drawn in full, where its title ends. */

import type { StepperState } from "../state";
import { turnGroup } from "./keys";

export function Pager({ state }: { state: StepperState }) {
  const x = state.view()?.stage.pager ?? null;
  if (x === null) return null;
  return (
    <span class="pager" style={{ left: `${x}px` }}>
      {([-1, 1] as const).map((by) => (
        <button
          type="button"
          aria-label={by < 0 ? "group before" : "next group"}
          onClick={(event) => {
            // A press on the picture lets go of the device.
            event.stopPropagation();
            turnGroup(state, by);
          }}
          key={by}
        >
          {by < 0 ? "◂" : "▸"}
        </button>
      ))}
    </span>
  );
}

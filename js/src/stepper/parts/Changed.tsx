/** The change that the program is shown with. */
import type { StepperState } from "../state";

export function Changed({ state }: { state: StepperState }) {
  const fix = state.now.trace?.doc.changed;
  if (!fix) return null;
  return (
    <p title={fix.code}>
      <span class="cut">
        {fix.line > 0 && <b>line {fix.line} changed: </b>}
        {fix.title}
      </span>
      {state.usable() && (
        <button type="button" disabled={state.now.asked !== null} onClick={() => state.useFix(-1)}>
          undo
        </button>
      )}
    </p>
  );
}

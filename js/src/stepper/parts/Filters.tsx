/** What leaves steps out of the list: a search, what counts as a step, what is not looked for. */

import { Select } from "../../card/Tools";
import { LEVELS } from "../model/levels";
import type { StepperState } from "../state";

export function Filters({ state }: { state: StepperState }) {
  const { trace, search, fold } = state.now;
  if (!trace) return null;
  return (
    <div class="tools">
      <input
        type="search"
        placeholder="search"
        aria-label="search steps"
        value={search}
        onInput={(event) => state.set({ search: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === "Escape") state.set({ search: "" });
          event.stopPropagation();
        }}
      />
      <Levels state={state} />
      {trace.steps.some((s) => s.shape_only) && !trace.steps.every((s) => s.shape_only) && (
        <label title="Leave out steps that only move or reshape elements">
          <input type="checkbox" checked={fold} onChange={() => state.set({ fold: !fold })} /> fold shapes
        </label>
      )}
    </div>
  );
}

/** What counts as a step; nothing where all levels have the same steps. */
function Levels({ state }: { state: StepperState }) {
  const levels = state.leveling.all();
  if (levels.length < 2) return null;
  const shown = levels.find((level) => LEVELS.indexOf(level) >= LEVELS.indexOf(state.now.level));
  return (
    <label title="What counts as a step (i: its equations)">
      <span class="hidden">What counts as a step</span>
      <Select
        of={levels.map((level) => [level, `${level}s`])}
        value={shown}
        choose={(level) => state.setLevel(level)}
      />
    </label>
  );
}

/** Search in the table. */
import type { ProgramModel } from "./model/program";
import type { ProgramState } from "./state";

export function Tools({ state, model, count }: { state: ProgramState; model: ProgramModel; count: number }) {
  const all = model.collectives.length;
  return (
    <div class="tools">
      <input
        type="search"
        placeholder={`search ${all} collectives`}
        aria-label="search collectives"
        aria-keyshortcuts="/"
        value={state.now.search}
        onInput={(event) => state.list({ search: event.currentTarget.value })}
      />
      <span class="soft" role="status">
        {count < all ? `${count} of ${all}` : ""}
      </span>
    </div>
  );
}

/** Search in the table. */
import { Search } from "../card/Tools";
import type { ProgramModel } from "./model/program";
import type { ProgramState } from "./state";

export function Tools({ state, model, count }: { state: ProgramState; model: ProgramModel; count: number }) {
  const all = model.collectives.length;
  return (
    <div class="tools">
      <Search
        hint={`search ${all} collectives`}
        label="search collectives"
        value={state.now.search}
        search={(text) => state.list({ search: text })}
      />
      <span class="soft" role="status">
        {count < all ? `${count} of ${all}` : ""}
      </span>
    </div>
  );
}

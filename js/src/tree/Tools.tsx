/** Filter, order, and what is to be looked at. */
import { Search, Segments } from "../card/Tools";
import { count } from "../core/text";
import { SORTS, type Sort } from "./model/rows";
import type { ModelState, Shown } from "./state";

const NAMES: Readonly<Record<Sort, string>> = {
  tree: "tree order",
  bytes: "bytes on a device",
  copies: "spent on copies",
};

export function Tools({ state, shown }: { state: ModelState; shown: Shown }) {
  const { sort, search, flagged, axis, flat } = state.now;
  const flags = shown.tree.doc.flags.length;
  const listed = shown.rows.reduce((sum, row) => sum + (row.leaf === null ? 0 : row.times), 0);
  const filtered = search !== "" || flagged || axis !== null;
  return (
    <div class="tools">
      <Search
        hint="path, type, axis or copies>1"
        label="filter arrays"
        value={search}
        search={(text) => state.list({ search: text })}
      />
      <label>
        <span class="words">sort: </span>
        <select
          aria-keyshortcuts="s"
          value={sort}
          onChange={(event) => state.list({ sort: event.currentTarget.value as Sort })}
        >
          {SORTS.map((name) => (
            <option value={name} key={name}>
              {NAMES[name]}
            </option>
          ))}
        </select>
      </label>
      <Segments
        legend="listed as"
        of={[
          ["tree", "tree"],
          ["flat", "flat list"],
        ]}
        value={flat ? "flat" : "tree"}
        choose={(form) => state.list({ flat: form === "flat" })}
      />
      {flags > 0 && (
        <button
          type="button"
          class="flags"
          title={`${flags} to look at`}
          aria-pressed={flagged}
          onClick={() => state.list({ flagged: !flagged })}
        >
          <b>{flags}</b> <span class="words">to look at</span>
        </button>
      )}
      <span class={filtered ? "soft end" : "soft end hint"} role="status">
        {filtered
          ? `${count(listed, "array")} of ${shown.tree.typeOf.length}`
          : shown.tree.folds.size > 0
            ? "equal layers are one line"
            : ""}
      </span>
    </div>
  );
}

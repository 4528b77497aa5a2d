/** Filter and order. */
import { Search, Segments, Select } from "../card/Tools";
import { bytes } from "../core/format";
import { count } from "../core/text";
import { SORTS, type Sort } from "./model/rows";
import { unitOf } from "./model/words";
import type { ModelState, Shown } from "./state";

const NAMES: Readonly<Record<Sort, string>> = {
  tree: "tree order",
  bytes: "most bytes",
  copies: "most copied",
};

/** Flags that are too small to be listed are mentioned where they could save so many bytes together. */
const SMALL = 2 ** 20;

export function Tools({ state, shown }: { state: ModelState; shown: Shown }) {
  const { sort, search, axis, flat } = state.now;
  const listed = shown.rows.reduce((sum, row) => sum + (row.leaf === null ? 0 : row.times), 0);
  const filtered = search !== "" || axis !== null;
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
        <Select
          aria-keyshortcuts="s"
          of={SORTS.map((name) => [name, NAMES[name]])}
          value={sort}
          choose={(chosen) => state.list({ sort: chosen })}
        />
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
      {shown.tree.doc.small_cost >= SMALL && (
        <span class="soft words" title="each under 1 % of the fullest device">
          {count(shown.tree.doc.small_flags, "smaller flag")}: {bytes(shown.tree.doc.small_cost)}
        </span>
      )}
      <span class="soft cut" role="status">
        {filtered ? `${count(listed, "array")} of ${shown.tree.typeOf.length}` : ""}
      </span>
      <span class="soft end words">all numbers in {unitOf(shown.figures.here)}</span>
    </div>
  );
}

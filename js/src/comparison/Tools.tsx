/** Search, filters, and opening and closing everything. */
import { Search, Segments } from "../card/Tools";
import type { ComparisonModel } from "./model/comparison";
import type { Filter } from "./model/lines";
import type { ComparisonState } from "./state";

export function Tools({ state, model }: { state: ComparisonState; model: ComparisonModel }) {
  const { search, filter, open } = state.now;
  const { errors, differs, replications } = model.tally();
  const communicating = model.rows.filter((r) => r.collectives.length > 0).length;
  const filters: readonly (readonly [Filter, string, number])[] = [
    ["all", "all", model.rows.length],
    ["errors", "errors", errors],
    ["differs", "differs", differs],
    ["collectives", "communicate", communicating],
    ["replications", "replication", replications],
  ];
  const folds = model.doc.scopes.length;
  return (
    <div class="tools">
      <Search
        hint={`search ${model.rows.length} rows`}
        label="search rows"
        value={search}
        search={(text) => state.list({ search: text })}
      />
      <Segments
        legend="rows"
        of={filters.map(([name, text, n]) => [name, `${text} ${n}`, { disabled: n === 0 && filter !== name }])}
        value={filter}
        choose={(name) => state.list({ filter: name })}
      />
      {folds > 0 && (
        <button type="button" onClick={() => state.openAll(open.size < folds)}>
          {open.size < folds ? "open all" : "fold all"}
        </button>
      )}
    </div>
  );
}

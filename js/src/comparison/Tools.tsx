/** Search, filters, and opening and closing everything. */
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
    ["collectives", "collectives", communicating],
    ["replications", "replication", replications],
  ];
  const folds = model.doc.scopes.length;
  return (
    <div class="tools">
      <input
        type="search"
        placeholder={`search ${model.rows.length} rows`}
        aria-label="search rows"
        aria-keyshortcuts="/"
        value={search}
        onInput={(event) => state.list({ search: event.currentTarget.value })}
      />
      <fieldset class="segments">
        <legend>rows</legend>
        {filters.map(([name, text, count]) => (
          <button
            type="button"
            aria-pressed={filter === name}
            disabled={count === 0 && filter !== name}
            onClick={() => state.list({ filter: name })}
            key={name}
          >
            {text} {count}
          </button>
        ))}
      </fieldset>
      {folds > 0 && (
        <button type="button" onClick={() => state.openAll(open.size < folds)}>
          {open.size < folds ? "open all" : "fold all"}
        </button>
      )}
    </div>
  );
}

/** The card of a session's arrays: what devices hold, one line per name, what the last cell changed. */

import { KeyedFoot } from "../card/KeyedFoot";
import { Search, Segments } from "../card/Tools";
import { count } from "../core/text";
import { InspectorHead } from "./Head";
import { KEYS } from "./keys";
import { Line } from "./Line";
import { announcement, type Filter } from "./model/words";
import { type InspectorState, type Shown, WIDE } from "./state";

export function InspectorCard({ state }: { state: InspectorState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { model } = shown;
  return (
    <div class={`inspector ${state.now.width >= WIDE ? "wide" : ""} ${shown.beside ? "beside" : ""}`}>
      <InspectorHead state={state} shown={shown} />
      <Tools state={state} shown={shown} />
      <div class="lines">
        <List state={state} shown={shown} />
      </div>
      <p class="hidden" aria-live="polite">
        {announcement(model)}
      </p>
      <KeyedFoot keys={KEYS} idle={model.doc.holders.some(({ flags }) => flags > 0) ? [] : ["n"]}>
        {shown.mesh && model.doc.spent > 0 && (
          <span class="key">
            <i class="more" aria-hidden="true" /> copies
          </span>
        )}
        {shown.mesh && model.freed.some((n) => n > 0) && (
          <span class="key">
            <i class="freed" aria-hidden="true" /> freed by the last cell
          </span>
        )}
      </KeyedFoot>
    </div>
  );
}

function Tools({ state, shown }: { state: InspectorState; shown: Shown }) {
  const { filter, search } = state.now;
  const { holders } = shown.model.doc;
  const counts: Readonly<Record<Filter, number>> = {
    all: holders.length,
    changed: holders.filter((h) => h.change !== "").length,
    flagged: holders.filter((h) => h.flags > 0).length,
  };
  return (
    <div class="tools">
      <Search
        hint="name, type or axis"
        label="filter names"
        value={search}
        search={(text) => state.list({ search: text })}
      />
      <Segments
        legend="which names are listed"
        of={[
          ["all", `all ${counts.all}`],
          ["changed", `changed ${counts.changed}`, { disabled: counts.changed === 0 && filter !== "changed" }],
          [
            "flagged",
            `${counts.flagged} to look at`,
            { class: "flagged", disabled: counts.flagged === 0 && filter !== "flagged" },
          ],
        ]}
        value={filter}
        choose={(name) => state.list({ filter: name })}
      />
      {!state.now.following && state.live && (
        <button type="button" onClick={() => state.refresh()}>
          Refresh
        </button>
      )}
    </div>
  );
}

function List({ state, shown }: { state: InspectorState; shown: Shown }) {
  const { model, rows } = shown;
  const left = model.doc.names - model.doc.holders.filter((h) => h.name !== "" && h.change !== "gone").length;
  return (
    <>
      {rows.length > 0 && (
        <div
          class="names"
          role="treegrid"
          tabIndex={0}
          aria-label="names and the arrays that they hold"
          aria-rowcount={rows.length}
          aria-activedescendant={`name-${state.line()}`}
        >
          {rows.map((holder, line) => (
            <Line state={state} model={model} holder={holder} line={line} key={holder.name} />
          ))}
        </div>
      )}
      {rows.length === 0 && (
        <p class="none">{model.doc.holders.length === 0 ? "No name holds an array yet." : "No name matches."}</p>
      )}
      {left > 0 && <p class="none">{count(left, "more name holds", "more names hold")} less.</p>}
    </>
  );
}

/** The pages of a program, the search in the one that is shown, and what its figures are held against. */
import { Interconnects } from "../card/Interconnects";
import { Search, Segments } from "../card/Tools";
import type { ProgramModel } from "./model/program";
import { FEW, type ProgramState, type Shown } from "./state";

export function Tools({ state, shown: { model, rows } }: { state: ProgramState; shown: Shown }) {
  const { page, search, interconnect } = state.now;
  const { interconnects, instructions } = model.doc;
  const here = page === "collectives";
  const searched = here && model.collectives.length > FEW;
  const chosen = here && interconnects.length > 0 && model.collectives.length > 0;
  if (instructions <= 1 && !searched && !chosen) return null;
  return (
    <div class="tools">
      {instructions > 1 && (
        <Segments
          legend="page"
          of={state.pages().map((name) => [name, name] as const)}
          value={page}
          choose={(name) => state.turnTo(name)}
        />
      )}
      {searched && (
        <>
          <Search
            hint="op, axis or line"
            label="search collectives"
            value={search}
            search={(text) => state.list({ search: text })}
          />
          <Found model={model} found={rows.reduce((n, group) => n + group.members.length, 0)} />
        </>
      )}
      {chosen && (
        <span class="end">
          <Interconnects
            label="as"
            names={interconnects}
            value={interconnect}
            choose={(one) => state.list({ interconnect: one })}
          />
        </span>
      )}
      {page === "memory" && <span class="end" ref={(host) => void (host && state.opened()?.tools?.(host))} />}
    </div>
  );
}

function Found({ model, found }: { model: ProgramModel; found: number }) {
  const all = model.collectives.length;
  return (
    <span class="soft" role="status">
      {found < all ? `${found} of ${all}` : ""}
    </span>
  );
}

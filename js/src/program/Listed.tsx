/** A program's collectives on paper, where nothing can be opened. */
import { Head } from "../card/Head";
import { groupsOf } from "./model/groups";
import type { ProgramModel } from "./model/program";
import type { ProgramState } from "./state";
import { Table } from "./Table";
import { Totals } from "./Totals";
import { Unread } from "./Unread";

export function Listed({ state, model }: { state: ProgramState; model: ProgramModel }) {
  const { sort, limit, width } = state.now;
  const { doc, mesh } = model;
  const { interconnect } = doc;
  const listed = { sort, axis: null, interconnect };
  return (
    <section class="listed" aria-label={`collectives of ${doc.name}`}>
      <Head title={doc.name} axes={mesh.axes} />
      {doc.note && <p class={model.doubtful ? "note warn" : "note"}>{doc.note}</p>}
      <Unread doc={doc} />
      {model.collectives.length > 0 && (
        <>
          <Table
            state={state}
            model={model}
            rows={groupsOf(model, { ...listed, search: "" })}
            index={null}
            selection={null}
            cursor={-1}
            limit={limit}
            width={width}
            {...listed}
          />
          <Totals model={model} interconnect={interconnect} bar />
        </>
      )}
    </section>
  );
}

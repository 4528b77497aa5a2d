/** The card of a compiled program, or of several side by side. A failure takes its place, never an empty cell. */
import { Head } from "./Head";
import { Measured } from "./Measured";
import { MemoryView } from "./memory/MemoryView";
import { Panel } from "./Panel";
import { SideBySide } from "./SideBySide";
import { Source } from "./Source";
import { type ProgramState, type Shown, STACKED } from "./state";
import { Table } from "./Table";
import { Timeline } from "./Timeline";
import { Tools } from "./Tools";
import { Totals } from "./Totals";
import { Unread } from "./Unread";
import { Words } from "./Words";

export function ProgramCard({ state }: { state: ProgramState }) {
  const { decoded } = state.now;
  if (!decoded?.sideBySide) return <One state={state} />;
  return (
    <SideBySide state={state} programs={decoded.programs}>
      <One state={state} />
    </SideBySide>
  );
}

/** One program: its head, its table beside the mesh, and what the compiler says of it. */
function One({ state }: { state: ProgramState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { model } = shown;
  const { width } = state.now;
  return (
    <div class={width < STACKED ? "program" : "program wide"}>
      <Head state={state} model={model} />
      {state.now.page === "memory" ? <MemoryView state={state} /> : <Collectives state={state} shown={shown} />}
    </div>
  );
}

function Collectives({ state, shown }: { state: ProgramState; shown: Shown }) {
  const { model, rows, c, view, index, lanes } = shown;
  const { width, selection, cursor, sort, axis, interconnect, limit } = state.now;
  const none = model.collectives.length === 0;
  return (
    <>
      {model.doc.note && <p class={model.doubtful ? "note warn" : "note"}>{model.doc.note}</p>}
      <Unread doc={model.doc} />
      {none ? (
        <Words model={model} c={null} interconnect={interconnect} state={state} />
      ) : (
        <>
          {lanes && <Timeline state={state} shown={shown} lanes={lanes} />}
          <div class={width < STACKED ? "stacked" : "beside"}>
            <div class="list">
              {model.collectives.length > FEW && (
                <Tools state={state} model={model} count={rows.reduce((n, g) => n + g.members.length, 0)} />
              )}
              <Table
                state={state}
                model={model}
                rows={rows}
                index={index}
                selection={selection}
                cursor={cursor}
                sort={sort}
                axis={axis}
                interconnect={interconnect}
                limit={limit}
                width={width}
              />
              <Totals state={state} model={model} bar={lanes === null} />
            </div>
            <div class="panels">
              <Panel state={state} model={model} view={view} />
              <Source state={state} model={model} c={c} rows={rows} />
              <Words model={model} c={c} interconnect={interconnect} state={state} />
            </div>
          </div>
        </>
      )}
      {!state.now.decoded?.sideBySide && <Measured state={state} timing={model.doc.timing} what="Time it" />}
    </>
  );
}

/** Fewer collectives need no search. */
const FEW = 10;

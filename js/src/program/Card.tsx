/** The card of a compiled program, or of several side by side. A failure takes its place, never an empty cell. */
import { Fold } from "../card/Fold";
import type { KeyWords } from "../card/Foot";
import { KeyedFoot } from "../card/KeyedFoot";
import { ProgramHead } from "./Head";
import { Measured } from "./Measured";
import { Panel, Xla } from "./Panel";
import { SideBySide } from "./SideBySide";
import { Source } from "./Source";
import { type Page, type ProgramState, type Shown, STACKED } from "./state";
import { Table } from "./Table";
import { Timeline } from "./Timeline";
import { Tools } from "./Tools";
import { Totals } from "./Totals";
import { Unread } from "./Unread";
import { Words } from "./Words";

export function ProgramCard({ state }: { state: ProgramState }) {
  const { decoded, width, held, paper } = state.now;
  const { sideBySide = false, programs = [] } = decoded ?? {};
  const [first] = programs;
  const communicates = (first?.collectives.length ?? 0) > 0;
  const fixed = !sideBySide && !paper && (communicates || (first?.instructions ?? 0) > 1);
  const kept = width === held.width ? { minHeight: `${held.height}px` } : undefined;
  const what = programs.length > 1 ? "Time them" : "Time it";
  return (
    <div
      class={sideBySide ? "" : fixed ? "alone tall" : "alone"}
      style={fixed ? { height: `${heightOf(width, communicates)}px` } : kept}
    >
      {sideBySide ? (
        <SideBySide state={state} programs={programs}>
          <One state={state} />
        </SideBySide>
      ) : (
        <One state={state} />
      )}
      <KeyedFoot keys={sideBySide ? [] : KEYS[state.now.page]} idle={state.idle()}>
        {programs.every((p) => p.interconnects.length > 0) && (
          <Measured state={state} timing={sideBySide ? null : (programs[0]?.timing ?? null)} what={what} />
        )}
      </KeyedFoot>
    </div>
  );
}

/** Height of a card: as high whichever page is turned to. Collectives have a mesh, which stands below them in a narrow card. */
function heightOf(width: number, communicates: boolean): number {
  return !communicates || width >= STACKED ? 638 : width < NARROWEST ? 1100 : 960;
}

/** One program: its head, its table beside the mesh, and what the compiler says of it. */
function One({ state }: { state: ProgramState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { model } = shown;
  const { width } = state.now;
  return (
    <div class={width < STACKED ? "program" : "program wide"}>
      <ProgramHead state={state} model={model} />
      <Tools state={state} shown={shown} />
      <Paged state={state} shown={shown} />
    </div>
  );
}

/** The page that is turned to. */
function Paged({ state, shown }: { state: ProgramState; shown: Shown }) {
  const { page } = state.now;
  if (page === "collectives") return <Collectives state={state} shown={shown} />;
  return <div class="turned" ref={(host) => void (host && state.opened()?.draw(host))} key={page} />;
}

function Collectives({ state, shown }: { state: ProgramState; shown: Shown }) {
  const { model, rows, c, view, index, lanes } = shown;
  const { width, selection, cursor, sort, axis, interconnect, limit } = state.now;
  const none = model.collectives.length === 0;
  const alone = !model.readable || model.mesh.size === 1;
  // That there are none is the answer in the head.
  const note = none && !model.doubtful ? "" : model.doc.note;
  const stacked = width < STACKED;
  // A short table leaves room under it for the words, and the mesh has its side to itself.
  const under = !stacked && model.collectives.length <= SHORT;
  const words = (
    <>
      <Source state={state} model={model} c={c} rows={rows} />
      <Words model={model} c={c} interconnect={interconnect} />
    </>
  );
  return (
    <>
      {note && <p class={model.doubtful ? "note warn" : "note"}>{note}</p>}
      <Unread doc={model.doc} />
      {none ? (
        <div class={stacked || alone ? "stacked" : "beside"}>
          <Words model={model} c={null} interconnect={interconnect} />
          {!alone && (
            <div class="panels">
              <Panel state={state} model={model} view={view} />
            </div>
          )}
        </div>
      ) : (
        <>
          {lanes && <Timeline state={state} shown={shown} lanes={lanes} />}
          <div class={stacked ? "stacked" : "beside"}>
            <div class="list">
              <Table
                state={state}
                model={model}
                rows={rows}
                index={index}
                why={index === null ? null : state.why(index)}
                selection={selection}
                cursor={cursor}
                sort={sort}
                axis={axis}
                interconnect={interconnect}
                limit={limit}
                width={width}
              />
              {model.sized && <Totals model={model} interconnect={interconnect} bar={lanes === null} />}
              {under && (
                <div class="under">
                  <Xla state={state} model={model} view={view} />
                  {words}
                </div>
              )}
            </div>
            <div class="panels">
              <Panel state={state} model={model} view={view}>
                {!under && !stacked && <Xla state={state} model={model} view={view} />}
              </Panel>
              {!under && !stacked && words}
              {stacked && (
                <Fold paper={state.now.paper} summary={<b>groups, source and arithmetic</b>}>
                  <div class="folded">
                    <Xla state={state} model={model} view={view} />
                  </div>
                  {words}
                </Fold>
              )}
            </div>
          </div>
        </>
      )}
    </>
  );
}

const KEYS: Readonly<Record<Page, KeyWords>> = {
  collectives: [
    ["n", "next to look at"],
    ["↑ ↓", "collective"],
    ["Space", "play"],
    [", .", "hop"],
    ["a", "algorithm"],
    ["/", "search"],
    ["g", "devices"],
    ["m", "memory"],
    ["o", "overlap"],
    ["Esc", "deselect"],
  ],
  memory: [
    ["p", "peak"],
    ["← →", "time"],
    ["↑ ↓", "buffer"],
    ["[ ]", "loop"],
    ["g", "list"],
    ["c", "collectives"],
    ["o", "overlap"],
  ],
  overlap: [
    ["↑ ↓", "line"],
    ["r", "roofline"],
    ["g", "list"],
    ["c", "collectives"],
    ["m", "memory"],
  ],
  links: [
    ["← →", "order"],
    ["a", "one row, or all"],
    ["[ ]", "plane"],
    ["c", "collectives"],
  ],
};

/** Below this width, words take more lines than they save. */
const NARROWEST = 560;
/** Lines of a table that leaves room under it. */
const SHORT = 5;

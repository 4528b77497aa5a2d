/** The card of measured runs: lanes of devices over time, what each collective took, and who is waited for. */

import { Fold } from "../card/Fold";
import { Head } from "../card/Head";
import { KeyedFoot } from "../card/KeyedFoot";
import { Says } from "../card/Says";
import { Tokens } from "../card/Tokens";
import { sentenceTokens } from "../core/text";
import { Calls } from "./Calls";
import { KEYS } from "./keys";
import { Lanes } from "./Lanes";
import { Legend } from "./Legend";
import { Mesh } from "./Mesh";
import type { RunModel } from "./model/run";
import { answerOf, badgesOf, barsText, notesOf, targetText } from "./model/words";
import type { RunState } from "./state";
import { NARROW, STACKED, WIDE } from "./state";
import { Table } from "./Table";
import { RunTools } from "./Tools";
import { Totals } from "./Totals";

/** How the table is to be read, and what the figures rest on. */
function Notes({ model }: { model: RunModel }) {
  return (
    <p class="small soft">
      {model.doc.note && <b>{model.doc.note} </b>}
      {[barsText(model), ...notesOf(model)].join(" ")}
    </p>
  );
}

export function RunCard({ state }: { state: RunState }) {
  const charts = state.charts();
  const chart = state.chart();
  if (!chart) return null;
  const { model } = chart;
  const { doc, mesh } = model;
  const { decoded, width } = state.now;
  const several = decoded?.sideBySide ?? false;
  const { paper } = state.now;
  // Beside the lanes of two runs there is no room for more.
  const stacked = several || width < STACKED;
  const wide = !several && width >= WIDE;
  const others = model.lanes.length > 1;
  return (
    <div class={`run ${width < NARROW ? "narrow" : wide ? "wide" : ""} ${several ? "several" : ""}`}>
      <Head
        title={several ? `${charts.length} runs on one time axis` : doc.name || "program"}
        axes={mesh.axes}
        badges={several ? [] : badgesOf(doc)}
        go={(to) => state.go(to)}
        at={state.now.all ? "calls" : ""}
        says={
          !several && (
            <Says also={targetText(doc)}>
              <Tokens tokens={sentenceTokens(answerOf(doc), mesh)} />
            </Says>
          )
        }
      />
      <RunTools state={state} chart={chart} />
      {doc.note && !wide && <p class="note">{doc.note}</p>}
      {several && <Totals state={state} charts={charts} />}
      <div class="charts">
        {state.now.all ? (
          <div class="lanes">
            <Calls state={state} chart={chart} />
          </div>
        ) : (
          charts.map((one, k) => (
            <Lanes state={state} chart={one} at={k} name={several ? one.model.doc.name : ""} key={k} />
          ))
        )}
      </div>
      <p class="sentence" title={state.sentence()} aria-live="polite">
        {state.sentence() || (
          <span class="hint soft">
            {state.now.all
              ? "Mean over devices, all calls on one scale. Choose one to see its devices."
              : `Point at a lane, or use the arrow keys on it, to see ${others ? "who waits for whom" : "what runs"}.`}
          </span>
        )}
      </p>
      <div class={stacked ? "stacked" : others ? "beside" : "beside alone"}>
        {!several && (
          <div class="list">
            <Table state={state} model={model} rows={state.rows()} />
            {wide && <Notes model={model} />}
          </div>
        )}
        {!stacked && others && <Mesh state={state} chart={chart} />}
        {!wide && (
          <div class="folds">
            {several && (
              <Fold paper={paper} summary={<b title={`those of ${doc.name}`}>collectives</b>}>
                <Table state={state} model={model} rows={state.rows()} />
              </Fold>
            )}
            {stacked && others && (
              <Fold paper={paper} summary={<b>who waits for whom</b>}>
                <Mesh state={state} chart={chart} />
              </Fold>
            )}
            <Fold paper={paper} summary="how this is measured">
              <Notes model={model} />
            </Fold>
          </div>
        )}
      </div>
      <KeyedFoot keys={KEYS} idle={state.idle()}>
        <Legend all={charts.some((one) => one.model.collectives.length > 0)} />
      </KeyedFoot>
    </div>
  );
}

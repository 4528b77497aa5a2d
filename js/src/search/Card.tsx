/** The card of a search: the answer first, candidates by memory and time, the one that is looked at, all in a table. */

import { Chip } from "../card/Chip";
import { Foot } from "../card/Foot";
import { Badges } from "../card/Head";
import { Segments } from "../card/Tools";
import type { Badge } from "../core/text";
import { copyCode, KEYS } from "./keys";
import { answerOf, basisOf, factsOf, notesOf, type SearchModel, sentenceOf, specsOf } from "./model/search";
import { candidateAt } from "./scene/chart";
import { rowAt } from "./scene/table";
import type { SearchState, Shown } from "./state";

export function SearchCard({ state }: { state: SearchState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { model, chart, table, selected } = shown;
  const [strong, rest] = answerOf(model);
  const row = model.rows[selected];
  const said = row ? sentenceOf(model, row) : "";
  const notes = notesOf(model);
  return (
    <div class="search">
      <header>
        <h2>
          {strong} <span class="soft">{rest}</span>
        </h2>
        <Badges of={badgesOf(model)} />
        <p>{factsOf(model)}</p>
      </header>
      <div class="sides">
        <div
          class="picture"
          style={{ width: `${chart.width}px`, height: `${chart.height}px` }}
          onPointerDown={(event) => state.select(candidateAt(chart, ...pointOf(event)))}
        >
          <div aria-hidden="true" ref={state.chart.attach} />
          <div aria-hidden="true" ref={state.ring.attach} />
        </div>
        <Details state={state} shown={shown} />
      </div>
      <div class="list">
        <div
          class="picture"
          role="listbox"
          tabIndex={0}
          aria-label={`${table.rows.length} candidates`}
          aria-activedescendant={said ? "at" : undefined}
          style={{ width: `${table.width}px`, height: `${table.height}px` }}
          onPointerDown={(event) => state.select(rowAt(table, pointOf(event)[1]))}
        >
          <div aria-hidden="true" ref={state.table.attach} />
          {said && (
            <div
              id="at"
              class="option"
              role="option"
              tabIndex={-1}
              aria-selected="true"
              aria-label={said}
              style={{ inset: "0" }}
            />
          )}
        </div>
      </div>
      <p class="reading" aria-live="polite">
        {said}
      </p>
      {notes.length > 0 && <p class="note">{notes.join(" ")}</p>}
      <Foot keys={KEYS}>
        <Segments
          legend="sorted by"
          of={[["time"], ["memory"]] as const}
          value={state.now.order}
          choose={(order) => state.set({ order })}
        />
        <label>
          <input
            type="checkbox"
            checked={state.now.fitting}
            onInput={(event) => state.set({ fitting: event.currentTarget.checked })}
          />
          only what may fit
        </label>
      </Foot>
    </div>
  );
}

/** The candidate that is looked at: its mesh, its specs, its code. */
function Details({ state, shown: { model, selected } }: { state: SearchState; shown: Shown }) {
  const row = model.rows[selected];
  if (!row) return null;
  const { candidate } = row;
  const specs = specsOf(model, row);
  return (
    <section class="details" aria-label={row.title}>
      <h3>
        {row.title} <span class="soft">{basisOf(row)}</span>
      </h3>
      <span class="chips">
        {candidate.axes.map((a) => (
          <Chip name={a.name} axis={model.axes.indexOf(a.name)} children={a.size} key={a.name} />
        ))}
      </span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <table tabIndex={0}>
        <thead>
          <tr>
            <th>arrays</th>
            {model.now && <th>now</th>}
            <th>here</th>
          </tr>
        </thead>
        <tbody class="mono">
          {specs.map((line) => (
            <tr key={`${line.spec} ${line.now}`}>
              <td title={line.paths}>{line.paths}</td>
              {model.now && <td>{line.now}</td>}
              <td>
                <b>{line.spec}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {candidate.failure && <p class="note">{candidate.failure}</p>}
      <div class="code">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
        <pre tabIndex={0}>{candidate.code.slice(Math.max(0, candidate.code.indexOf("mesh =")))}</pre>
        <button type="button" onClick={() => copyCode(state)}>
          copy
        </button>
        <span role="status">{state.now.said}</span>
      </div>
    </section>
  );
}

function badgesOf({ doc, rows }: SearchModel): Badge[] {
  const compiled = rows.filter((row) => row.compiled).length;
  return [
    { tone: "plain", strong: String(rows.length), text: "estimated" },
    ...(doc.wanted > 0
      ? [
          {
            tone: compiled < doc.wanted ? "warn" : "plain",
            strong: `${compiled} of ${doc.wanted}`,
            text: "compiled",
          } as const,
        ]
      : []),
  ];
}

function pointOf(event: PointerEvent): [number, number] {
  const bounds = (event.currentTarget as Element).getBoundingClientRect();
  return [event.clientX - bounds.left, event.clientY - bounds.top];
}

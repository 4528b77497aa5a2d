/** The card of a search: the answer first, candidates by memory and time, the one that is looked at, all in a table. */

import { Chip } from "../card/Chip";
import { copyText } from "../card/copy";
import { fixedModel } from "../card/fixed";
import { Head } from "../card/Head";
import { KeyedFoot } from "../card/KeyedFoot";
import { Legend } from "../card/Legend";
import { Listbox } from "../card/Listbox";
import { Opened } from "../card/Opened";
import { pointOf } from "../card/pointed";
import { Says } from "../card/Says";
import { Tip } from "../card/Tip";
import { Segments } from "../card/Tools";
import { bytes, duration } from "../core/format";
import { type Badge, count } from "../core/text";
import { AXIS_DASH } from "../draw/marks";
import { copyCode, KEYS } from "./keys";
import {
  answerOf,
  basisOf,
  codeOf,
  devicesOf,
  factsOf,
  notesOf,
  partsOf,
  type Row,
  type Running,
  type SearchModel,
  sentenceOf,
  sentOf,
  specsOf,
  squaresOf,
} from "./model/search";
import { candidateAt } from "./scene/chart";
import { axisAt, rowAt, topOf } from "./scene/table";
import { type SearchState, type Shown, type Tab, WALLS, type What } from "./state";

/** From this width on, in pixels, what is known of a candidate stands beside the chart: as in `search.css`. */
const BESIDE = 858;

export function SearchCard({ state }: { state: SearchState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { model, chart, table, selected } = shown;
  const [strong, rest] = answerOf(model);
  const row = model.rows[selected];
  const said = row ? sentenceOf(model, row) : "";
  const notes = notesOf(model);
  const tab = state.now.width < BESIDE ? state.now.tab : null;
  const at = topOf(table, selected);
  return (
    <div class="search">
      <Head
        title={model.doc.name}
        badges={badgesOf(model, state.now.running)}
        go={() => state.nextCompiled()}
        says={
          <Says also={factsOf(model)}>
            {strong} {rest}
          </Says>
        }
      >
        <span class="soft">{devicesOf(model.doc)}</span>
      </Head>
      <SearchTools state={state} model={model} />
      <div class="sides">
        <div
          class="picture"
          style={{ width: `${chart.width}px`, height: `${chart.height}px` }}
          onPointerDown={(event) => state.select(candidateAt(chart, ...pointOf(event)))}
          onPointerMove={(event) => state.set({ near: candidateAt(chart, ...pointOf(event)) })}
          onPointerLeave={() => state.set({ near: null })}
        >
          <div aria-hidden="true" ref={state.chart.attach} />
          <div aria-hidden="true" ref={state.ring.attach} />
          <Wall state={state} shown={shown} />
          <Near state={state} shown={shown} />
        </div>
        {tab && <Tabs state={state} tab={tab} specs={row ? specsOf(model, row).length : 0} />}
        {tab !== "candidates" && <Details state={state} shown={shown} tab={tab} />}
      </div>
      <div
        class="list"
        hidden={tab === "specs" || tab === "code"}
        // With the front only, the card is as high as with all.
        style={{ "--all": `${table.height + (model.rows.length - table.rows.length) * table.line}px` }}
        onScroll={(event) => state.scrolled(event.currentTarget.scrollTop)}
      >
        <Listbox
          class="picture"
          label={`${table.rows.length} candidates`}
          said={said}
          style={{ width: `${table.width}px`, height: `${table.height}px` }}
          onPointerDown={(event) => state.select(rowAt(table, pointOf(event)[1]))}
          onPointerMove={(event) => state.set({ axis: axisAt(table, ...pointOf(event)) })}
          onPointerLeave={() => state.set({ axis: null })}
        >
          <div class="window" aria-hidden="true" ref={state.table.attach} style={{ top: `${state.now.top}px` }} />
          <div
            class="window"
            aria-hidden="true"
            ref={state.row.attach}
            hidden={at === null}
            style={{ top: `${at}px` }}
          />
        </Listbox>
      </div>
      <p class="reading" aria-live="polite">
        {said}
      </p>
      {notes.length > 0 && <p class="note">{notes.join(" ")}</p>}
      <Offers state={state} model={model} />
      <OpenedPart state={state} />
      <KeyedFoot keys={KEYS} idle={state.saved ? ["Enter", "k", "Esc"] : []}>
        <Legend
          of={[
            ["dot", "estimated"],
            model.rows.some((row) => row.compiled) && ["dot known", "compiled"],
            model.rows.some((row) => row.compiling) && ["dot half", "compiling"],
          ]}
        />
      </KeyedFoot>
    </div>
  );
}

/** The order of the list, what is left out of it, and what ends a search that goes on. */
function SearchTools({ state, model }: { state: SearchState; model: SearchModel }) {
  return (
    <div class="tools">
      <Segments
        legend="sorted by"
        of={[["time"], ["memory"], ["front", "front only"]] as const}
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
      <Doing state={state} model={model} />
    </div>
  );
}

/** A narrow card shows one of these below the chart. */
function Tabs({ state, tab, specs }: { state: SearchState; tab: Tab; specs: number }) {
  return (
    <div class="tools">
      <Segments
        legend="shown below"
        of={[["candidates"], ["specs", count(specs, "spec")], ["code"]] as const}
        value={tab}
        choose={(tab) => state.set({ tab })}
      />
    </div>
  );
}

/** The candidate of the chart that is pointed at. */
function Near({ state, shown: { model, chart, selected } }: { state: SearchState; shown: Shown }) {
  const { near } = state.now;
  const row = near === null || near === selected ? null : model.rows[near];
  const at = near === null ? null : chart.points[near];
  if (!row || !at) return null;
  return (
    <Tip at={{ x: at.x - 5, y: at.y - 5, w: 10, h: 10 }} keep={[]}>
      <b>{row.now ? `now: ${row.title}` : row.title}</b>
      {partsOf(model, row).map((part) => (
        <div key={part}>{part}</div>
      ))}
    </Tip>
  );
}

/** What is moved of the wall: what if a chip had less memory. */
function Wall({ state, shown: { model, chart } }: { state: SearchState; shown: Shown }) {
  const most = model.doc.chip?.bytes;
  if (chart.wall === null || !most || model.limit === null) return null;
  const { limit } = model;
  const move = (event: PointerEvent) => {
    const picture = (event.currentTarget as HTMLElement).parentElement as HTMLElement;
    state.wall(chart.sizeAt(event.clientX - picture.getBoundingClientRect().left));
  };
  return (
    <div
      class="wall"
      role="slider"
      tabIndex={0}
      aria-label="memory of a chip, if it had less"
      title="drag: what if a chip had less memory"
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={limit}
      aria-valuetext={bytes(limit)}
      style={{ left: `${chart.wall - 12}px`, height: `${chart.height}px` }}
      onPointerDown={(event) => {
        event.stopPropagation();
        (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => event.buttons > 0 && move(event)}
      onDblClick={() => state.wall(most)}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        state.wall(limit + (by * most) / WALLS);
      }}
    />
  );
}

/** The most squares, one for each candidate to compile. */
const SQUARES = 16;

/** How far a search is that goes on, and what ends it. */
function Doing({ state, model }: { state: SearchState; model: SearchModel }) {
  const { running } = state.now;
  const { doc, rows } = model;
  if (state.saved || !running) return null;
  if (running === "failed") return <span class="soft end">it failed: wait() says why</span>;
  return (
    <span class="doing end">
      {running === "running" && rows.length < doc.planned && (
        <progress aria-label="candidates estimated" max={doc.planned} value={rows.length} />
      )}
      {rows.length >= doc.planned && doc.wanted <= SQUARES && (
        <span class="squares" aria-hidden="true">
          {squaresOf(model).map((what, k) => (
            <i class={what} key={k} />
          ))}
        </span>
      )}
      <button type="button" onClick={() => state.ask(running === "running" ? "stop" : "go on")}>
        {running === "running" ? "stop" : "go on"}
      </button>
    </span>
  );
}

/** What may be done next: words to copy, another search. */
function Offers({ state, model: { doc } }: { state: SearchState; model: SearchModel }) {
  const { running, offered } = state.now;
  const of = doc.offers.map((offer, k) => ({ ...offer, k }));
  const possible = of.filter((offer) => offer.do === "copy" || (!state.saved && running !== "running"));
  if (possible.length === 0) return null;
  return (
    <p class="offers">
      {possible.map(({ label, do: what, text, k }) =>
        what === "copy" ? (
          <button type="button" onClick={() => copyText(text, (said) => state.set({ offered: said }))} key={k}>
            copy <code>{label}</code>
          </button>
        ) : (
          <button type="button" onClick={() => state.ask("search", k)} key={k}>
            {label}
          </button>
        ),
      )}
      <span role="status">{offered}</span>
    </p>
  );
}

const VIEWS: readonly (readonly [What, string])[] = [
  ["program", "program"],
  ["diff", "difference to now"],
  ["model", "arrays"],
];

/** The candidate in a view of its own, below the list. */
function OpenedPart({ state }: { state: SearchState }) {
  const { opened } = state.now;
  if (!opened) return null;
  return (
    <section class="opened" aria-label="the candidate, opened">
      {opened.error && <p class="fault">{opened.error}</p>}
      {opened.front_end && (
        <Opened
          source={opened.front_end}
          model={fixedModel(new Map(Object.entries(opened.state ?? {})))}
          key={opened.n}
        />
      )}
      {!opened.error && !opened.front_end && <p class="soft">compiling …</p>}
      <button type="button" onClick={() => state.set({ opened: null })}>
        close
      </button>
    </section>
  );
}

/** What each chip sends in a step, over which axes: solid is exposed, light is hidden. */
function Sends({ model, row }: { model: SearchModel; row: Row }) {
  const sides = [...(model.now && model.now !== row ? [["now", model.now] as const] : []), ["here", row] as const];
  const sums = sides.map(([, of]) => sentOf(model, of).reduce((sum, part) => sum + part.bytes, 0));
  const most = Math.max(1, ...sums);
  return (
    <table class="sends" aria-label="each chip sends in a step; light is hidden">
      <tbody>
        {sides.map(([name, of], k) => (
          <tr key={name}>
            <td>{name}</td>
            <td class="bar">
              {sentOf(model, of).map((part) => (
                <i
                  class={`axis${Math.max(0, part.axis) % AXIS_DASH.length} ${part.hidden ? "light" : ""}`}
                  style={{ width: `${(100 * part.bytes) / most}%` }}
                  title={`${model.axes[part.axis] ?? ""} ${bytes(part.bytes)}${part.hidden ? ", hidden" : ", exposed"}`}
                  key={`${part.axis} ${part.hidden}`}
                />
              ))}
            </td>
            <td class="mono">{bytes(sums[k] ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The candidate that is looked at: its mesh, its specs, its code. */
function Details({ state, shown, tab }: { state: SearchState; shown: Shown; tab: Tab | null }) {
  const { model, selected } = shown;
  const row = model.rows[selected];
  if (!row) return null;
  const { candidate } = row;
  return (
    <section class="details" aria-label={row.title}>
      <div class="which">
        <h3>
          {row.title} <span class="soft">{basisOf(row, state.now.seconds)}</span>
        </h3>
        {!state.saved && (
          <span class="ways">
            {!row.compiled && !row.candidate.failure && (
              <button type="button" disabled={row.compiling || row.next} onClick={() => state.ask("compile")}>
                {row.compiling ? "compiling …" : row.next ? "compiled next" : "compile"}
              </button>
            )}
            {VIEWS.map(([what, text]) => (
              <button
                type="button"
                disabled={what === "diff" && (!model.now || model.now === row)}
                onClick={() => state.ask("open", what)}
                key={what}
              >
                {text}
              </button>
            ))}
          </span>
        )}
      </div>
      <div class="chips">
        {model.now && model.now !== row && (
          <>
            <Axes state={state} model={model} of={model.now} /> →
          </>
        )}
        <Axes state={state} model={model} of={row} />
      </div>
      {tab !== "code" && <Specs model={model} row={row} />}
      {candidate.failure && <p class="note">{candidate.failure}</p>}
      {tab !== "specs" && <Code state={state} model={model} row={row} />}
    </section>
  );
}

/** Its specs beside those of now, and what it sends. */
function Specs({ model, row }: { model: SearchModel; row: Row }) {
  const specs = specsOf(model, row);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <table tabIndex={0}>
        <thead>
          <tr>
            <th>arrays</th>
            <th>shape</th>
            {model.now && <th>now</th>}
            <th>here</th>
          </tr>
        </thead>
        <tbody class="mono">
          {specs.map((line) => (
            <tr key={`${line.spec} ${line.now}`}>
              <td title={line.paths}>{line.paths}</td>
              <td class="soft">{line.shape}</td>
              {model.now && <td>{line.now}</td>}
              <td>
                <b>{line.spec}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft">Each chip sends in a step, light is hidden:</p>
      <Sends model={model} row={row} />
    </>
  );
}

function Code({ state, model, row }: { state: SearchState; model: SearchModel; row: Row }) {
  const code = codeOf(model, row);
  return (
    <div class="code acts">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre tabIndex={0}>{code.slice(Math.max(0, code.indexOf("mesh =")))}</pre>
      <button type="button" onClick={() => copyCode(state)}>
        copy
      </button>
      <span role="status">{state.now.said}</span>
    </div>
  );
}

/** A mesh; where an axis is pointed at, its part of each bar stands out. */
function Axes({ state, model, of }: { state: SearchState; model: SearchModel; of: Row }) {
  return (
    <>
      {of.candidate.axes.map(({ name, size }) => {
        const axis = model.axes.indexOf(name);
        return (
          <Chip
            name={name}
            axis={axis}
            children={size}
            onPointerEnter={() => state.set({ axis })}
            onPointerLeave={() => state.set({ axis: null })}
            key={name}
          />
        );
      })}
    </>
  );
}

function badgesOf({ doc, rows }: SearchModel, running: Running): Badge[] {
  const compiled = rows.filter((row) => row.compiled).length;
  const all = rows.length >= doc.planned;
  const in_ = doc.estimating_s > 0 ? ` in ${duration(doc.estimating_s)}` : "";
  return [
    { tone: "plain", strong: String(rows.length), text: all ? `estimated${in_}` : `of ${doc.planned} estimated${in_}` },
    ...(doc.wanted > 0
      ? [
          {
            tone: compiled < doc.wanted && running !== "running" ? "warn" : "plain",
            strong: `${compiled} of ${doc.wanted}`,
            text: "compiled",
            to: compiled > 0 ? "compiled" : undefined,
          } as const,
        ]
      : []),
  ];
}

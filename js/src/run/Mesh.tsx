/** The mesh at the cursor: what each device does, and whom it waits for. */

import { duration } from "../core/format";
import { count, some } from "../core/text";
import { AXIS_DASH } from "../draw/marks";
import type { Doing } from "./model/run";
import { doingText, lineText, runFigures, summaryText } from "./model/words";
import type { Cursor } from "./scene/run";
import type { Chart, RunState } from "./state";

/** Devices that are drawn; of more, those that wait are named. */
const MOST = 16;
/** Of more, only what they do is drawn, and said when pointed at. */
const ROOMY = 8;

export function Mesh({ state, chart }: { state: RunState; chart: Chart }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="mesh" aria-label={`devices at the cursor of ${state.name()}`} tabIndex={0}>
      {state.now.cursor ? <Now state={state} chart={chart} cursor={state.now.cursor} /> : <Late chart={chart} />}
    </section>
  );
}

function Now({ state, chart, cursor }: { state: RunState; chart: Chart; cursor: Cursor }) {
  const all = state.doing();
  return (
    <>
      <p class="title">
        <b>At {duration(chart.model.seconds(cursor.tick))}</b> <span class="soft">{summaryText(all)}</span>
      </p>
      {all.length <= MOST ? <Devices chart={chart} all={all} at={cursor.lane} /> : <Waits chart={chart} all={all} />}
    </>
  );
}

function Devices({ chart, all, at }: { chart: Chart; all: readonly Doing[]; at: number }) {
  const { mesh } = chart.model;
  const last = mesh.axes.length - 1;
  const inner = mesh.axes[last];
  const narrow = all.length > ROOMY;
  const columns = narrow ? 4 : last > 0 ? Math.min(2, inner?.size ?? 1) : Math.min(2, all.length);
  return (
    <ul
      class={narrow ? "devices few" : "devices"}
      style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
    >
      {all.map((one, k) => (
        <Device chart={chart} one={one} here={k === at} key={one.lane.position} />
      ))}
    </ul>
  );
}

function Device({ chart, one, here }: { chart: Chart; one: Doing; here: boolean }) {
  const { model } = chart;
  const { what, lane, event, waitsFor, since, left } = one;
  // As in the column of waits.
  const write = runFigures(model).wait;
  const c = model.collective(lane, event);
  const ink = c ? model.inkOf(c) : -1;
  const style = { "--axis": ink < 0 ? "var(--muted)" : `var(--axis${ink % AXIS_DASH.length})` };
  const id = <b class="mono id">{model.mesh.ids[lane.position]}</b>;
  const about =
    what === "wait" ? (
      <>
        <b>{waitsFor === null ? "waits" : `waits for ${model.mesh.ids[waitsFor]}`}</b>
        <span class="soft">
          {write(model.seconds(since)).replace(/ \S+$/, "")} of {write(model.seconds(since + left))}
        </span>
      </>
    ) : (
      <>
        <span>
          {what === "collective" ? c?.kind : what === "compute" ? lineText(model.operation(lane, event)) : "no event"}
        </span>
        <span class="soft">{what === "collective" ? lineText(c) : what === "compute" ? "computes" : ""}</span>
      </>
    );
  return (
    <li class={here ? `${what} here` : what} style={style} title={doingText(model, one)}>
      {id}
      <i class={what} aria-hidden="true" />
      <span class="about">{about}</span>
    </li>
  );
}

/** With many devices: who is waited for, and by how many. */
function Waits({ chart, all }: { chart: Chart; all: readonly Doing[] }) {
  const { mesh } = chart.model;
  const by = new Map<number, number[]>();
  for (const { what, waitsFor, lane } of all) {
    const id = mesh.ids[lane.position] ?? 0;
    if (what === "wait" && waitsFor !== null) by.set(waitsFor, [...(by.get(waitsFor) ?? []), id]);
  }
  const rows = [...by].sort((a, b) => b[1].length - a[1].length).slice(0, 12);
  return (
    <ul class="waits">
      {rows.map(([position, ids]) => (
        <li key={position}>
          <b class="mono">{mesh.ids[position]}</b> is waited for by {count(ids.length, "device")}:{" "}
          <span class="soft mono">{some(ids, 8)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Without a cursor: who was the last to arrive, how often. */
function Late({ chart }: { chart: Chart }) {
  const { model } = chart;
  const late = model.late;
  const whole = late.reduce((a, b) => a + b, 0);
  const waited = [...late.keys()].filter((p) => late[p]);
  const rows = waited.sort((a, b) => (late[b] ?? 0) - (late[a] ?? 0)).slice(0, 8);
  const most = Math.max(1, ...late);
  if (whole === 0) return <p class="title soft">No device waited for another.</p>;
  return (
    <>
      <p
        class="title"
        title={`Of ${count(whole, "arrival")} that others waited for, over all calls and collectives.${waited.length > rows.length ? ` The ${rows.length} that were waited for most.` : ""}`}
      >
        <b>Waited for</b> <span class="soft">how often each was the last to arrive</span>
      </p>
      <ul class="late">
        {rows.map((p) => (
          <li key={p}>
            <b class="mono id">{model.mesh.ids[p]}</b>
            <span class="meter">
              <i style={{ width: `${(100 * (late[p] ?? 0)) / most}%` }} />
            </span>
            <span class="mono">{late[p]}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

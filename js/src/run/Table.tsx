/** What each collective took, measured, beside the estimate. */

import { Chip } from "../card/Chip";
import { fitting, headOf } from "../core/columns";
import { type Column, MEASURED } from "../core/columns.gen";
import type { MeasuredCollective } from "../core/document.gen";
import { AXIS_DASH } from "../draw/marks";
import { type RunModel, SORTS } from "./model/run";
import { codeText, type RunFigures, runFigures } from "./model/words";
import type { RunState } from "./state";

interface Props {
  state: RunState;
  model: RunModel;
  rows: readonly number[];
}

/** Beside the devices the table has three fifths of the card, and its first column gives way. */
const BESIDE = 860;
/** On narrower cards lines wrap: little has to be left out. */
const WRAPPED = 560;
const COLUMNS = MEASURED.filter(({ room }: Column) => room);

/** The columns that a card has room for. */
function columnsIn(width: number) {
  const room = width >= BESIDE ? 0.67 * width : Math.max(width, WRAPPED);
  return fitting(COLUMNS, room);
}

export function Table({ state, model, rows }: Props) {
  if (rows.length === 0) return <p class="none">The program has no collectives.</p>;
  const longest = Math.max(1e-12, ...model.collectives.map((c) => Math.max(c.high_s, c.median_s)));
  const { sort, width } = state.now;
  const columns = columnsIn(width);
  const figures = runFigures(model);
  return (
    <div class={rows.length > 6 ? "scroll" : rows.length > 4 ? "narrow-scroll" : ""}>
      <table class="table">
        <thead>
          <tr>
            {columns.map(({ key, head }) => {
              const by = SORTS.find((name) => name === key);
              return (
                <th class={key} scope="col" aria-sort={by && by === sort ? "descending" : "none"} key={key}>
                  {by ? (
                    <button
                      type="button"
                      class="plainly"
                      title={`sort by ${head}, in a call`}
                      onClick={() => state.sortBy(by)}
                    >
                      {head}
                      {by === sort && " ▾"}
                    </button>
                  ) : (
                    head
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map((at) => {
            const c = model.collectives[at];
            if (!c) return null;
            const cells = cellsOf({
              state,
              model,
              c,
              at,
              longest,
              figures,
            });
            return (
              <tr class={state.now.selection === at ? "chosen" : ""} key={at}>
                {columns.map(({ key }) => cells[key as keyof typeof cells])}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface Line {
  state: RunState;
  model: RunModel;
  c: MeasuredCollective;
  at: number;
  longest: number;
  figures: RunFigures;
}

function cellsOf({ state, model, c, at, longest, figures }: Line) {
  const ran = c.times > 0;
  const rate = ran && c.bytes_per_second > 0 ? figures.rate(c.bytes_per_second) : "";
  return {
    op: (
      <td class="op" key="op">
        <button
          type="button"
          class="plainly"
          aria-pressed={state.now.selection === at}
          onClick={() => state.select(at)}
        >
          <b class="mono">{c.kind}</b>
        </button>{" "}
        {c.axes.map((name) => (
          <Chip name={name} axis={model.mesh.axisOf(name)} title={name} key={name} />
        ))}
        {c.irregular && <span class="soft">irregular groups</span>}
        <span class="line cut soft" title={c.source?.text}>
          {codeText(c)}
          {c.backward && " · backward"}
        </span>
      </td>
    ),
    sent: (
      <td class="sent mono" title={rate && `${headOf(MEASURED, "rate")}: ${rate}`} key="sent">
        {figures.sent(c.bytes_per_device)}
      </td>
    ),
    time: (
      <td class="time mono" key="time">
        <span>
          {ran && <Spread model={model} c={c} longest={longest} />}
          {ran ? figures.time(c.median_s) : "did not run"}
        </span>
      </td>
    ),
    wait: (
      <td class="wait mono" key="wait">
        {ran && figures.wait(c.wait_s)}
        {ran && (
          <span class="soft" title="90th percentile">
            {figures.wait(c.wait_high_s)}
          </span>
        )}
      </td>
    ),
    estimate: (
      <td class="mono soft" key="estimate">
        {c.estimate_s > 0 && figures.estimate(c.estimate_s)}
      </td>
    ),
    rate: (
      <td class="mono" key="rate">
        {rate}
      </td>
    ),
  };
}

/** From the 10th to the 90th percentile, with the median and the estimate. */
function Spread({ model, c, longest }: { model: RunModel; c: MeasuredCollective; longest: number }) {
  const ink = model.inkOf(c);
  const at = (seconds: number) => `${Math.min(100, (100 * seconds) / longest)}%`;
  const style = { "--axis": ink < 0 ? "var(--muted)" : `var(--axis${ink % AXIS_DASH.length})` };
  return (
    <span class="spread" style={style} aria-hidden="true">
      <i class="range" style={{ left: at(c.low_s), width: at(c.high_s - c.low_s) }} />
      <i class="median" style={{ left: at(c.median_s) }} />
      {c.estimate_s > 0 && <i class="guess" style={{ left: at(c.estimate_s) }} />}
    </span>
  );
}

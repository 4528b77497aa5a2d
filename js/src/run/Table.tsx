/** What each collective took, measured, beside the estimate. */

import { Cell } from "../card/Cell";
import { fitting } from "../core/columns";
import { type Column, MEASURED } from "../core/columns.gen";
import type { MeasuredCollective } from "../core/document.gen";
import { AXIS_DASH } from "../draw/marks";
import { ComputedLines } from "./ComputedLines";
import { cellsOf, type RunCells } from "./model/cells";
import { type RunModel, SORTS } from "./model/run";
import { runFigures } from "./model/words";
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
  if (rows.length === 0) return <ComputedLines model={model} />;
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
            const chosen = state.now.selection === at;
            const cells = cellsOf(model, c, figures);
            return (
              <tr class={chosen ? "chosen" : ""} key={at}>
                {columns.map(({ key }) => {
                  const said = <Cell of={cells[key as keyof RunCells]} />;
                  return (
                    <td class={key} key={key}>
                      {key === "op" ? (
                        <button type="button" class="plainly" aria-pressed={chosen} onClick={() => state.select(at)}>
                          {said}
                        </button>
                      ) : key === "time" ? (
                        <span>
                          {c.times > 0 && <Spread model={model} c={c} longest={longest} />}
                          {said}
                        </span>
                      ) : (
                        said
                      )}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
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

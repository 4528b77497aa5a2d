/** What each collective took, measured, beside the estimate. */
import { Chip } from "../card/Chip";
import type { MeasuredCollective } from "../core/document.gen";
import { AXIS_DASH } from "../draw/marks";
import type { RunModel, Sort } from "./model/run";
import { codeText, type RunFigures, runFigures } from "./model/words";
import type { RunState } from "./state";

interface Props {
  state: RunState;
  model: RunModel;
  rows: readonly number[];
}

const HEADS: readonly (readonly [string, string, Sort | null])[] = [
  ["what", "collective", null],
  ["sent", "sent/device", "sent"],
  ["time", "time after the last arrival", "time"],
  ["wait", "wait", "wait"],
  ["estimate", "estimate", null],
  ["achieved", "achieved", null],
];

export function Table({ state, model, rows }: Props) {
  if (rows.length === 0) return <p class="none">The program has no collectives.</p>;
  const longest = Math.max(1e-12, ...model.collectives.map((c) => Math.max(c.high_s, c.median_s)));
  const { sort } = state.now;
  const figures = runFigures(model);
  return (
    <div class={rows.length > 6 ? "scroll" : rows.length > 4 ? "narrow-scroll" : ""}>
      <table class="table">
        <thead>
          <tr>
            {HEADS.map(([key, name, by]) => (
              <th class={key} scope="col" aria-sort={by && by === sort ? "descending" : "none"} key={key}>
                {by ? (
                  <button type="button" title={`sort by ${name}, in a call`} onClick={() => state.sortBy(by)}>
                    {name}
                    {by === sort && " ▾"}
                  </button>
                ) : (
                  name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((at) => {
            const c = model.collectives[at];
            return c && <Row state={state} model={model} c={c} at={at} longest={longest} figures={figures} key={at} />;
          })}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  state: RunState;
  model: RunModel;
  c: MeasuredCollective;
  at: number;
  longest: number;
  figures: RunFigures;
}

function Row({ state, model, c, at, longest, figures }: RowProps) {
  const chosen = state.now.selection === at;
  const ran = c.times > 0;
  const rate = ran && c.bytes_per_second > 0 ? figures.rate(c.bytes_per_second) : "";
  return (
    <tr class={chosen ? "chosen" : ""}>
      <td class="what">
        <button type="button" aria-pressed={chosen} onClick={() => state.select(at)}>
          <b class="mono">{c.kind}</b>
        </button>{" "}
        {c.axes.map((name) => (
          <Chip name={name} axis={model.mesh.axisOf(name)} title={name} key={name} />
        ))}
        {c.irregular && <span class="soft">irregular groups</span>}
        <span class="line soft" title={c.source?.text}>
          {codeText(c)}
          {c.backward && " · backward"}
        </span>
      </td>
      <td class="sent mono">
        {figures.sent(c.bytes_per_device)}
        {rate && (
          <span class="soft" title="achieved">
            {rate}
          </span>
        )}
      </td>
      <td class="time mono">
        <span>
          {ran && <Spread model={model} c={c} longest={longest} />}
          {ran ? figures.time(c.median_s) : "did not run"}
        </span>
      </td>
      <td class="wait mono">
        {ran && figures.wait(c.wait_s)}
        {ran && (
          <span class="soft" title="90th percentile">
            {figures.wait(c.wait_high_s)}
          </span>
        )}
      </td>
      <td class="estimate mono soft">{c.estimate_s > 0 && figures.estimate(c.estimate_s)}</td>
      <td class="achieved mono">{rate}</td>
    </tr>
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

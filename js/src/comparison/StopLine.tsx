/** Under a row that stops on an Explicit mesh: the cause, the fixes, and JAX's words. */

import { Tokens } from "../card/Tokens";
import { axisTokens, count, sentenceTokens } from "../core/text";
import { Gutter } from "./Gutter";
import type { LineProps } from "./line";
import type { Line } from "./model/lines";
import { ACROSS, rowProps } from "./roles";
import { Way } from "./Way";

/** Fixes that are shown at once; in a program that stops often, only the one that is used. */
const MOST = 3;
const OFTEN = 3;

export function StopLine(props: LineProps & { line: Line & { kind: "stop" } }) {
  const { state, model, pictures, line } = props;
  const row = model.row(line.row);
  const stop = row?.error;
  if (!row || !stop) return null;
  const chosen = state.now.choices[line.row] ?? stop.chosen;
  const ways = [...stop.fixes.keys()];
  const most = model.tally().errors >= OFTEN ? 1 : MOST;
  const before = [...ways].sort((a, b) => Number(b === chosen) - Number(a === chosen)).slice(0, most);
  const [shown, others] = [ways.filter((k) => before.includes(k)), ways.filter((k) => !before.includes(k))];
  const list = (some: readonly number[]) => (
    <ul class="ways acts">
      {some.map((k) => (
        <Way
          state={state}
          model={model}
          pictures={pictures}
          row={row}
          index={line.row}
          at={k}
          used={k === chosen}
          followed={k === stop.chosen}
          follows={stop.chosen >= 0}
          key={k}
        />
      ))}
    </ul>
  );
  return (
    <div {...rowProps(props, "stop")}>
      <Gutter way={props.way} ink={props.ink} />
      <div {...ACROSS}>
        {stop.explanation && (
          <p>
            <Tokens tokens={sentenceTokens(stop.explanation, model.mesh)} />
          </p>
        )}
        {ways.length > 0 && list(shown)}
        {others.length > 0 && (
          <details>
            <summary>{count(others.length, "other fix", "other fixes")}</summary>
            {list(others)}
          </details>
        )}
        {ways.length === 0 && <p>No change to this line alone fixes it.</p>}
        <details class="said">
          <summary class="cut">
            JAX: {stop.error}: {stop.message}
          </summary>
          <p>
            <Tokens tokens={axisTokens(stop.message, model.mesh)} />
          </p>
        </details>
      </div>
    </div>
  );
}

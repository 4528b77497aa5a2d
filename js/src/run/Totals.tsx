/** Runs side by side: what a call of each took, and what its time went into. */

import { Heads } from "../card/Heads";
import { figuresOf } from "../core/columns";
import { RUNS } from "../core/columns.gen";
import { duration, percent } from "../core/format";
import { median } from "./model/words";
import type { Chart, RunState } from "./state";

export function Totals({ state, charts }: { state: RunState; charts: readonly Chart[] }) {
  const calls = charts.map(({ model: { doc } }) => median(doc.seconds));
  const first = calls[0] ?? 0;
  const figures = figuresOf(
    RUNS,
    calls.map((call) => ({ call })),
  );
  return (
    <table class="totals">
      <Heads of={RUNS} />
      <tbody>
        {charts.map(({ model: { doc } }, k) => {
          const seconds = calls[k] ?? 0;
          const { shares } = doc;
          return (
            <tr class={k === state.now.open ? "chosen" : ""} key={doc.name}>
              <td>
                <button
                  type="button"
                  class="plainly"
                  aria-pressed={k === state.now.open}
                  onClick={() => state.openRun(k)}
                >
                  <b class="mono">{doc.name}</b>
                </button>
              </td>
              <td class="mono">{figures.call(seconds)}</td>
              <td class="mono">{k === 0 || first === 0 ? "" : `×${Number((seconds / first).toPrecision(3))}`}</td>
              {[shares.compute, shares.communication, shares.waiting, shares.idle].map((share, i) => (
                <td class="mono" key={String(i)}>
                  {percent(share)} <span class="soft">{duration(share * seconds)}</span>
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

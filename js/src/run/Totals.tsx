/** Runs side by side: what a call of each took, and what its time went into. */

import { Heads } from "../card/Heads";
import { figuresOf } from "../core/columns";
import { RUNS } from "../core/columns.gen";
import type { Run } from "../core/document.gen";
import { duration } from "../core/format";
import { median } from "./model/words";
import type { Chart, RunState } from "./state";

export function Totals({ state, charts }: { state: RunState; charts: readonly Chart[] }) {
  const calls = charts.map(({ model: { doc } }) => median(doc.seconds));
  const first = calls[0] ?? 0;
  const figures = figuresOf(
    RUNS,
    charts.map(({ model: { doc } }, k) => ({ ...sharesOf(doc.shares), call: calls[k] ?? 0 })),
  );
  return (
    <table class="totals">
      <Heads of={RUNS} />
      <tbody>
        {charts.map(({ model: { doc } }, k) => {
          const seconds = calls[k] ?? 0;
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
              {Object.entries(sharesOf(doc.shares)).map(([key, share]) => (
                <td class="mono" key={key}>
                  {figures[key as Share](share)} <span class="soft">{duration(share * seconds)}</span>
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

type Share = "compute" | "collectives" | "waiting" | "idle";

/** What a run's time goes into, by column. */
function sharesOf({ compute, communication, waiting, idle }: Run["shares"]): Record<Share, number> {
  return { compute, collectives: communication, waiting, idle };
}

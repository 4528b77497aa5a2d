/** Runs side by side: what a call of each took, and what its time went into. */
import { duration } from "../core/text";
import { median, percent } from "./model/words";
import type { Chart, RunState } from "./state";

export function Totals({ state, charts }: { state: RunState; charts: readonly Chart[] }) {
  const first = median(charts[0]?.model.doc.seconds ?? []);
  return (
    <table class="totals">
      <thead>
        <tr>
          {["run", "a call", "against the first", "compute", "in collectives", "waiting", "no event"].map((head) => (
            <th scope="col" key={head}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {charts.map(({ model: { doc } }, k) => {
          const seconds = median(doc.seconds);
          const { shares } = doc;
          return (
            <tr class={k === state.now.open ? "chosen" : ""} key={doc.name}>
              <td>
                <button type="button" aria-pressed={k === state.now.open} onClick={() => state.openRun(k)}>
                  <b class="mono">{doc.name}</b>
                </button>
              </td>
              <td class="mono">{duration(seconds)}</td>
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

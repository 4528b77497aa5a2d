/** Schedules side by side: idle time as a bar and a fraction, what is kept, sends, length. */
import { Heads } from "../card/Heads";
import { figuresOf } from "../core/columns";
import { SCHEDULES } from "../core/columns.gen";
import type { ScheduleModel } from "./model/schedule";
import { fractionText, short } from "./model/words";

/** Ranks whose peaks are listed. */
const MOST = 8;

export function Figures({ models }: { models: readonly ScheduleModel[] }) {
  const worst = Math.max(...models.map((m) => m.bubble), 1e-9);
  const figures = figuresOf(
    SCHEDULES,
    models.map((m) => ({ idle: m.bubble })),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="figures" aria-label="figures" tabIndex={0}>
      <table>
        <Heads of={SCHEDULES} />
        <tbody>
          {models.map((m, i) => (
            <tr key={i}>
              <th scope="row">{m.doc.name}</th>
              <td>
                <i class="cell idle" style={{ width: `${(90 * m.bubble) / worst}px` }} aria-hidden="true" />{" "}
                <b class="mono">{figures.idle(m.bubble)}</b>{" "}
                <span class="mono soft">{fractionText(m) && `= ${fractionText(m)}`}</span>
              </td>
              <td class="mono">
                {Array.from({ length: Math.min(MOST, m.tasks.ranks) }, (_, r) => short(m.kept(r), 1)).join(" ")}
                {m.tasks.ranks > MOST ? " …" : ""}
              </td>
              <td class="mono">{m.run.messages}</td>
              <td class="mono">{short(m.run.makespan)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

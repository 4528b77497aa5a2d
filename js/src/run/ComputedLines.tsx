/** Of a program without collectives: the lines that devices computed for, and how long. */

import { Cell } from "../card/Cell";
import { Heads } from "../card/Heads";
import { COMPUTED_LINES } from "../core/columns.gen";
import { linesCells } from "./model/cells";
import type { RunModel } from "./model/run";

export function ComputedLines({ model: { doc } }: { model: RunModel }) {
  if (doc.lines.length === 0) return <p class="none">The program has no collectives, and nothing has a line.</p>;
  const many = doc.lines.length;
  return (
    <div class={many > 6 ? "scroll" : many > 4 ? "narrow-scroll" : ""}>
      <table class="table">
        <Heads of={COMPUTED_LINES} />
        <tbody>
          {linesCells(doc).map((cells, k) => (
            <tr key={k}>
              {COMPUTED_LINES.map(({ key }) => (
                <td class={key} key={key}>
                  <Cell of={cells[key]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

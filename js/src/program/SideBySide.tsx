/** Programs side by side: their totals in one table on one scale, each to be opened. */

import type { ComponentChildren } from "preact";
import { Cell } from "../card/Cell";
import { Head } from "../card/Head";
import { Heads } from "../card/Heads";
import { Says } from "../card/Says";
import { PROGRAMS } from "../core/columns.gen";
import type { Program } from "../core/document.gen";
import { Listed } from "./Listed";
import { sideBySide } from "./model/cells";
import { ProgramModel } from "./model/program";
import { verdictOfAll } from "./model/words";
import type { ProgramState } from "./state";

interface Props {
  state: ProgramState;
  programs: readonly Program[];
  children: ComponentChildren;
}

const [, ...NUMBERS] = PROGRAMS;
/** Those without bars. */
const FIGURES = new Set<string>(["found", "sent"]);

export function SideBySide({ state, programs, children }: Props) {
  const { opened, paper } = state.now;
  const models = programs.map((p) => new ProgramModel(p));
  const lines = sideBySide(models);
  const used = [...new Set(programs.map((p) => p.interconnects[p.interconnect] ?? ""))].filter((name) => name !== "");
  const said = verdictOfAll(models);
  return (
    <>
      <Head
        title={programs.length > 1 ? `${programs.length} programs side by side` : "1 program"}
        says={said && <Says>{said}</Says>}
      >
        {used.length > 0 && <span class="soft">estimates for {used.join(", ")} (scaling-book roofline)</span>}
      </Head>
      <table class="sides">
        <Heads of={PROGRAMS} figures={FIGURES} />
        <tbody>
          {lines.map(({ name: [name = []], ...cells }, k) => (
            <tr class={k === opened ? "open" : ""} key={programs[k]?.name}>
              <th scope="row">
                <button
                  type="button"
                  aria-expanded={k === opened}
                  aria-controls="opened"
                  onClick={() => state.open(k === opened ? null : k)}
                >
                  <span aria-hidden="true">{k === opened ? "▾" : "▸"}</span> <Cell of={[name]} />
                </button>
              </th>
              {NUMBERS.map(({ key, head }) => (
                <td class={FIGURES.has(key) ? "figure" : ""} data-head={head} key={key}>
                  <Cell of={cells[key]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div id="opened" class="opened">
        {opened !== null && children}
      </div>
      {paper && models.map((m, k) => k !== opened && <Listed state={state} model={m} key={m.doc.name} />)}
    </>
  );
}

/** Programs side by side: their totals in one table on one scale, each to be opened. */
import type { ComponentChildren } from "preact";
import { Head } from "../card/Head";
import type { Program } from "../core/document.gen";
import { bytes, duration } from "../core/text";
import { Listed } from "./Listed";
import { ProgramModel } from "./model/program";
import { callBytes, callTime, foundText, memoryTotal } from "./model/words";
import { AxisBar } from "./parts";
import type { ProgramState } from "./state";

interface Props {
  state: ProgramState;
  programs: readonly Program[];
  children: ComponentChildren;
}

export function SideBySide({ state, programs, children }: Props) {
  const { opened, paper } = state.now;
  const models = programs.map((p) => new ProgramModel(p));
  const total = (m: ProgramModel) => m.totals(m.doc.interconnect).reduce((sum, t) => sum + t.seconds, 0);
  const longest = Math.max(1e-12, ...models.map(total));
  const slowest = Math.max(1e-12, ...programs.map((p) => p.timing?.seconds ?? 0));
  const most = Math.max(1, ...programs.map((p) => memoryTotal(p) ?? 0));
  const used = [...new Set(programs.map((p) => p.interconnects[p.interconnect] ?? ""))].filter((name) => name !== "");
  const measured = programs.some((p) => p.timing);
  return (
    <>
      <Head title={programs.length > 1 ? `${programs.length} programs side by side` : "1 program"}>
        {used.length > 0 && <span class="soft">estimates for {used.join(", ")} (scaling-book roofline)</span>}
      </Head>
      <table class="sides">
        <thead>
          <tr>
            <th scope="col">program</th>
            <th scope="col" class="figure">
              collectives
            </th>
            <th scope="col" class="figure">
              sent/device
            </th>
            <th scope="col">estimate per call</th>
            <th scope="col">measured/call</th>
            <th scope="col">memory/device</th>
          </tr>
        </thead>
        <tbody>
          {models.map((m, k) => (
            <tr class={k === opened ? "open" : ""} key={m.doc.name}>
              <th scope="row">
                <button
                  type="button"
                  aria-expanded={k === opened}
                  aria-controls="opened"
                  onClick={() => state.open(k === opened ? null : k)}
                >
                  <span aria-hidden="true">{k === opened ? "▾" : "▸"}</span> {m.doc.name}
                </button>
              </th>
              <td class="figure mono" data-head="collectives">
                {foundText(m)}
              </td>
              <td class="figure mono" data-head="sent/device">
                {callBytes(m)}
              </td>
              <td data-head="estimate">
                <span class="meter">
                  {m.totals(m.doc.interconnect).map((t) => (
                    <AxisBar mesh={m.mesh} axes={t.axes} part={t.seconds / longest} key={t.axes.join()} />
                  ))}
                </span>{" "}
                <span class="mono">{callTime(m, m.doc.interconnect)}</span>
              </td>
              <td data-head="measured">
                {m.doc.timing ? (
                  <>
                    <span class="meter">
                      <span class="bar plain" style={{ width: `${(100 * m.doc.timing.seconds) / slowest}%` }} />
                    </span>{" "}
                    <span
                      class="mono"
                      title={`${duration(m.doc.timing.low)} to ${duration(m.doc.timing.high)}, median of ${m.doc.timing.runs}`}
                    >
                      {duration(m.doc.timing.seconds)}
                    </span>
                    <span class="soft small">
                      {duration(m.doc.timing.low)}–{duration(m.doc.timing.high)}, n={m.doc.timing.runs}
                    </span>
                  </>
                ) : (
                  <span class="soft">{measured ? "not measured" : "–"}</span>
                )}
              </td>
              <td data-head="memory">
                {memoryTotal(m.doc) === null ? (
                  <span class="soft">not known</span>
                ) : (
                  <>
                    <span class="meter">
                      <span class="bar plain" style={{ width: `${(100 * (memoryTotal(m.doc) ?? 0)) / most}%` }} />
                    </span>{" "}
                    <span class="mono">{bytes(memoryTotal(m.doc) ?? 0)}</span>
                  </>
                )}
              </td>
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

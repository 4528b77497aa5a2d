/** Programs side by side: their totals in one table on one scale, each to be opened. */
import type { ComponentChildren } from "preact";
import { Head } from "../card/Head";
import { headOf } from "../core/columns";
import { PROGRAMS } from "../core/columns.gen";
import type { Program } from "../core/document.gen";
import { duration } from "../core/format";
import { Listed } from "./Listed";
import { ProgramModel } from "./model/program";
import { type ProgramCells, sideBySide } from "./model/words";
import { AxisBar } from "./parts";
import type { ProgramState } from "./state";

interface Props {
  state: ProgramState;
  programs: readonly Program[];
  children: ComponentChildren;
}

/** Columns of numbers without bars. */
const FIGURES = new Set(["found", "sent"]);

export function SideBySide({ state, programs, children }: Props) {
  const { opened, paper } = state.now;
  const models = programs.map((p) => new ProgramModel(p));
  const { cells, longest } = sideBySide(models);
  const used = [...new Set(programs.map((p) => p.interconnects[p.interconnect] ?? ""))].filter((name) => name !== "");
  return (
    <>
      <Head title={programs.length > 1 ? `${programs.length} programs side by side` : "1 program"}>
        {used.length > 0 && <span class="soft">estimates for {used.join(", ")} (scaling-book roofline)</span>}
      </Head>
      <table class="sides">
        <thead>
          <tr>
            {PROGRAMS.map(({ key, head }) => (
              <th scope="col" class={FIGURES.has(key) ? "figure" : ""} key={key}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cells.map((line, k) => (
            <tr class={k === opened ? "open" : ""} key={line.model.doc.name}>
              <th scope="row">
                <button
                  type="button"
                  aria-expanded={k === opened}
                  aria-controls="opened"
                  onClick={() => state.open(k === opened ? null : k)}
                >
                  <span aria-hidden="true">{k === opened ? "▾" : "▸"}</span> {line.model.doc.name}
                </button>
              </th>
              <td class="figure mono" data-head={headOf(PROGRAMS, "found")}>
                {line.found}
              </td>
              <td class="figure mono" data-head={headOf(PROGRAMS, "sent")}>
                {line.sent}
              </td>
              <td data-head={headOf(PROGRAMS, "estimate")}>
                <span class="meter">
                  {line.model.totals(line.model.doc.interconnect).map((t) => (
                    <AxisBar mesh={line.model.mesh} axes={t.axes} part={t.seconds / longest} key={t.axes.join()} />
                  ))}
                </span>{" "}
                <span class="mono">{line.estimate}</span>
              </td>
              <td data-head={headOf(PROGRAMS, "measured")}>
                <Timed line={line} none={cells.some((one) => one.measured) ? "not measured" : "–"} />
              </td>
              <td data-head={headOf(PROGRAMS, "memory")}>
                {line.memory ? (
                  <Bar part={line.parts.memory} text={line.memory} />
                ) : (
                  <span class="soft">not known</span>
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

function Timed({ line, none }: { line: ProgramCells; none: string }) {
  const { timing } = line.model.doc;
  if (!timing || !line.measured) return <span class="soft">{none}</span>;
  const [low, high] = [duration(timing.low), duration(timing.high)];
  return (
    <>
      <Bar part={line.parts.measured} text={line.measured} title={`${low} to ${high}, median of ${timing.runs}`} />
      <span class="soft small">
        {low}–{high}, n={timing.runs}
      </span>
    </>
  );
}

function Bar({ part, text, title }: { part: number; text: string; title?: string }) {
  return (
    <>
      <span class="meter">
        <span class="bar plain" style={{ width: `${100 * part}%` }} />
      </span>{" "}
      <span class="mono" title={title}>
        {text}
      </span>
    </>
  );
}

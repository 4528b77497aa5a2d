/** A line of the table: a collective, or several equal ones with their runs added up. */

import { Component } from "preact";
import { Chip } from "../card/Chip";
import type { HloCollective } from "../core/document.gen";
import type { Format } from "../core/format";
import { duration } from "../core/format";
import { count } from "../core/text";
import type { Group, ProgramModel } from "./model/program";
import { causeNotes, causeText, irregularText, whereText } from "./model/words";
import { AxisBar } from "./parts";
import { cell, row } from "./roles";
import type { Asked, ProgramState } from "./state";
import { WhyHere } from "./Why";

interface Props {
  state: ProgramState;
  model: ProgramModel;
  c: HloCollective;
  group: Group;
  /** Index of the line. */
  line: number;
  /** Index of the one that is on the mesh; null for none of the group. */
  chosen: number | null;
  /** Whether the keyboard is at it. */
  current: boolean;
  seconds: number;
  runs: number | null;
  bytes: readonly [number, number];
  longest: number;
  /** What is known of why the chosen one is there. */
  why: Asked | null;
  /** How figures of the columns are written. */
  time: Format;
  sent: Format;
}

export class Row extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    const same = (k: keyof Props) =>
      k === "bytes" ? next.bytes.join() === this.props.bytes.join() : Object.is(next[k], this.props[k]);
    return !(Object.keys(next) as (keyof Props)[]).every(same);
  }

  override render() {
    const { state, model, c, group, line, chosen, current, why, seconds, runs, longest, time, sent } = this.props;
    const [least, most] = this.props.bytes;
    const { mesh } = model;
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: it is a row, and the grid listens for keys
      // biome-ignore lint/a11y/useKeyWithClickEvents: as above
      <div {...row(group.at, line, chosen !== null, current)} onClick={() => state.select(chosen ?? group.at)}>
        <div {...cell("op")}>
          <b class="mono">{c.kind}</b>
          {c.asynchronous && (
            <span class="soft small" title="split into -start and -done: other work may run meanwhile">
              async
            </span>
          )}
        </div>
        <div {...cell("axes")}>
          {c.axes.map((name) => (
            <Chip name={name} axis={mesh.axisOf(name)} title={name} key={name} />
          ))}
          {c.irregular && (
            <span class="irregular" title={irregularText(c)}>
              irregular
            </span>
          )}
          {c.irregular && c.within.length > 0 && <span class="soft small cut">within {c.within.join(", ")}</span>}
        </div>
        <div {...cell("sent")}>
          <span class="mono" title={c.arithmetic}>
            {model.sized ? [...new Set([least, most])].map((n) => whole(sent(n))).join(" – ") : "?"}
          </span>
        </div>
        <div {...cell("runs")}>
          <span class={runs === 1 ? "mono" : "mono strong"} title={whereText(model, c)}>
            ×{runs ?? "?"}
          </span>
        </div>
        <div {...cell("source")}>
          <code title={c.op}>{causeText(c)}</code>
          <span class="soft small">
            {causeNotes(model, c).join(" · ")}
            {c.remark && (
              <>
                {" · "}
                <b class="warn">{c.remark}</b>
              </>
            )}
          </span>
        </div>
        {chosen !== null && group.members.length > 1 && (
          <div {...cell("members")}>
            {group.members.slice(0, MOST).map((at) => (
              <button
                type="button"
                tabIndex={-1}
                class={at === chosen ? "chosen" : ""}
                title={`${c.kind} ${at + 1} of the program: ${duration(model.seconds(model.collectives[at] ?? c, state.now.interconnect))}`}
                aria-label={`collective ${at + 1}`}
                onClick={(event) => {
                  event.stopPropagation();
                  state.select(at);
                }}
                key={at}
              />
            ))}
            <span class="soft small">{count(group.members.length, "call")} in program order</span>
          </div>
        )}
        {chosen !== null && why && c.shapes.length > 0 && (
          // biome-ignore lint/a11y/noStaticElementInteractions: its buttons act, and do not choose the row
          // biome-ignore lint/a11y/useKeyWithClickEvents: as above
          <div {...cell("reason")} onClick={(event) => event.stopPropagation()}>
            <WhyHere state={state} model={model} at={chosen} why={why} />
          </div>
        )}
        <div {...cell("time")}>
          <span class="meter">
            <AxisBar mesh={mesh} axes={c.axes} part={seconds / longest} />
          </span>
          <span class="mono">{model.sized ? time(seconds) : "?"}</span>
        </div>
      </div>
    );
  }
}

/** A number with its unit, on one line. */
function whole(text: string): string {
  return text.replaceAll(" ", "\u00a0");
}

/** Members of a group that have a mark each. */
const MOST = 64;

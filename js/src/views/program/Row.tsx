/** A line of the table: one collective. */
import { Component } from "preact";
import type { HloCollective } from "../../model/document.gen";
import type { ProgramModel } from "../../model/program";
import { causeNotes, causeText, duration, irregularText, runsText, whereText } from "../../model/program/words";
import { bytes } from "../../model/text";
import { AxisBar, AxisChip } from "./parts";
import { cell, row } from "./roles";
import type { ProgramState } from "./state";

interface Props {
  state: ProgramState;
  model: ProgramModel;
  c: HloCollective;
  /** Index of the collective, and of its line. */
  at: number;
  line: number;
  /** Whether it is on the mesh. */
  shown: boolean;
  /** Whether the keyboard is at it. */
  current: boolean;
  seconds: number;
  longest: number;
}

export class Row extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    return (Object.keys(next) as (keyof Props)[]).some((k) => !Object.is(next[k], this.props[k]));
  }

  override render() {
    const { state, model, c, at, line, shown, current, seconds, longest } = this.props;
    const { mesh } = model;
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: it is a row, and the grid listens for keys
      // biome-ignore lint/a11y/useKeyWithClickEvents: as above
      <div {...row(at, line, shown, current)} onClick={() => state.select(at)}>
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
            <AxisChip mesh={mesh} name={name} key={name} />
          ))}
          {c.irregular && (
            <span class="irregular" title={irregularText(c)}>
              irregular
            </span>
          )}
          {c.irregular && c.within.length > 0 && <span class="soft small">within {c.within.join(", ")}</span>}
        </div>
        <div {...cell("sent")}>
          <span class="mono" title={c.arithmetic}>
            {bytes(c.bytes_per_device)}
          </span>
        </div>
        <div {...cell("runs")}>
          <span class={c.times === 1 ? "mono" : "mono strong"} title={whereText(model, c)}>
            {runsText(c)}
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
        <div {...cell("time")}>
          <span class="meter">
            <AxisBar mesh={mesh} axes={c.axes} part={seconds / longest} />
          </span>
          <span class="mono">{duration(seconds)}</span>
        </div>
      </div>
    );
  }
}

/** The list of steps: collectives marked, folded by function, named scope and loop. */

import { Component, type ComponentChildren, createRef } from "preact";
import { keepInView } from "../card/scroll";
import { Tokens } from "../card/Tokens";
import type { Step } from "../core/document.gen";
import { axisTokens } from "../core/text";
import { fitName } from "../draw/measure";
import { axisKind } from "./kind";
import { Loaded } from "./Loaded";
import { nameOf, type Row, remark, rowsOf } from "./model/rows";
import type { TraceModel } from "./model/trace";
import type { Parts } from "./parts";
import { Rails } from "./Rails";
import { isLong } from "./sizes";
import type { StepperState } from "./state";

interface Props {
  state: StepperState;
  trace: TraceModel;
  current: number;
  open: ReadonlySet<number>;
  search: string;
  fold: boolean;
  sends: boolean;
  /** Width of the card. */
  width: number;
  /** What is loaded later, where it has been: rails are of it. */
  parts: Parts | null;
}

export class Steps extends Component<Props> {
  // While a step plays the list stays as it is: hundreds of rows must not cost anything in each frame.
  override shouldComponentUpdate(next: Props): boolean {
    return (["trace", "current", "open", "search", "fold", "sends", "parts", "width"] as const).some(
      (k) => next[k] !== this.props[k],
    );
  }

  // The search takes its room from the list when it comes, and so does a lower picture beside it. What is opened is looked at.
  override componentDidUpdate(before: Props) {
    if (before.open === this.props.open) keepInView(this.#list.current?.querySelector(".current") ?? null);
  }

  #list = createRef<HTMLDivElement>();

  override render() {
    const { state, trace, current, open } = this.props;
    const rows = rowsOf(this.props);
    return (
      <div class="steps" ref={this.#list}>
        <div class="filters" hidden={!isLong(trace)}>
          <Loaded draw={this.props.parts?.filters} />
        </div>
        <div class="room">
          <div class="scroll">
            <Rows state={state} trace={trace} current={current} rows={rows} open={open} />
          </div>
        </div>
      </div>
    );
  }
}

interface Listed extends Pick<Props, "state" | "trace" | "current" | "open"> {
  rows: readonly Row[];
}

export function Rows({ state, trace, current, rows, open }: Listed) {
  return (
    <ol aria-label="steps">
      {rows.map((row) =>
        row.scope === null ? (
          <StepRow key={`s${row.step}`} state={state} trace={trace} row={row} current={row.step === current} />
        ) : (
          <ScopeRow
            key={`c${row.scope}`}
            state={state}
            trace={trace}
            row={row}
            current={current >= row.step && current < row.step + row.count}
            open={open.has(row.scope)}
          />
        ),
      )}
      {rows.length === 0 && <li class="none">no step matches</li>}
    </ol>
  );
}

interface RowProps {
  state: StepperState;
  trace: TraceModel;
  row: Row;
  /** Whether the step that is shown is this one, or folded into it. */
  current: boolean;
}

function Line({ state, trace, row, current, kind, children }: RowProps & Kind) {
  return (
    <li
      class={`${kind} ${current ? "current" : ""}`}
      style={{ paddingLeft: `${9 + row.depth * 12 - (current ? 4 : 0)}px` }}
      ref={current ? keepInView : null}
    >
      {trace.transfers.length > 0 && (
        <Rails
          of={state.now.parts?.railsOf(trace, {
            transfers: trace.transfers,
            from: row.step,
            to: row.step + Math.max(1, row.count) - 1,
            x: 14 + row.depth * 12,
          })}
        />
      )}
      {children}
    </li>
  );
}

interface Kind {
  kind: string;
  children: ComponentChildren;
}

function ScopeRow({ state, trace, row, current, open }: RowProps & { open: boolean }) {
  const scope = trace.doc.scopes[row.scope ?? -1];
  if (!scope || row.scope === null) return null;
  const { scope: index } = row;
  return (
    <Line state={state} trace={trace} row={row} current={current && !open} kind="scope">
      <button type="button" aria-expanded={open} onClick={() => state.toggleScope(index)}>
        <span class="fold" aria-hidden="true">
          {open ? "▾" : "▸"}
        </span>
        <span class="what">
          <b class="mono">{scope.name}</b>{" "}
          {scope.kind === "iteration" && (
            <span class="mono">
              {scope.iteration + 1}
              {row.until && ` to ${(trace.doc.scopes[row.until]?.iteration ?? 0) + 1}`} of {scope.times}{" "}
            </span>
          )}
          {!open && <span class="soft">{row.count === 1 ? "1 step" : `${row.count} steps`}</span>}
        </span>
      </button>
    </Line>
  );
}

function StepRow({ state, trace, row, current }: RowProps) {
  const step = trace.step(row.step);
  if (!step) return null;
  const c = trace.sends(step);
  const wrong = step.primitive === "error";
  const done = row.step < state.now.moment.step;
  const types = typesOf(trace, step);
  const sign = wrong ? "!" : (c?.semantics.sign ?? "");
  return (
    <Line state={state} trace={trace} row={row} current={current} kind={wrong ? "wrong" : axisKind(trace, step)}>
      <button type="button" aria-current={current ? "step" : undefined} onClick={() => state.jump(row.step)}>
        <span
          class={
            c || wrong
              ? `icon ${sign.length > 2 ? "word" : ""} ${trace.end(step) === "done" ? "received" : ""}`
              : done
                ? "dot done"
                : "dot"
          }
          aria-hidden="true"
        >
          {sign}
        </span>
        <span class="what">
          <b class="mono">{nameOf(trace, step)}</b> {c && <b class="mono axes">{c.axes.join(", ")} </b>}
          <span class="soft">
            {remark(trace, step)}
            {state.now.paper && step.source && `, line ${step.source.line}`}
          </span>
          {types.map((type) => (
            <span class="mono soft cut line" key={type} title={type}>
              <Tokens tokens={axisTokens(type, trace.mesh)} />
            </span>
          ))}
        </span>
      </button>
    </Line>
  );
}

/** What a step gives, each in a line of its own; what it reads is over the picture. */
function typesOf(trace: TraceModel, step: Step): readonly string[] {
  const outputs = step.outputs.flatMap((id) => trace.variable(id) ?? []);
  return outputs.slice(0, 3).map((v) => `${fitName(v.name, 84, 11, true)} ${v.type}`);
}

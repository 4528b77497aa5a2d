/** The list of steps: collectives marked, folded by function, named scope and loop, and searched. */
import { Component } from "preact";
import type { Step } from "../../model/document.gen";
import { axisTokens, bytes } from "../../model/text";
import { primitiveName, type TraceModel } from "../../model/trace";
import { AXIS_DASH } from "../../scene/scene";
import { Tokens } from "../Tokens";
import { keepInView } from "./scroll";
import type { StepperState } from "./state";

interface Props {
  state: StepperState;
  trace: TraceModel;
  current: number;
  open: ReadonlySet<number>;
  search: string;
  fold: boolean;
}

/** A row: a step, or a scope whose steps are folded into it. */
interface Row {
  step: number;
  scope: number | null;
  /** Steps that a folded scope holds. */
  count: number;
  depth: number;
}

export class Steps extends Component<Props> {
  // While a step plays the list stays as it is: rows by the hundred must not cost anything a frame.
  override shouldComponentUpdate(next: Props): boolean {
    const same = (["trace", "current", "open", "search", "fold"] as const).every((k) => next[k] === this.props[k]);
    return !same;
  }

  override render() {
    const { state, trace, current, search, fold } = this.props;
    const rows = rowsOf(this.props);
    const shapes = trace.steps.some((s) => s.shape_only);
    return (
      <div class="steps">
        <div class="tools">
          <input
            type="search"
            placeholder={`search ${trace.steps.length} steps`}
            aria-label="search steps"
            value={search}
            onInput={(event) => state.set({ search: event.currentTarget.value })}
            onKeyDown={(event) => event.stopPropagation()}
          />
          {shapes && (
            <label title="Leave out steps that only move or reshape elements">
              <input type="checkbox" checked={fold} onChange={() => state.set({ fold: !fold })} /> fold shapes
            </label>
          )}
        </div>
        <div class="scroll">
          <ol aria-label="steps">
            {rows.map((row) =>
              row.scope === null ? (
                <StepRow key={`s${row.step}`} state={state} trace={trace} row={row} current={row.step === current} />
              ) : (
                <ScopeRow key={`c${row.scope}`} state={state} trace={trace} row={row} current={current} />
              ),
            )}
            {rows.length === 0 && <li class="none">no step matches</li>}
          </ol>
        </div>
      </div>
    );
  }
}

/** What the list shows: closed scopes as one row each, unless something is searched for. */
function rowsOf({ trace, open, search, fold }: Props): Row[] {
  const { scopes } = trace.doc;
  const wanted = search.trim().toLowerCase();
  const rows: Row[] = [];
  trace.steps.forEach((s, step) => {
    if (wanted !== "") {
      if (text(trace, s).includes(wanted)) rows.push({ step, scope: null, count: 1, depth: 0 });
      return;
    }
    const path: number[] = [];
    for (let at = s.scope; at >= 0; at = scopes[at]?.parent ?? -1) path.unshift(at);
    const closed = path.find((scope) => !open.has(scope));
    const last = rows.at(-1);
    const shut = path.indexOf(closed ?? -1);
    for (const [depth, scope] of path.entries()) {
      if (scope === closed) break;
      // An open scope is named once, over its first step.
      if (!rows.some((r) => r.scope === scope)) rows.push({ step, scope, count: 0, depth });
    }
    if (closed === undefined) {
      if (!(fold && s.shape_only)) rows.push({ step, scope: null, count: 1, depth: path.length });
    } else if (last?.scope === closed) last.count += 1;
    else rows.push({ step, scope: closed, count: 1, depth: shut });
  });
  return rows;
}

function text(trace: TraceModel, s: Step): string {
  const names = s.outputs.map((id) => `${trace.variable(id)?.name ?? ""} ${trace.variable(id)?.type ?? ""}`);
  return [s.primitive, s.collective?.axes.join(" ") ?? "", s.source?.text ?? "", ...names].join(" ").toLowerCase();
}

function ScopeRow({
  state,
  trace,
  row,
  current,
}: {
  state: StepperState;
  trace: TraceModel;
  row: Row;
  current: number;
}) {
  const scope = trace.doc.scopes[row.scope ?? -1];
  if (!scope || row.scope === null) return null;
  const open = state.now.open.has(row.scope);
  const holds = !open && current >= row.step && current < row.step + row.count;
  const name = scope.kind === "iteration" ? `${scope.name} ${scope.iteration + 1} of ${scope.total}` : scope.name;
  return (
    <li class={holds ? "scope current" : "scope"} style={{ paddingLeft: `${12 + row.depth * 12}px` }}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => {
          const next = new Set(state.now.open);
          if (open) next.delete(row.scope ?? -1);
          else next.add(row.scope ?? -1);
          state.set({ open: next });
        }}
      >
        {open ? "▾" : "▸"} <b class="mono">{name}</b> {!open && <span class="soft">{row.count} steps</span>}
      </button>
    </li>
  );
}

function StepRow({
  state,
  trace,
  row,
  current,
}: {
  state: StepperState;
  trace: TraceModel;
  row: Row;
  current: boolean;
}) {
  const step = trace.step(row.step);
  if (!step) return null;
  const c = trace.communicates(step) ? step.collective : null;
  const axis = c?.axes[0];
  const kind = axis === undefined ? "" : `axis${trace.mesh.axisOf(axis) % AXIS_DASH.length}`;
  const done = row.step < state.now.moment.step;
  return (
    <li
      class={`${current ? "current" : ""} ${kind}`}
      style={{ paddingLeft: `${12 + row.depth * 12}px` }}
      ref={current ? keepInView : null}
    >
      <button type="button" aria-current={current ? "step" : undefined} onClick={() => state.jump(row.step)}>
        <span class={c ? "icon" : done ? "dot done" : "dot"} aria-hidden="true">
          {c ? (ICONS[c.kind] ?? "⇄") : ""}
        </span>
        <span class="what">
          <b class="mono">{primitiveName(step)}</b> {c && <span class="mono">{c.axes.join(", ")} </span>}
          <span class="soft">{remark(trace, step)}</span>
          <span class="mono soft line">
            <Tokens tokens={axisTokens(typesOf(trace, step), trace.mesh)} />
          </span>
        </span>
      </button>
    </li>
  );
}

/** What a step gives: all blocks that in_specs cuts, a type that changes as `p f32[2,4]{V:(x,y)} → {V:x}`. */
function typesOf(trace: TraceModel, step: Step): string {
  const outputs = step.outputs.flatMap((id) => trace.variable(id) ?? []).slice(0, 4);
  const [input, output] = [trace.variable(step.inputs[0] ?? -1), outputs[0]];
  if (!input || !output || (!step.collective && step.primitive !== "pvary") || step.inputs.length > 1)
    return outputs.map((v) => `${v.name} ${v.type}`).join("  ");
  const [before, after] = [input.type.split("{"), output.type.split("{")];
  const change = before[0] === after[0] ? (after[1] ? `{${after[1]}` : "{}") : output.type;
  return input.type === output.type ? `${output.name} ${output.type}` : `${output.name} ${input.type} → ${change}`;
}

function remark(trace: TraceModel, step: Step): string {
  const region = trace.doc.regions[step.region];
  if (step.primitive === "error") return "stops here";
  if (step.implicit) return "implicit, no communication";
  if (step.collective)
    return step.collective.bytes_per_device > 0
      ? `${bytes(step.collective.bytes_per_device)} per device`
      : "no communication";
  if (step.primitive === "in_specs") return "cut into blocks";
  if (step.primitive === "out_specs") return region ? `assemble ${region.out_specs.join(", ")}` : "assemble";
  return "local";
}

const ICONS: Readonly<Record<string, string>> = {
  psum: "Σ",
  pmax: "max",
  pmin: "min",
  all_gather: "⇉",
  reduce_scatter: "⤨",
  all_to_all: "⤭",
  ppermute: "→",
  pbroadcast: "⇶",
};

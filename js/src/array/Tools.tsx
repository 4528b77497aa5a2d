/** The row of tools: what is left of each dimension; zoom, the choice of dimensions, facets and panels, colouring. */
import type { ComponentChildren } from "preact";
import { Tokens } from "../card/Tokens";
import { Segments, Select } from "../card/Tools";
import type { PlacementModel } from "../core/placement";
import type { Summary } from "./model/summary";
import type { Fact } from "./parts/forms";
import { roles } from "./scene/faces";
import type { ColorBy } from "./scene/paints";
import type { ArrayState } from "./state";

const COLORS: readonly (readonly [ColorBy, string])[] = [
  ["position", "position"],
  ["values", "values"],
  ["device", "device id"],
];

interface ToolsProps {
  state: ArrayState;
  model: PlacementModel;
  summary: Summary;
}

export function ArrayTools({ state, model, summary }: ToolsProps) {
  const { parts, goTo, colorBy, valuesNote } = state.now;
  const mesh = state.shown()?.layout.mesh;
  const panels = mesh?.multiples ? mesh.order.slice(2) : [];
  const shaped = model.doc.shape !== null;
  const large = model.size > 64 || model.grid.some((n) => n > 16);
  if (!shaped && panels.length === 0 && !goTo) return null;
  return (
    <div class="tools">
      <Dims summary={summary}>
        {goTo && <GoTo state={state} />}
        <Facets state={state} />
        {colorBy === "values" && valuesNote && <p title={valuesNote}>{valuesNote}</p>}
      </Dims>
      {large && shaped && <Pair names={["zoom out", "zoom in"]} signs={["−", "+"]} go={(by) => state.zoom(by > 0)} />}
      {panels.length > 0 && (
        <label>
          panels
          <Select
            of={model.axes.map(({ name }, axis) => [axis, name])}
            value={panels[0]}
            choose={(axis) => state.setPanels(axis)}
          />
        </label>
      )}
      {panels.map((axis) => {
        const { name = "", size = 1 } = model.axes[axis] ?? {};
        return (
          <Pair of={name} go={(by) => state.slice(by, axis)} key={name}>
            {name} {/* As wide with any index: the missing digit is a space as wide as one. */}
            {`${model.digits(state.lit()?.positions[0] ?? 0)[axis]}`.padStart(`${size - 1}`.length, "\u2007")} of 0–
            {size - 1}
          </Pair>
        );
      })}
      <Roles state={state} model={model} />
      {shaped && <Forms of={parts?.formsOf(model) ?? []} />}
      {shaped && <Segments legend="colour by" of={COLORS} value={colorBy} choose={(color) => state.setColor(color)} />}
    </div>
  );
}

/** The spec where the type does not say it, and what is left of each dimension; over them what is asked and noted, so that nothing moves. */
function Dims({ summary: { spec, parts }, children }: { summary: Summary; children: ComponentChildren }) {
  return (
    <div class="dims mono soft">
      {spec.length > 0 && (
        <b>
          <Tokens tokens={spec} />
        </b>
      )}
      {parts.map(({ title, text, result, after }, i) => (
        <span key={i}>
          {title} <Tokens tokens={text} />
          <b>{result}</b>
          {after}
        </span>
      ))}
      <div class="over">{children}</div>
    </div>
  );
}

/** Opens over the picture, so that nothing moves. */
function Forms({ of }: { of: readonly Fact[] }) {
  return (
    <details class="forms">
      <summary>HLO, Shardy</summary>
      <dl>
        {of.map(({ label, value, note }) => [
          <dt key={label}>{label}</dt>,
          <dd class="mono">{value}</dd>,
          note && <dd class="note">{note}</dd>,
        ])}
      </dl>
    </details>
  );
}

interface PairProps {
  /** What they turn, where they turn something; else their names and signs. */
  of?: string;
  names?: readonly [string, string];
  signs?: readonly [string, string];
  go: (by: -1 | 1) => void;
  /** Whether there is nothing more on a side. */
  ends?: readonly [boolean, boolean];
  children?: ComponentChildren;
}

/** Two buttons that go one way and the other, with what they change between them. */
function Pair({ of, names = [`earlier ${of}`, `later ${of}`], signs = ["‹", "›"], go, ends, children }: PairProps) {
  const side = (k: 0 | 1) => (
    <button type="button" aria-label={names[k]} title={names[k]} disabled={ends?.[k]} onClick={() => go(k ? 1 : -1)}>
      {signs[k]}
    </button>
  );
  return (
    <span class="group">
      {side(0)} {children} {side(1)}
    </span>
  );
}

function GoTo({ state }: { state: ArrayState }) {
  return (
    <label class="goto">
      device
      <input
        type="number"
        ref={(input) => input?.focus()}
        onKeyDown={(event) => state.now.parts?.goesTo(state, event)}
        onInput={(event) => event.currentTarget.setCustomValidity("")}
      />
    </label>
  );
}

/** Which dimensions run down and across; the others are facets. */
export function Roles({ state, model }: { state: ArrayState; model: PlacementModel }) {
  if (model.rank < 3) return null;
  const { row, column } = roles(model, state.now.choice);
  const choose = (name: string, value: number | null, set: (dim: number) => void) => (
    <label>
      {name}
      <Select of={model.grid.map((_, d) => [d, `dim ${d}`])} value={value ?? undefined} choose={set} />
    </label>
  );
  // Choosing the other's dimension swaps the two.
  return (
    <span class="group">
      {choose("rows", row, (d) => state.setDims(d, d === column ? row : column))}
      {choose("columns", column, (d) => state.setDims(d === row ? column : row, d))}
    </span>
  );
}

/** Steps through facets that do not fit. */
export function Facets({ state }: { state: ArrayState }) {
  const faces = state.shown()?.layout.array?.faces;
  if (!faces) return null;
  const choice = state.now.choice;
  const pager = (which: 0 | 1, shown: number, name: string) => {
    const [first, total] = [faces.first[which], faces.total[which]];
    if (shown === total) return null;
    const go = (by: number) => {
      const facet: [number, number] = [...faces.first];
      facet[which] = Math.max(0, first + by * shown);
      state.set({ choice: { ...choice, facet } });
    };
    return (
      <Pair of={name} ends={[first === 0, first + shown >= total]} go={go}>
        {name} {first + 1}–{first + shown} of {total}
      </Pair>
    );
  };
  return (
    <>
      {pager(0, faces.across.segments.length, "facets")}
      {pager(1, faces.down.length, "facet rows")}
    </>
  );
}

/** The card of a comparison: head, tools, table, foot. A failure takes its place, never an empty cell. */
import type { ComparisonModel } from "./model/comparison";
import { badgesOf, titleOf } from "./model/words";
import { AxisChip } from "./parts";
import type { ComparisonState } from "./state";
import { Table } from "./Table";
import { TileTip } from "./TileTip";
import { Tools } from "./Tools";

export function ComparisonCard({ state }: { state: ComparisonState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { model } = shown;
  return (
    <>
      <Head model={model} />
      {model.doc.note && <p class="note">{model.doc.note}</p>}
      {model.rows.length > 12 && <Tools state={state} model={model} />}
      <Table state={state} {...shown} />
      <Foot model={model} />
      <TileTip state={state} />
    </>
  );
}

function Head({ model }: { model: ComparisonModel }) {
  return (
    <header>
      <h2 class="mono">{titleOf(model)}</h2>
      <span class="chips">
        {model.mesh.axes.map((a, axis) => (
          <AxisChip mesh={model.mesh} axis={axis} size key={a.name} />
        ))}
      </span>
      <ul class="badges">
        {badgesOf(model).map((b) => (
          <li class={`badge ${b.tone}`} key={b.text}>
            <b>{b.strong}</b> {b.text}
          </li>
        ))}
      </ul>
    </header>
  );
}

function Foot({ model }: { model: ComparisonModel }) {
  const { doc, mesh } = model;
  const target =
    doc.program?.target || `${mesh.size} ${doc.mesh.abstract ? "positions of an abstract mesh" : "devices"}`;
  return (
    <footer>
      <span>
        <b>×n</b> copies along the axis of that colour
      </span>
      <span class="end">
        {doc.compiled_from && "compiled for "}
        {target}
        {doc.jax_version && ` · JAX ${doc.jax_version}`}
      </span>
    </footer>
  );
}

/** The card of a tree of arrays: its table, one device as a map, the mesh, and what other specs would change. */
import { KeyedFoot } from "../card/KeyedFoot";
import { Bar } from "./Bar";
import { TreeHead } from "./Head";
import { KEYS } from "./keys";
import { LeafPanel } from "./LeafPanel";
import type { TreeModel } from "./model/tree";
import { FoldedPanel, Panel } from "./Panel";
import { type ModelState, NARROW, STACKED, WIDE } from "./state";
import { Table } from "./Table";
import { Tools } from "./Tools";
import { WhatIf } from "./WhatIf";

/** Keys that do nothing: there is nothing to look at, or no mesh to split anything over. */
function idleOf({ findings, mesh }: TreeModel): string[] {
  return [...(findings.length > 0 ? [] : ["n"]), ...(mesh.axes.length > 0 ? [] : ["w"])];
}

export function ModelCard({ state }: { state: ModelState }) {
  const shown = state.shown();
  if (!shown) return null;
  const { width, array } = state.now;
  const stacked = width < STACKED;
  const form = width < NARROW ? "narrow" : width < STACKED ? "stacked" : width < WIDE ? "beside tight" : "beside";
  return (
    <div class={`model ${form}`} style={{ "--panel-width": `${state.panelWidth() + 32}px` }}>
      <TreeHead state={state} shown={shown} />
      <Tools state={state} shown={shown} />
      {!stacked && <Bar state={state} shown={shown} />}
      <div class="body">
        <Table state={state} shown={shown} />
        {array !== null && <LeafPanel state={state} tree={shown.tree} leaf={array} key={array} />}
        {array === null && !stacked && <Panel state={state} shown={shown} />}
      </div>
      <WhatIf state={state} shown={shown} />
      {stacked && <FoldedPanel state={state} shown={shown} />}
      <KeyedFoot keys={KEYS} idle={idleOf(shown.tree)}>
        {shown.tree.mesh.axes.length > 0 && (
          <span class="key">
            <i class="cuts" aria-hidden="true" /> split: dim 0 left, dim 1 on top
          </span>
        )}
        {shown.tree.spent > 0 && (
          <span class="key">
            <i class="more" aria-hidden="true" /> copies
          </span>
        )}
      </KeyedFoot>
    </div>
  );
}

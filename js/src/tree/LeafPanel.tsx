/** A leaf beside the table: the array as it is, or a spec to try, in a bundle that is loaded when the first is opened. */

import { fixedModel } from "../card/fixed";
import { Opened } from "../card/Opened";
import { Segments } from "../card/Tools";
import type { WidgetModel } from "../card/widget";
import { placementAt, playgroundAt } from "./model/leaf";
import type { TreeModel } from "./model/tree";
import type { LeafPage, ModelState } from "./state";

const PAGES: readonly (readonly [LeafPage, string])[] = [
  ["array", "as it is"],
  ["leaf", "try a spec"],
];

interface Props {
  state: ModelState;
  tree: TreeModel;
  leaf: number;
}

export function LeafPanel({ state, tree, leaf }: Props) {
  const { leafPage } = state.now;
  const path = tree.pathOf(leaf);
  const model = leafPage === "leaf" ? editing(state, tree, leaf) : drawing(state, tree, leaf);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: where it is higher than its place it is scrolled by keyboard
    <section class="array" aria-label={`the array ${path}`} tabIndex={0}>
      <div class="bar">
        <Segments legend="array" of={PAGES} value={leafPage} choose={(page) => state.set({ leafPage: page })} />
        {/* The array itself says its path. */}
        <span class="mono soft" title={path}>
          {leafPage === "leaf" && tree.nameOf(leaf)}
        </span>
        <button type="button" class="close" aria-label="close the array" onClick={() => state.set({ array: null })}>
          ×
        </button>
      </div>
      {model ? (
        <Opened source={state.leafSource} view={leafPage} model={model} key={leafPage} />
      ) : (
        <p class="soft">{tree.typeAt(leaf).note || without(tree, leaf, leafPage)}</p>
      )}
    </section>
  );
}

function without(tree: TreeModel, leaf: number, page: LeafPage): string {
  const { type } = tree.typeAt(leaf);
  return page === "array" ? `${type} is on no device: there is nothing to draw.` : `No rule applies to ${type}.`;
}

function drawing(state: ModelState, tree: TreeModel, leaf: number): WidgetModel | null {
  const placement = placementAt(tree, leaf);
  const choices = { color_by: "position", row_dim: null, column_dim: null };
  return placement && modelOf({ _document: placement, _look: state.chosenLook, ...choices });
}

function editing(state: ModelState, tree: TreeModel, leaf: number): WidgetModel | null {
  const playground = playgroundAt(tree, leaf);
  const model = playground && modelOf({ _document: playground, _look: state.chosenLook });
  model?.on("change:_taken", () => {
    const { spec } = model.get("_taken") as { spec: string };
    state.takeSpec(leaf, spec);
  });
  return model;
}

function modelOf(traits: Readonly<Record<string, unknown>>): WidgetModel {
  return fixedModel(new Map(Object.entries({ ...traits, _static: true })));
}

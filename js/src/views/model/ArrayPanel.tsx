/** A leaf drawn as an array, by the view that arrays have. */
import { Component } from "preact";
import type { Placement } from "../../model/document.gen";
import type { TreeModel } from "../../model/tree";
import { placementAt } from "../../model/tree/words";
import { ArrayView } from "../array/ArrayView";
import arrayStyles from "../array/array.css";
import { ArrayState } from "../array/state";
import { fixedModel } from "../card/fixed";
import { entry } from "../card/mount";
import type { ModelState } from "./state";

interface Props {
  state: ModelState;
  tree: TreeModel;
  leaf: number;
}

const { render } = entry({ state: ArrayState, body: ArrayView, styles: [arrayStyles] });

export class ArrayPanel extends Component<Props> {
  #end: (() => void) | null = null;

  override shouldComponentUpdate(): boolean {
    return false;
  }

  override componentWillUnmount() {
    this.#end?.();
  }

  override render() {
    const { state, tree, leaf } = this.props;
    const placement = placementAt(tree, leaf);
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: where it is higher than its place it is scrolled by keyboard
      <section class="array" aria-label={`the array ${tree.pathOf(leaf)}`} tabIndex={0}>
        <button type="button" class="close" aria-label="close the array" onClick={() => state.set({ array: null })}>
          ×
        </button>
        {placement ? (
          <div
            ref={(el) => {
              if (el && !this.#end) this.#end = render({ model: modelOf(placement), el });
            }}
          />
        ) : (
          <p class="soft">
            {tree.typeAt(leaf).note || `${tree.typeAt(leaf).type} is on no device: there is nothing to draw.`}
          </p>
        )}
      </section>
    );
  }
}

function modelOf(placement: Placement) {
  const traits = { _document: placement, _static: true, color_by: "position", row_dim: null, column_dim: null };
  return fixedModel(new Map<string, unknown>(Object.entries(traits)));
}

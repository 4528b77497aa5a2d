/** The entry of ArrayView's bundle: draws a widget model, of anywidget's or of a saved page's. */

import { ArrayView } from "../views/ArrayView";
import styles from "../views/array.css";
import cardStyles from "../views/card.css";
import { Layers } from "../views/layers";
import { ViewState } from "../views/state";
import type { WidgetModel } from "./model";
import { mountView } from "./mount";

/** Draws the model; returns what takes the picture down again. */
export function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  return mountView(el, cardStyles + styles, (frame) => {
    const state = new ViewState(model, frame);
    const layers = new Layers(state);
    return {
      tree: () => <ArrayView state={state} layers={layers} />,
      watch: (changed) => state.watch(changed),
      rendered: () => layers.paint(),
      resize: (width) => state.resize(width),
      retheme: () => state.retheme(),
      dispose: () => {
        layers.dispose();
        state.dispose();
      },
    };
  });
}

export default { render };

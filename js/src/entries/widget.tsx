/** The entry of ArrayView's bundle: draws a widget model, of anywidget's or of a saved page's. */

import { ArrayView } from "../views/array/ArrayView";
import styles from "../views/array/array.css";
import { Layers } from "../views/array/layers";
import { ViewState } from "../views/array/state";
import cardStyles from "../views/card/card.css";
import { mountView } from "../views/card/mount";
import type { WidgetModel } from "../views/card/widget";

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

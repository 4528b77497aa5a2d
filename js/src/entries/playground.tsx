/** The entry of SpecPlayground's bundle: draws a widget model, of anywidget's or of a saved page's. */

import arrayStyles from "../views/array/array.css";
import { Layers } from "../views/array/layers";
import bandStyles from "../views/card/bands.css";
import cardStyles from "../views/card/card.css";
import { mountView } from "../views/card/mount";
import type { WidgetModel } from "../views/card/widget";
import { historyKeys } from "../views/playground/keys";
import { Playground } from "../views/playground/Playground";
import styles from "../views/playground/playground.css";
import { PlaygroundState } from "../views/playground/state";

/** Draws the model; returns what takes the picture down again. */
export function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  return mountView(el, cardStyles + arrayStyles + bandStyles + styles, (frame) => {
    const state = new PlaygroundState(model, frame);
    const layers = new Layers(state.picture);
    const stopKeys = historyKeys(() => state.now.editor, frame);
    return {
      tree: () => <Playground state={state} layers={layers} />,
      watch: (changed) => state.watch(changed),
      rendered: () => layers.paint(),
      resize: (width) => state.picture.resize(width),
      retheme: () => state.picture.retheme(),
      dispose: () => {
        stopKeys();
        layers.dispose();
        state.dispose();
      },
    };
  });
}

export default { render };

/** The entry of ShardingComparison's bundle: draws a widget model, of anywidget's or of a saved page's. */

import cardStyles from "../views/card/card.css";
import markStyles from "../views/card/marks.css";
import { mountView } from "../views/card/mount";
import type { WidgetModel } from "../views/card/widget";
import { ComparisonCard } from "../views/comparison/ComparisonCard";
import styles from "../views/comparison/comparison.css";
import { listen } from "../views/comparison/events";
import { ComparisonState } from "../views/comparison/state";

/** Draws the model; returns what takes the picture down again. */
export function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  return mountView(el, cardStyles + markStyles + styles, (frame) => {
    const state = new ComparisonState(model, frame);
    const stopListening = listen(state, frame);
    return {
      tree: () => <ComparisonCard state={state} />,
      watch: (changed) => state.watch(changed),
      rendered: () => state.drawn(),
      resize: (width) => state.resize(width),
      retheme: () => state.retheme(),
      dispose: () => {
        stopListening();
        state.dispose();
      },
    };
  });
}

export default { render };

/** The entry of the exercises' bundle: draws a widget model, of anywidget's or of a saved page's. */

import arrayStyles from "../views/array/array.css";
import bandStyles from "../views/card/bands.css";
import cardStyles from "../views/card/card.css";
import { mountView } from "../views/card/mount";
import type { WidgetModel } from "../views/card/widget";
import styles from "../views/exercise/exercise.css";
import { Sheet } from "../views/exercise/Sheet";
import { ExerciseState } from "../views/exercise/state";
import { historyKeys } from "../views/playground/keys";
import editorStyles from "../views/playground/playground.css";

/** Draws the model; returns what takes the picture down again. */
export function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  return mountView(el, cardStyles + arrayStyles + bandStyles + editorStyles + styles, (frame) => {
    const state = new ExerciseState(model, frame);
    const stopKeys = historyKeys(() => state.editor(), frame);
    return {
      tree: () => <Sheet state={state} />,
      watch: (changed) => state.watch(changed),
      rendered: () => state.drawn(),
      resize: (width) => state.resize(width),
      retheme: () => state.retheme(),
      dispose: () => {
        stopKeys();
        state.dispose();
      },
    };
  });
}

export default { render };

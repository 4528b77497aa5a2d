/** The entry of the exercises' bundle: draws a widget model, of anywidget's or of a saved page's. */

import arrayStyles from "../views/array.css";
import cardStyles from "../views/card.css";
import styles from "../views/exercise/exercise.css";
import { Sheet } from "../views/exercise/Sheet";
import { ExerciseState } from "../views/exercise/state";
import type { WidgetModel } from "./model";
import { mountView } from "./mount";

/** Draws the model; returns what takes the picture down again. */
export function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  return mountView(el, cardStyles + arrayStyles + styles, (frame) => {
    const state = new ExerciseState(model, frame);
    return {
      tree: () => <Sheet state={state} />,
      watch: (changed) => state.watch(changed),
      rendered: () => state.drawn(),
      resize: (width) => state.resize(width),
      retheme: () => state.retheme(),
      dispose: () => state.dispose(),
    };
  });
}

export default { render };

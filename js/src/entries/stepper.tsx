/** The entry of ShardMapStepper's bundle: draws a widget model, of anywidget's or of a saved page's. */

import cardStyles from "../views/card/card.css";
import { mountView } from "../views/card/mount";
import scrubberStyles from "../views/card/scrubber.css";
import type { WidgetModel } from "../views/card/widget";
import { stepperKeys } from "../views/stepper/keys";
import { StepperLayer } from "../views/stepper/layer";
import { Stepper } from "../views/stepper/Stepper";
import { StepperState } from "../views/stepper/state";
import styles from "../views/stepper/stepper.css";

/** Draws the model; returns what takes the picture down again. */
export function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  return mountView(el, cardStyles + scrubberStyles + styles, (frame) => {
    const state = new StepperState(model, frame);
    const layer = new StepperLayer(state);
    const stopKeys = stepperKeys(state, frame);
    return {
      tree: () => <Stepper state={state} layer={layer} />,
      watch: (changed) => state.watch(changed),
      rendered: () => layer.paint(),
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

/** The entry of CompiledProgram's bundle: draws a widget model, of anywidget's or of a saved page's. */

import cardStyles from "../views/card/card.css";
import markStyles from "../views/card/marks.css";
import { mountView } from "../views/card/mount";
import scrubberStyles from "../views/card/scrubber.css";
import type { WidgetModel } from "../views/card/widget";
import { programKeys } from "../views/program/keys";
import { ProgramLayer } from "../views/program/layer";
import { ProgramCard } from "../views/program/ProgramCard";
import styles from "../views/program/program.css";
import { ProgramState } from "../views/program/state";

/** Draws the model; returns what takes the picture down again. */
export function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  return mountView(el, cardStyles + markStyles + scrubberStyles + styles, (frame) => {
    const state = new ProgramState(model, frame);
    const layer = new ProgramLayer(state);
    const stopKeys = programKeys(state, frame);
    return {
      tree: () => <ProgramCard state={state} layer={layer} />,
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

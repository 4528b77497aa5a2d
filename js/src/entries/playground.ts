/** The entry of SpecPlayground's bundle. */
import arrayStyles from "../views/array/array.css";
import bandStyles from "../views/card/bands.css";
import footStyles from "../views/card/footer.css";
import { entry } from "../views/card/mount";
import { historyKeys } from "../views/playground/keys";
import { Playground } from "../views/playground/Playground";
import styles from "../views/playground/playground.css";
import { PlaygroundState } from "../views/playground/state";

export default entry({
  state: PlaygroundState,
  body: Playground,
  keys: (state, frame) => historyKeys(() => state.now.editor, frame),
  styles: [footStyles, arrayStyles, bandStyles, styles],
});

/** The entry of RunView's bundle. */

import contrastStyles from "../card/contrast.css";
import foldStyles from "../card/fold.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import { RunCard } from "./Card";
import { runKeys } from "./keys";
import styles from "./run.css";
import { RunState } from "./state";

export default entry({
  state: RunState,
  body: RunCard,
  keys: runKeys,
  styles: [paperStyles, contrastStyles, foldStyles, styles],
});

/** The entry of RunView's bundle. */

import foldStyles from "../card/fold.css";
import footStyles from "../card/footer.css";
import markStyles from "../card/marks.css";
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
  styles: [paperStyles, foldStyles, footStyles, markStyles, styles],
});

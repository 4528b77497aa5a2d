/** The entry of RunView's bundle. */

import foldStyles from "../views/card/fold.css";
import footStyles from "../views/card/footer.css";
import markStyles from "../views/card/marks.css";
import { entry } from "../views/card/mount";
import paperStyles from "../views/card/paper.css";
import { runKeys } from "../views/run/keys";
import { RunCard } from "../views/run/RunCard";
import styles from "../views/run/run.css";
import { RunState } from "../views/run/state";

export default entry({
  state: RunState,
  body: RunCard,
  keys: runKeys,
  styles: [paperStyles, foldStyles, footStyles, markStyles, styles],
});

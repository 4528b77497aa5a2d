/** The entry of RunView's bundle. */

import boardStyles from "../card/board.css";
import foldStyles from "../card/fold.css";
import keyedStyles from "../card/keyed.css";
import lineStyles from "../card/lines.css";
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
  styles: [keyedStyles, paperStyles, lineStyles, boardStyles, foldStyles, styles],
});

/** The entry of the bundle that draws arrays on groups of devices. */

import boardStyles from "../card/board.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import { MpmdCard } from "./Card";
import { mpmdKeys } from "./keys";
import styles from "./mpmd.css";
import { MpmdState } from "./state";

export default entry({
  state: MpmdState,
  body: MpmdCard,
  keys: mpmdKeys,
  styles: [paperStyles, boardStyles, styles],
});

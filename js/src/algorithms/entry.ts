/** The entry of AlgorithmView's bundle. */

import boardStyles from "../card/board.css";
import buttonStyles from "../card/buttons.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import styles from "./algorithms.css";
import { AlgorithmsCard } from "./Card";
import { algorithmsKeys } from "./keys";
import { AlgorithmsState } from "./state";

export default entry({
  state: AlgorithmsState,
  body: AlgorithmsCard,
  keys: algorithmsKeys,
  styles: [boardStyles, paperStyles, buttonStyles, styles],
});

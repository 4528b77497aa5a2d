/** The entry of AlgorithmView's bundle. */

import { AlgorithmsCard } from "../views/algorithms/AlgorithmsCard";
import styles from "../views/algorithms/algorithms.css";
import { algorithmsKeys } from "../views/algorithms/keys";
import { AlgorithmsState } from "../views/algorithms/state";
import markStyles from "../views/card/marks.css";
import { entry } from "../views/card/mount";
import paperStyles from "../views/card/paper.css";

export default entry({
  state: AlgorithmsState,
  body: AlgorithmsCard,
  keys: algorithmsKeys,
  styles: [paperStyles, markStyles, styles],
});

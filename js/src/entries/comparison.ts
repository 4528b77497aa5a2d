/** The entry of ShardingComparison's bundle. */

import footStyles from "../views/card/footer.css";
import markStyles from "../views/card/marks.css";
import { entry } from "../views/card/mount";
import paperStyles from "../views/card/paper.css";
import { ComparisonCard } from "../views/comparison/ComparisonCard";
import styles from "../views/comparison/comparison.css";
import { listen } from "../views/comparison/events";
import { ComparisonState } from "../views/comparison/state";

export default entry({
  state: ComparisonState,
  body: ComparisonCard,
  keys: listen,
  styles: [paperStyles, footStyles, markStyles, styles],
});

/** The entry of ShardingComparison's bundle. */

import footStyles from "../card/footer.css";
import markStyles from "../card/marks.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import { ComparisonCard } from "./Card";
import styles from "./comparison.css";
import { listen } from "./events";
import { ComparisonState } from "./state";

export default entry({
  state: ComparisonState,
  body: ComparisonCard,
  keys: listen,
  styles: [paperStyles, footStyles, markStyles, styles],
});

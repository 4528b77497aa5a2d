/** The entry of ShardingComparison's bundle. */

import chainStyles from "../card/chain.css";
import fadeStyles from "../card/fade.css";
import keyedStyles from "../card/keyed.css";
import lineStyles from "../card/lines.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import tipStyles from "../card/tip.css";
import walkStyles from "../card/walk.css";
import { ComparisonCard } from "./Card";
import styles from "./comparison.css";
import { listen } from "./events";
import { ComparisonState } from "./state";

export default entry({
  state: ComparisonState,
  body: ComparisonCard,
  keys: listen,
  styles: [keyedStyles, tipStyles, paperStyles, walkStyles, lineStyles, chainStyles, fadeStyles, styles],
});

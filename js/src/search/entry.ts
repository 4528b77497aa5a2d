/** The entry of SearchView's bundle. */

import boardStyles from "../card/board.css";
import fadeStyles from "../card/fade.css";
import keyedStyles from "../card/keyed.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import tipStyles from "../card/tip.css";
import { SearchCard } from "./Card";
import { searchKeys } from "./keys";
import styles from "./search.css";
import { SearchState } from "./state";

export default entry({
  state: SearchState,
  body: SearchCard,
  keys: searchKeys,
  styles: [keyedStyles, paperStyles, boardStyles, tipStyles, fadeStyles, styles],
});

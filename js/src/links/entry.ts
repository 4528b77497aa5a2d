/** The entry of LinksView's bundle. */

import boardStyles from "../card/board.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import { LinksCard } from "./Card";
import { linksKeys } from "./keys";
import styles from "./links.css";
import { LinksState } from "./state";

export default entry({
  state: LinksState,
  body: LinksCard,
  keys: linksKeys,
  styles: [paperStyles, boardStyles, styles],
});

/** The entry of ReshardPlanView's bundle. */

import boardStyles from "../card/board.css";
import buttonStyles from "../card/buttons.css";
import keyedStyles from "../card/keyed.css";
import lineStyles from "../card/lines.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import { ReshardCard } from "./Card";
import { reshardKeys } from "./keys";
import styles from "./reshard.css";
import { ReshardState } from "./state";

export default entry({
  state: ReshardState,
  body: ReshardCard,
  keys: reshardKeys,
  styles: [keyedStyles, paperStyles, lineStyles, boardStyles, buttonStyles, styles],
});

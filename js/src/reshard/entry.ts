/** The entry of ReshardPlanView's bundle. */

import buttonStyles from "../card/buttons.css";
import contrastStyles from "../card/contrast.css";
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
  styles: [paperStyles, contrastStyles, buttonStyles, styles],
});

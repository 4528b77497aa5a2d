/** The entry of ReshardPlanView's bundle. */

import buttonStyles from "../views/card/buttons.css";
import markStyles from "../views/card/marks.css";
import { entry } from "../views/card/mount";
import paperStyles from "../views/card/paper.css";
import { reshardKeys } from "../views/reshard/keys";
import { ReshardCard } from "../views/reshard/ReshardCard";
import styles from "../views/reshard/reshard.css";
import { ReshardState } from "../views/reshard/state";

export default entry({
  state: ReshardState,
  body: ReshardCard,
  keys: reshardKeys,
  styles: [paperStyles, markStyles, buttonStyles, styles],
});

/** The entry of the bundle that draws arrays on groups of devices. */

import footStyles from "../views/card/footer.css";
import markStyles from "../views/card/marks.css";
import { entry } from "../views/card/mount";
import paperStyles from "../views/card/paper.css";
import { mpmdKeys } from "../views/mpmd/keys";
import { MpmdCard } from "../views/mpmd/MpmdCard";
import styles from "../views/mpmd/mpmd.css";
import { MpmdState } from "../views/mpmd/state";

export default entry({
  state: MpmdState,
  body: MpmdCard,
  keys: mpmdKeys,
  styles: [paperStyles, footStyles, markStyles, styles],
});

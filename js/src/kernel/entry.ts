/** The entry of KernelView's bundle. */

import boardStyles from "../card/board.css";
import buttonStyles from "../card/buttons.css";
import keyedStyles from "../card/keyed.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import walkStyles from "../card/walk.css";
import { KernelCard } from "./Card";
import styles from "./kernel.css";
import { kernelKeys } from "./keys";
import { KernelState } from "./state";

export default entry({
  state: KernelState,
  body: KernelCard,
  keys: kernelKeys,
  styles: [keyedStyles, boardStyles, paperStyles, walkStyles, buttonStyles, styles],
});

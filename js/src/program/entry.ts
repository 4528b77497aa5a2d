/** The entry of CompiledProgram's bundle. */

import buttonStyles from "../card/buttons.css";
import chainStyles from "../card/chain.css";
import foldStyles from "../card/fold.css";
import keyedStyles from "../card/keyed.css";
import lineStyles from "../card/lines.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import scrubberStyles from "../card/scrubber.css";
import walkStyles from "../card/walk.css";
import { ProgramCard } from "./Card";
import { programKeys } from "./keys";
import styles from "./program.css";
import { ProgramState } from "./state";

export default entry({
  state: ProgramState,
  body: ProgramCard,
  keys: programKeys,
  styles: [
    keyedStyles,
    paperStyles,
    walkStyles,
    lineStyles,
    buttonStyles,
    foldStyles,
    scrubberStyles,
    chainStyles,
    styles,
  ],
});

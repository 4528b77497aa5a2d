/** The entry of CompiledProgram's bundle. */

import foldStyles from "../card/fold.css";
import footStyles from "../card/footer.css";
import markStyles from "../card/marks.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import scrubberStyles from "../card/scrubber.css";
import { ProgramCard } from "./Card";
import { programKeys } from "./keys";
import memoryStyles from "./memory/memory.css";
import styles from "./program.css";
import { ProgramState } from "./state";

export default entry({
  state: ProgramState,
  body: ProgramCard,
  keys: programKeys,
  styles: [paperStyles, foldStyles, footStyles, markStyles, scrubberStyles, styles, memoryStyles],
});

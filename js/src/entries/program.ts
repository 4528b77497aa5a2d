/** The entry of CompiledProgram's bundle. */

import foldStyles from "../views/card/fold.css";
import footStyles from "../views/card/footer.css";
import markStyles from "../views/card/marks.css";
import { entry } from "../views/card/mount";
import paperStyles from "../views/card/paper.css";
import scrubberStyles from "../views/card/scrubber.css";
import { programKeys } from "../views/program/keys";
import memoryStyles from "../views/program/memory/memory.css";
import { ProgramCard } from "../views/program/ProgramCard";
import styles from "../views/program/program.css";
import { ProgramState } from "../views/program/state";

export default entry({
  state: ProgramState,
  body: ProgramCard,
  keys: programKeys,
  styles: [paperStyles, foldStyles, footStyles, markStyles, scrubberStyles, styles, memoryStyles],
});

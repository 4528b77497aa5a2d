/** The entry of the exercises' bundle. */

import arrayStyles from "../views/array/array.css";
import bandStyles from "../views/card/bands.css";
import footStyles from "../views/card/footer.css";
import { entry } from "../views/card/mount";
import paperStyles from "../views/card/paper.css";
import styles from "../views/exercise/exercise.css";
import { exerciseKeys } from "../views/exercise/keys";
import { Sheet } from "../views/exercise/Sheet";
import { ExerciseState } from "../views/exercise/state";
import editorStyles from "../views/playground/playground.css";

export default entry({
  state: ExerciseState,
  body: Sheet,
  keys: exerciseKeys,
  styles: [paperStyles, footStyles, arrayStyles, bandStyles, editorStyles, styles],
});

/** The entry of the exercises' bundle. */

import { arrayStyles } from "../array/public";
import bandStyles from "../card/bands.css";
import fadeStyles from "../card/fade.css";
import { entry } from "../card/mount";
import onwardStyles from "../card/onward.css";
import paperStyles from "../card/paper.css";
import tipStyles from "../card/tip.css";
import { editorStyles } from "../playground/public";
import { ExerciseCard } from "./Card";
import styles from "./exercise.css";
import { exerciseKeys } from "./keys";
import { ExerciseState } from "./state";

export default entry({
  state: ExerciseState,
  body: ExerciseCard,
  keys: exerciseKeys,
  styles: [tipStyles, onwardStyles, fadeStyles, paperStyles, arrayStyles, bandStyles, editorStyles, styles],
});

/** The entry of ShardMapStepper's bundle. */

import buttonStyles from "../card/buttons.css";
import fadeStyles from "../card/fade.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import scrubberStyles from "../card/scrubber.css";
import walkStyles from "../card/walk.css";
import { StepperCard } from "./Card";
import { stepperKeys } from "./keys";
import { StepperState } from "./state";
import styles from "./stepper.css";

export default entry({
  state: StepperState,
  body: StepperCard,
  keys: stepperKeys,
  styles: [walkStyles, paperStyles, buttonStyles, scrubberStyles, fadeStyles, styles],
});

/** The entry of ShardMapStepper's bundle. */

import buttonStyles from "../views/card/buttons.css";
import { entry } from "../views/card/mount";
import paperStyles from "../views/card/paper.css";
import scrubberStyles from "../views/card/scrubber.css";
import { stepperKeys } from "../views/stepper/keys";
import { Stepper } from "../views/stepper/Stepper";
import { StepperState } from "../views/stepper/state";
import styles from "../views/stepper/stepper.css";

export default entry({
  state: StepperState,
  body: Stepper,
  keys: stepperKeys,
  styles: [paperStyles, buttonStyles, scrubberStyles, styles],
});

/** The entry of the Inspector's bundle. */

import contrastStyles from "../card/contrast.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import toolStyles from "../card/tools.css";
import { InspectorCard } from "./Card";
import styles from "./inspector.css";
import { inspectorKeys } from "./keys";
import { InspectorState } from "./state";

export default entry({
  state: InspectorState,
  body: InspectorCard,
  keys: inspectorKeys,
  styles: [toolStyles, paperStyles, contrastStyles, styles],
});

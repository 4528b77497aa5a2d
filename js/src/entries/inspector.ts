/** The entry of the Inspector's bundle. */

import footStyles from "../views/card/footer.css";
import markStyles from "../views/card/marks.css";
import { entry } from "../views/card/mount";
import paperStyles from "../views/card/paper.css";
import { InspectorCard } from "../views/inspector/InspectorCard";
import styles from "../views/inspector/inspector.css";
import { inspectorKeys } from "../views/inspector/keys";
import { InspectorState } from "../views/inspector/state";

export default entry({
  state: InspectorState,
  body: InspectorCard,
  keys: inspectorKeys,
  styles: [paperStyles, footStyles, markStyles, styles],
});

/** The entry of the Inspector's bundle. */

import footStyles from "../card/footer.css";
import markStyles from "../card/marks.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import { InspectorCard } from "./Card";
import styles from "./inspector.css";
import { inspectorKeys } from "./keys";
import { InspectorState } from "./state";

export default entry({
  state: InspectorState,
  body: InspectorCard,
  keys: inspectorKeys,
  styles: [paperStyles, footStyles, markStyles, styles],
});

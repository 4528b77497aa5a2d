/** The entry of the Inspector's bundle. */

import keyedStyles from "../card/keyed.css";
import lineStyles from "../card/lines.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import walkStyles from "../card/walk.css";
import { InspectorCard } from "./Card";
import styles from "./inspector.css";
import { inspectorKeys } from "./keys";
import { InspectorState } from "./state";

export default entry({
  state: InspectorState,
  body: InspectorCard,
  keys: inspectorKeys,
  styles: [keyedStyles, paperStyles, walkStyles, lineStyles, styles],
});

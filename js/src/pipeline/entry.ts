/** The entry of PipelineView's bundle. */

import boardStyles from "../card/board.css";
import buttonStyles from "../card/buttons.css";
import fadeStyles from "../card/fade.css";
import keyedStyles from "../card/keyed.css";
import lineStyles from "../card/lines.css";
import { entry } from "../card/mount";
import onwardStyles from "../card/onward.css";
import paperStyles from "../card/paper.css";
import { PipelineCard } from "./Card";
import { pipelineKeys } from "./keys";
import styles from "./pipeline.css";
import { PipelineState } from "./state";

export default entry({
  state: PipelineState,
  body: PipelineCard,
  keys: pipelineKeys,
  styles: [fadeStyles, onwardStyles, keyedStyles, paperStyles, lineStyles, boardStyles, buttonStyles, styles],
});

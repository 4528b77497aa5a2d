/** The entry of PipelineView's bundle. */

import markStyles from "../card/marks.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import { PipelineCard } from "./Card";
import { pipelineKeys } from "./keys";
import styles from "./pipeline.css";
import { PipelineState } from "./state";

export default entry({
  state: PipelineState,
  body: PipelineCard,
  keys: pipelineKeys,
  styles: [paperStyles, markStyles, styles],
});

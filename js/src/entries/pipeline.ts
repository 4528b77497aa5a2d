/** The entry of PipelineView's bundle. */

import markStyles from "../views/card/marks.css";
import { entry } from "../views/card/mount";
import paperStyles from "../views/card/paper.css";
import { pipelineKeys } from "../views/pipeline/keys";
import { PipelineCard } from "../views/pipeline/PipelineCard";
import styles from "../views/pipeline/pipeline.css";
import { PipelineState } from "../views/pipeline/state";

export default entry({
  state: PipelineState,
  body: PipelineCard,
  keys: pipelineKeys,
  styles: [paperStyles, markStyles, styles],
});

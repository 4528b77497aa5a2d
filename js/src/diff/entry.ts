/** The entry of DiffView's bundle. */
import fadeStyles from "../card/fade.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import { DiffCard } from "./Card";
import styles from "./diff.css";
import { diffKeys } from "./keys";
import { DiffState } from "./state";

export default entry({
  state: DiffState,
  body: DiffCard,
  keys: diffKeys,
  styles: [paperStyles, fadeStyles, styles],
});

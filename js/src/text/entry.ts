/** The entry of TextView's bundle. */
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import { TextCard } from "./Card";
import { TextState } from "./state";
import styles from "./text.css";

export default entry({ state: TextState, body: TextCard, styles: [paperStyles, styles] });

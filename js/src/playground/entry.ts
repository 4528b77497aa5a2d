/** The entry of SpecPlayground's bundle, and, for cards around it, an array alone and one with a spec to edit. */

import { ArrayCard, arrayStyles } from "../array/public";
import bandStyles from "../card/bands.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import tipStyles from "../card/tip.css";
import { PlaygroundCard } from "./Card";
import { historyKeys } from "./keys";
import { Leaf, LeafState } from "./Leaf";
import styles from "./playground.css";
import { PlaygroundState } from "./state";
import { WholeArrayState } from "./whole";

const keys = (state: PlaygroundState, frame: HTMLElement) => historyKeys(() => state.now.editor, frame);
const common = [tipStyles, paperStyles, arrayStyles, bandStyles, styles];

export default entry({ state: PlaygroundState, body: PlaygroundCard, keys, styles: common });
export const array = entry({
  state: WholeArrayState,
  body: ArrayCard,
  styles: [paperStyles, tipStyles, arrayStyles],
});
export const leaf = entry({ state: LeafState, body: Leaf, keys, styles: common });

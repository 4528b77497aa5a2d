/** The entry of SpecPlayground's bundle, and, for cards around it, an array alone and one with a spec to edit. */
import { ArrayView } from "../views/array/ArrayView";
import arrayStyles from "../views/array/array.css";
import bandStyles from "../views/card/bands.css";
import footStyles from "../views/card/footer.css";
import { entry } from "../views/card/mount";
import paperStyles from "../views/card/paper.css";
import { historyKeys } from "../views/playground/keys";
import { Leaf, LeafState } from "../views/playground/Leaf";
import { Playground } from "../views/playground/Playground";
import styles from "../views/playground/playground.css";
import { PlaygroundState } from "../views/playground/state";
import { WholeArrayState } from "../views/playground/whole";

const keys = (state: PlaygroundState, frame: HTMLElement) => historyKeys(() => state.now.editor, frame);
const common = [paperStyles, footStyles, arrayStyles, bandStyles, styles];

export default entry({ state: PlaygroundState, body: Playground, keys, styles: common });
export const array = entry({ state: WholeArrayState, body: ArrayView, styles: [paperStyles, footStyles, arrayStyles] });
export const leaf = entry({ state: LeafState, body: Leaf, keys, styles: common });

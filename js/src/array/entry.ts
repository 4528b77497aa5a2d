/** The entry of ArrayView's bundle. */

import { entry } from "../card/mount";
import tipStyles from "../card/tip.css";
import arrayStyles from "./array.css";
import { ArrayCard } from "./Card";
import { ArrayState } from "./state";

export default entry({ state: ArrayState, body: ArrayCard, styles: [tipStyles, arrayStyles] });

/** The entry of ArrayView's bundle. */

import { entry } from "../card/mount";
import saysStyles from "../card/says.css";
import tipStyles from "../card/tip.css";
import toolStyles from "../card/tools.css";
import arrayStyles from "./array.css";
import { ArrayCard } from "./Card";
import { ArrayState } from "./state";

export default entry({ state: ArrayState, body: ArrayCard, styles: [saysStyles, toolStyles, tipStyles, arrayStyles] });

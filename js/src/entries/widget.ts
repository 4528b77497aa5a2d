/** The entry of ArrayView's bundle. */

import { ArrayView } from "../views/array/ArrayView";
import arrayStyles from "../views/array/array.css";
import { ArrayState } from "../views/array/state";
import footStyles from "../views/card/footer.css";
import { entry } from "../views/card/mount";

export default entry({ state: ArrayState, body: ArrayView, styles: [footStyles, arrayStyles] });

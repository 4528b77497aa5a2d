/** The entry of ArrayView's bundle. */
import footStyles from "../card/footer.css";
import { entry } from "../card/mount";
import arrayStyles from "./array.css";
import { ArrayCard } from "./Card";
import { ArrayState } from "./state";

export default entry({ state: ArrayState, body: ArrayCard, styles: [footStyles, arrayStyles] });

/** The entry of ModelView's bundle. */

import footStyles from "../views/card/footer.css";
import markStyles from "../views/card/marks.css";
import { entry } from "../views/card/mount";
import { modelKeys } from "../views/model/keys";
import { ModelCard } from "../views/model/ModelCard";
import styles from "../views/model/model.css";
import { ModelState } from "../views/model/state";

export default entry({ state: ModelState, body: ModelCard, keys: modelKeys, styles: [footStyles, markStyles, styles] });

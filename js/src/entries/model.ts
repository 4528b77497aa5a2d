/** The entry of ModelView's bundle: a tree, or trees side by side. */

import foldStyles from "../views/card/fold.css";
import footStyles from "../views/card/footer.css";
import markStyles from "../views/card/marks.css";
import { entry } from "../views/card/mount";
import paperStyles from "../views/card/paper.css";
import type { WidgetModel } from "../views/card/widget";
import { ComparedCard } from "../views/model/compared/ComparedCard";
import comparedStyles from "../views/model/compared/compared.css";
import { comparedKeys } from "../views/model/compared/keys";
import { ComparedState } from "../views/model/compared/state";
import { modelKeys } from "../views/model/keys";
import { ModelCard } from "../views/model/ModelCard";
import styles from "../views/model/model.css";
import { ModelState } from "../views/model/state";

const common = [paperStyles, foldStyles, footStyles, markStyles, styles];
const one = entry({ state: ModelState, body: ModelCard, keys: modelKeys, styles: common });
const several = entry({
  ...{ state: ComparedState, body: ComparedCard, keys: comparedKeys },
  styles: [...common, comparedStyles],
});

export default {
  render(place: { model: WidgetModel; el: HTMLElement }): () => void {
    const document = place.model.get("_document") as { kind?: unknown } | null | undefined;
    return (document?.kind === "model comparison" ? several : one).render(place);
  },
};

/** The entry of ModelView's bundle: a tree, or trees side by side. */

import fadeStyles from "../card/fade.css";
import foldStyles from "../card/fold.css";
import keyedStyles from "../card/keyed.css";
import lineStyles from "../card/lines.css";
import { entry } from "../card/mount";
import paperStyles from "../card/paper.css";
import walkStyles from "../card/walk.css";
import type { WidgetModel } from "../card/widget";
import { ModelCard } from "./Card";
import { ComparedCard } from "./compared/Card";
import comparedStyles from "./compared/compared.css";
import { comparedKeys } from "./compared/keys";
import { ComparedState } from "./compared/state";
import { modelKeys } from "./keys";
import { ModelState } from "./state";
import styles from "./tree.css";

const common = [keyedStyles, paperStyles, walkStyles, lineStyles, foldStyles, fadeStyles, styles];
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

/** The arrays of a namespace without a page. */
import type { Picture, SavedState } from "../picture/picture";
import { decodeNamespace, NamespaceModel } from "./model/namespace";
import { namespaceScene } from "./scene/card";

export default {
  kinds: ["namespace"],
  draw({ _document }, look) {
    return [namespaceScene(new NamespaceModel(decodeNamespace(_document)), look), "arrays"];
  },
} satisfies Picture<SavedState>;

/** An array on groups of devices without a page. */
import type { Picture, SavedState } from "../picture/picture";
import { decodeMpmd, MpmdModel } from "./model/mpmd";
import { mpmdScene } from "./scene/card";

interface State extends SavedState {
  selection?: { group?: number } | null;
}

export default {
  kinds: ["mpmd"],
  draw({ _document, selection }, look) {
    const model = new MpmdModel(decodeMpmd(_document));
    const group = selection?.group ?? null;
    return [mpmdScene(model, { ...look, group }), `${model.doc.name} ${model.doc.type}`.trim()];
  },
} satisfies Picture<State>;

/** An array or mesh without a page. */
import { decodePlacement, PlacementModel } from "../core/placement";
import type { Picture, SavedState } from "../picture/picture";
import { highlightOf, type Selection } from "./model/selection";
import { cardScene } from "./scene/card";
import { WHOLE } from "./scene/faces";
import type { ColorBy } from "./scene/paints";

interface State extends SavedState {
  color_by?: ColorBy;
  row_dim?: number | null;
  column_dim?: number | null;
  selection?: Selection | null;
}

export default {
  kinds: ["placement"],
  draw(state, { width, scheme }) {
    const model = new PlacementModel(decodePlacement(state._document));
    const scene = cardScene(model, {
      width,
      scheme,
      colorBy: state.color_by ?? "position",
      choice: { ...WHOLE, rowDim: state.row_dim ?? null, columnDim: state.column_dim ?? null },
      highlight: highlightOf(model, state.selection ?? null),
    });
    return [scene, `${model.doc.name} ${model.doc.type} ${model.doc.spec ?? ""}`.trim()];
  },
} satisfies Picture<State>;

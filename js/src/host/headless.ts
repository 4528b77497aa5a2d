/** The picture without a page: what Python runs in a bare V8 to write an SVG. */
import { decodePlacement, PlacementModel } from "../model/placement";
import { reviveBytes } from "../model/saved";
import { highlightOf, type Selection } from "../model/selection";
import { pngDataUri } from "../paint/png";
import { paintSvg } from "../paint/svg";
import { theme } from "../paint/theme";
import { cardScene } from "../scene/card";
import { WHOLE } from "../scene/faces";
import type { ColorBy } from "../scene/paints";

export interface SvgOptions {
  width: number;
  theme: "light" | "dark";
}

/** JSON of a widget's state (bytes as `{"$bytes": base64}`) and JSON of options to the text of an SVG. */
export function svg(stateJson: string, optionsJson: string): string {
  const state = reviveBytes(JSON.parse(stateJson)) as {
    _document: unknown;
    color_by?: ColorBy;
    row_dim?: number | null;
    column_dim?: number | null;
    selection?: Selection | null;
  };
  const { width, theme: scheme } = JSON.parse(optionsJson) as SvgOptions;
  const model = new PlacementModel(decodePlacement(state._document));
  const scene = cardScene(model, {
    width,
    scheme,
    colorBy: state.color_by ?? "position",
    choice: { ...WHOLE, rowDim: state.row_dim ?? null, columnDim: state.column_dim ?? null },
    highlight: highlightOf(model, state.selection ?? null),
  });
  return paintSvg(
    scene,
    theme(scheme),
    `${model.doc.name} ${model.doc.type} ${model.doc.spec ?? ""}`.trim(),
    pngDataUri,
  );
}

(globalThis as { shardwidget?: { svg: typeof svg } }).shardwidget = { svg };

/** The picture without a page: what Python runs in a bare V8 to write an SVG. */

import type { Scheme } from "../model/color";
import { type Choices, ComparisonModel, decodeComparison } from "../model/comparison";
import { decodePlacement, PlacementModel } from "../model/placement";
import { reviveBytes } from "../model/saved";
import { highlightOf, type Selection } from "../model/selection";
import { decodeTrace, TraceModel } from "../model/trace";
import { pngDataUri } from "../paint/png";
import { paintSvg } from "../paint/svg";
import { theme } from "../paint/theme";
import { cardScene } from "../scene/card";
import { comparisonScene } from "../scene/comparison";
import { WHOLE } from "../scene/faces";
import type { ColorBy } from "../scene/paints";
import type { Scene } from "../scene/scene";
import { stepScene } from "../scene/stepcard";

export interface SvgOptions {
  width: number;
  theme: "light" | "dark";
}

/** JSON of a widget's state (bytes as `{"$bytes": base64}`) and JSON of options to the text of an SVG. */
export function svg(stateJson: string, optionsJson: string): string {
  const state = reviveBytes(JSON.parse(stateJson)) as State;
  const { width, theme: scheme } = JSON.parse(optionsJson) as SvgOptions;
  const draw = { trace: stepOf, comparison: comparisonOf }[String(state._document.kind)] ?? cardOf;
  const [scene, title] = draw(state, width, scheme);
  return paintSvg(scene, theme(scheme), title, pngDataUri);
}

interface State {
  _document: { kind: unknown };
  color_by?: ColorBy;
  row_dim?: number | null;
  column_dim?: number | null;
  selection?: Selection | null;
  step?: number;
  watch?: readonly string[];
  choices?: Choices;
}

function cardOf(state: State, width: number, scheme: Scheme): readonly [Scene, string] {
  const model = new PlacementModel(decodePlacement(state._document));
  const scene = cardScene(model, {
    width,
    scheme,
    colorBy: state.color_by ?? "position",
    choice: { ...WHOLE, rowDim: state.row_dim ?? null, columnDim: state.column_dim ?? null },
    highlight: highlightOf(model, state.selection ?? null),
  });
  return [scene, `${model.doc.name} ${model.doc.type} ${model.doc.spec ?? ""}`.trim()];
}

function stepOf(state: State, width: number, scheme: Scheme): readonly [Scene, string] {
  const trace = new TraceModel(decodeTrace(state._document));
  const picture = { width, scheme, watch: state.watch ?? [] };
  return [stepScene(trace, { step: state.step ?? 0, phase: 1 }, picture), trace.doc.name];
}

function comparisonOf(state: State, width: number, scheme: Scheme): readonly [Scene, string] {
  const model = new ComparisonModel(decodeComparison(state._document), state.choices ?? {});
  return [comparisonScene(model, { width, scheme }), model.doc.name];
}

(globalThis as { shardwidget?: { svg: typeof svg } }).shardwidget = { svg };

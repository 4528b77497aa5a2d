/** The entry of the bundle: draws a widget model into an element, of anywidget's or of a saved page's. */
import { render as renderTree } from "preact";
import { ArrayView } from "../views/ArrayView";
import { Layers } from "../views/layers";
import { ViewState } from "../views/state";
import styles from "../views/styles.css";
import type { WidgetModel } from "./model";
import { watchTheme } from "./theme";

/** Draws the model; returns what takes the picture down again. */
export function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  // JupyterLab would take single keys for its own commands while the widget has the focus.
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  const frame = document.createElement("div");
  frame.className = "shardwidget";
  el.replaceChildren(frame);
  const root = frame.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];

  const state = new ViewState(model, frame);
  const layers = new Layers(state);
  // The tree is small: any change of the state renders all of it, and Preact touches only what differs.
  const draw = () => {
    renderTree(<ArrayView state={state} layers={layers} />, root);
    layers.paint();
  };
  state.watch(draw);
  draw();
  // The element may not be in the page yet, or be off screen: nothing is measured or painted before it has a width.
  const size = new ResizeObserver(() => {
    if (frame.isConnected && frame.clientWidth > 0) state.resize(frame.clientWidth);
  });
  size.observe(frame);
  const stopTheme = watchTheme(() => state.retheme());
  return () => {
    size.disconnect();
    stopTheme();
    layers.dispose();
    state.dispose();
    renderTree(null, root);
    frame.remove();
  };
}

export default { render };

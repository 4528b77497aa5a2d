/** How a view stands in a page: its own shadow root, its width, the page's theme, and its removal. */
import { type ComponentType, render as renderTree } from "preact";
import { AXIS_DASH } from "../draw/marks";
import cardStyles from "./card.css";
import { Card } from "./Frame";
import { loaded } from "./loaded";
import rowStyles from "./rows.css";
import type { CardState } from "./state";
import { PageWatch } from "./theme";
import type { WidgetModel } from "./widget";

/** What a view is made of. */
interface View<State extends CardState<object>> {
  state: new (model: WidgetModel, frame: HTMLElement) => State;
  body: ComponentType<{ state: State }>;
  /** Style sheets that come after those of every card. */
  styles: readonly string[];
  /** Listens to keys of the whole card; returns a function that stops listening. */
  keys?: (state: State, frame: HTMLElement) => () => void;
}

/** Of chips and texts: the colour of a mesh axis, and where the first two dashes of its line pattern begin and end. */
const AXIS_STYLES = AXIS_DASH.map((dash, axis) => {
  let at = 0;
  const [bar = 1, gap = bar, dot = gap, end = dot] = dash.map((length) => {
    at += length;
    return at;
  });
  const color = `var(--axis${axis})`;
  return `.axis${axis}{--axis:${color};--bar:${bar}px;--gap:${gap}px;--dot:${dot}px;--end:${end}px}.ink${axis}{color:${color}}`;
}).join("");

/** What `share.js` is. */
interface Share {
  default(model: WidgetModel, root: ShadowRoot): () => void;
}

/**
 * The entry of a bundle: `render` draws a widget model, anywidget's or a saved page's, and returns a function that
 * removes the view.
 */
export function entry<State extends CardState<object>>(
  view: View<State>,
): { render(place: { model: WidgetModel; el: HTMLElement }): () => void } {
  return { render: ({ model, el }) => mount(el, model, view) };
}

function mount<State extends CardState<object>>(
  el: HTMLElement,
  model: WidgetModel,
  { state: StateOf, body: Body, styles, keys }: View<State>,
): () => void {
  const frame = document.createElement("div");
  frame.className = "shardwidget";
  // JupyterLab would take single keys for its own commands. It asks the focused element outward, and from outside the
  // shadow root the focused element is this frame.
  frame.dataset.lmSuppressShortcuts = "true";
  el.replaceChildren(frame);
  const root = frame.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([AXIS_STYLES, cardStyles, rowStyles, ...styles].join(""));
  root.adoptedStyleSheets = [sheet];
  const tree = document.createElement("div");
  // Only the width is observed: the height of the frame changes with every drawing.
  const ruler = document.createElement("div");
  root.append(ruler, tree);

  const state = new StateOf(model, frame);
  state.start();
  const stopKeys = keys?.(state, frame);
  // The tree is small: any change of the state renders all of it, and Preact touches only what differs. Without a width
  // there is nothing to see: a tree rendered before would be laid out twice.
  const draw = () => {
    if (state.now.width === 0 && !state.now.broken) return;
    renderTree(
      <Card state={state}>
        <Body state={state} />
      </Card>,
      tree,
    );
    state.rendered();
  };
  const stop = state.watch(draw);
  draw();
  // The element may not be in the page yet, or be off screen: nothing is measured or painted before it has a width.
  const size = new ResizeObserver(() => {
    if (frame.clientWidth > 0) state.resize(frame.clientWidth);
  });
  size.observe(ruler);
  const page = new PageWatch(new WeakRef(state));
  // With a kernel, Python brings the menu that saves pictures: this bundle has none.
  const source = model.get("_share") as string | undefined;
  const menu = source ? loaded<Share>(source).then((share) => share.default(model, root)) : null;
  return () => {
    stop();
    menu?.then((end) => end());
    stopKeys?.();
    size.disconnect();
    page.stop();
    state.dispose();
    renderTree(null, tree);
    frame.remove();
  };
}

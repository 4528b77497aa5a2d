/** What every widget does to stand in a page: its own shadow root, its width, the page's theme, and the way out. */
import { type ComponentChildren, render as renderTree } from "preact";
import { ThemeWatch } from "./theme";

/** A view in a frame: its tree, and what is told when the frame changes. */
export interface View {
  tree(): ComponentChildren;
  /** Calls back when the tree is another one; returns what ends that. */
  watch(changed: () => void): () => void;
  /** After the tree was rendered. */
  rendered(): void;
  resize(width: number): void;
  retheme(): void;
  dispose(): void;
}

/** Draws a view, with its style sheet, into an element; returns what takes it down again. */
export function mountView(el: HTMLElement, styles: string, create: (frame: HTMLElement) => View): () => void {
  const frame = document.createElement("div");
  frame.className = "shardwidget";
  // JupyterLab would take single keys for its own commands. It asks the focused element outward, and from outside the
  // shadow root the focused element is this frame.
  frame.dataset.lmSuppressShortcuts = "true";
  el.replaceChildren(frame);
  const root = frame.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  const tree = document.createElement("div");
  // Only its width is watched: the height of the frame changes with every drawing.
  const ruler = document.createElement("div");
  root.append(ruler, tree);

  const view = create(frame);
  // The tree is small: any change of the state renders all of it, and Preact touches only what differs.
  const draw = () => {
    renderTree(view.tree(), tree);
    view.rendered();
  };
  const stop = view.watch(draw);
  draw();
  // The element may not be in the page yet, or be off screen: nothing is measured or painted before it has a width.
  const size = new ResizeObserver(() => {
    if (frame.clientWidth > 0) view.resize(frame.clientWidth);
  });
  size.observe(ruler);
  const theme = new ThemeWatch(new WeakRef(view));
  return () => {
    stop();
    size.disconnect();
    theme.stop();
    view.dispose();
    renderTree(null, tree);
    frame.remove();
  };
}

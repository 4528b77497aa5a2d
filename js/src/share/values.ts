/** The values of an array on paper, under its picture: Python brings them before anyone prints, and whenever they change. */
import type { WidgetModel } from "../card/widget";

/** The values of one shard, as `export/values.py` says them. */
interface Sheet {
  name: string;
  /** Where each row stands; empty for up to two dimensions. */
  heads: readonly string[];
  /** Tables of rows of cells. */
  parts: readonly (readonly (readonly string[])[])[];
}

/** Adds what paper says to a card, if it has any; returns a function that removes it. */
export function printValues(model: WidgetModel, root: ShadowRoot): () => void {
  const box = document.createElement("div");
  box.className = "values";
  const draw = () => box.replaceChildren(...((model.get("_paper") ?? []) as readonly Sheet[]).map(figure));
  model.on("change:_paper", draw);
  draw();
  root.append(box);
  // Printing does not wait for Python.
  if (model.get("_prints") === false) {
    (window.requestIdleCallback ?? setTimeout)(() => {
      if (!box.isConnected) return;
      model.set("_prints", true);
      model.save_changes();
    });
  }
  return () => {
    model.off("change:_paper", draw);
    box.remove();
  };
}

function figure({ name, heads, parts }: Sheet): HTMLElement {
  const all = element("figure", element("figcaption", name));
  for (const rows of parts) {
    const lines = rows.map((cells, r) => {
      const line = element("tr", ...cells.map((cell) => element("td", cell)));
      if (heads[r]) line.prepend(element("th", heads[r]));
      return line;
    });
    all.append(element("table", ...lines));
  }
  return all;
}

function element(name: string, ...inside: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  made.append(...inside);
  return made;
}

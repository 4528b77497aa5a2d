/** The real ModelView in a page. */

import type { Model, ModelComparison } from "../../src/core/document.gen";
import view from "../../src/tree/entry";
import { type Mounted, mounting } from "../harness";

/** The bundle that draws a leaf, as Python brings it. */
const LEAF = `export * from "${new URL("../../src/playground/entry.ts", import.meta.url).href}";`;

export const { start, mount } = mounting<Model>(
  view.render,
  { selection: null, sort: "tree", search: "", rules: "", _leaf: LEAF },
  1134,
);

/** Trees side by side, in the same bundle. */
export const { mount: mountCompared } = mounting<ModelComparison>(
  view.render,
  { selection: null, differs: false, sort: "tree", search: "" },
  1134,
);

/** Lines of the tree, from the top. */
export const lines = ({ root }: Mounted) => [...root.querySelectorAll<HTMLElement>(".row")];
/** The first words of each line. */
export const paths = (view: Mounted) => lines(view).map((line) => line.querySelector(".path .mono")?.textContent ?? "");

/**
 * What Python brings to any card: the menu that saves a picture, which Python draws and the browser puts among its
 * downloads, and what is added on paper.
 */

import type { WidgetModel } from "../card/widget";
import { adopt } from "./foot";
import { Menu } from "./menu";
import css from "./share.css";
import { printValues } from "./values";

/** Adds both to a card; returns a function that removes them. */
export default function share(model: WidgetModel, root: ShadowRoot): () => void {
  adopt(root, css);
  const menu = new Menu(model, root);
  const values = printValues(model, root);
  return () => {
    menu.end();
    values();
  };
}
